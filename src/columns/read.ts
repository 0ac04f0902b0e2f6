import { isTooBig } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { pause } from '../turns.ts'
import {
  type Batch,
  clip,
  emptyColumn,
  placeBySlots,
  placeByTimes,
  type Span,
  type WantedColumns
} from './batch.ts'
import type { Scan } from './cache.ts'
import { type SlotCount, type Slots, toSlotCounts } from './codec.ts'
import { toColumn } from './dictionary.ts'
import type { Overview, Segment } from './overview.ts'
import {
  type NameSpan,
  type RowColumns,
  readMoment,
  readRows,
  readSortedRows
} from './read.store.ts'
import { type Columns, readSealed } from './sealed.ts'
import { SLOT } from './slots/store.ts'

/**
 * Pause after a statement that reads rows, ms, so that other requests get the database. Reads of
 * segments take a few ms and need none.
 */
const REST_MS = 1

/** Maximum number of events that a statement reads from rows; the statement takes about 60 ms. */
const ROW_EVENTS = 20_000
/** Maximum number of events that a statement reads from rows with all their properties. */
const BODY_EVENTS = 2_000
/**
 * Maximum number of events of one millisecond that a statement reads; halved each time they do not
 * fit into an answer of D1.
 */
const MOMENT_EVENTS = 10_000

/** Events whose columns a statement reads: eight full segments, or a hundred small ones. */
const SEALED_EVENTS = 262_144

type CountedSpan = NameSpan & { count: number }

/**
 * Reads the columns of a project's events: from segments where there are any, and from rows
 * elsewhere. The number of statements depends on the number of events, not on the number of their
 * names.
 */
export class Reader {
  readonly #scan: Scan
  readonly #wanted: WantedColumns
  readonly #rowEvents: number
  /** Segments whose events are read from rows: the segment is gone or lacks a column. */
  readonly #unread = new Set<number>()

  /** @param stepEvents approximate limit of rows per statement, if lower than `ROW_EVENTS` */
  constructor(scan: Scan, wanted: WantedColumns, stepEvents: number) {
    this.#scan = scan
    this.#wanted = wanted
    this.#rowEvents = Math.min(stepEvents, wanted.bodies ? BODY_EVENTS : ROW_EVENTS)
  }

  /** Whether segments lack something that is wanted. */
  get #readsRows(): boolean {
    return Boolean(this.#wanted.uuids || this.#wanted.bodies)
  }

  /**
   * Reads the events of a step, of which a section consists; steps must be read in order. A segment
   * is read once per section, in the step in which it begins: its batch has all of its events in
   * the section. Yields batches as they are read.
   * @param overview the overview of a range that contains the section
   */
  async *read(overview: Overview, step: Span, section: Span): AsyncGenerator<Batch[]> {
    if (this.#wanted.inOrder && overview.eventIds.size > 1) {
      yield* this.#readSorted(overview, step)
      return
    }
    const sealed = this.#readsRows ? [] : overview.segments
    const fresh = sealed.filter((segment) => {
      const begin = Math.max(segment.since, section.since)
      const isBegun = begin >= step.since && begin < step.until && segment.until > begin
      return isBegun && !this.#unread.has(segment.id)
    })
    for (const some of inGroups(fresh, SEALED_EVENTS)) {
      yield await this.#readSegments(some, section)
    }
    const spans = [
      ...looseSpans(overview, step, this.#rowEvents),
      ...overview.segments
        .filter(({ id, since, until }) => {
          const isRead = this.#readsRows || this.#unread.has(id)
          return isRead && since < step.until && until > step.since
        })
        .flatMap((segment) => spansOf(segment, step, this.#rowEvents))
    ]
    for (const some of inGroups(spans, this.#rowEvents)) {
      yield await this.#readRows(some)
    }
  }

  /** Reads the events of some spans from rows. */
  async *readSpans(spans: readonly NameSpan[]): AsyncGenerator<Batch[]> {
    for (let from = 0; from < spans.length; from += this.#rowEvents) {
      yield await this.#readRows(spans.slice(from, from + this.#rowEvents))
    }
  }

  async #readSegments(segments: readonly Segment[], section: Span): Promise<Batch[]> {
    const found = await readSealed(this.#scan, segments, this.#wanted)
    const batches: Batch[] = []
    for (const segment of segments) {
      const { columns, late } = found.get(segment.id) ?? {}
      // In order, the batch of a segment must not overlap the batch of its late events.
      if (!columns || (late && this.#wanted.inOrder)) {
        this.#unread.add(segment.id)
        continue
      }
      batches.push(toBatch(segment, columns, this.#wanted, section))
      if (late) {
        batches.push(clip(rowsToBatch(late, this.#wanted), section))
      }
    }
    return batches
  }

  /**
   * Reads the events of some spans. If the answer is too large for D1, reads each half on its own.
   */
  async #readRows(spans: readonly NameSpan[]): Promise<Batch[]> {
    const { db, projectId } = this.#scan
    const rows = await readRows(db, projectId, spans, this.#wanted).catch(unlessTooBig)
    await pause(REST_MS)
    if (rows) {
      return rows.length > 0 ? [rowsToBatch(sortRows(rows), this.#wanted)] : []
    }
    const [first, ...others] = spans
    if (first && others.length === 0 && first.until - first.since <= 1) {
      return this.#readMoment(first)
    }
    const batches: Batch[] = []
    for (const half of halvesOf(spans)) {
      batches.push(...(await this.#readRows(half)))
    }
    return batches
  }

  /** Reads the events of a millisecond by page: they do not fit into one answer of D1. */
  async #readMoment({ eventId, since: time }: NameSpan): Promise<Batch[]> {
    const name = { projectId: this.#scan.projectId, eventId }
    const batches: Batch[] = []
    let limit = MOMENT_EVENTS
    for (let after = ''; ; ) {
      const page = { time, after, limit }
      const read = await readMoment(this.#scan.db, name, page, this.#wanted).catch(unlessTooBig)
      await pause(REST_MS)
      if (!read) {
        limit = Math.ceil(limit / 2)
        continue
      }
      if (read.rows.length > 0) {
        batches.push(rowsToBatch(read.rows, this.#wanted))
      }
      if (read.rows.length < limit) {
        return batches
      }
      after = read.last
    }
  }

  async *#readSorted(overview: Overview, step: Span): AsyncGenerator<Batch[]> {
    const names = { projectId: this.#scan.projectId, eventIds: [...overview.eventIds] }
    for (const span of overview.steps(step.since, step.until, this.#rowEvents)) {
      yield* this.#readSortedSpan(names, span)
    }
  }

  async *#readSortedSpan(
    names: { projectId: number; eventIds: number[] },
    span: Span
  ): AsyncGenerator<Batch[]> {
    const rows = await readSortedRows(this.#scan.db, names, span, this.#wanted).catch(unlessTooBig)
    await pause(REST_MS)
    if (rows) {
      yield [rowsToBatch(rows, this.#wanted)]
      return
    }
    if (span.until - span.since <= 1) {
      throw tooManyAtOnce()
    }
    for (const half of halve(span)) {
      yield* this.#readSortedSpan(names, half)
    }
  }
}

function unlessTooBig(error: unknown): undefined {
  if (!isTooBig(error)) {
    throw error
  }
}

/** The events of one millisecond do not fit into an answer of D1. */
const tooManyAtOnce = (): AppError =>
  new AppError(
    'query_too_large',
    'Too many events have the same time, so the first event of any name cannot be found: name an event.',
    'rows'
  )

function halve<S extends Span>(span: S): [S, S] {
  const middle = span.since + Math.floor((span.until - span.since) / 2)
  return [
    { ...span, until: middle },
    { ...span, since: middle }
  ]
}

/** Divides a list in two, or the only span of a list. */
function halvesOf(spans: readonly NameSpan[]): NameSpan[][] {
  const [first, ...others] = spans
  if (first && others.length === 0) {
    return halve(first).map((half) => [half])
  }
  const middle = Math.ceil(spans.length / 2)
  return [spans.slice(0, middle), spans.slice(middle)]
}

function inGroups<Item extends { count: number }>(items: readonly Item[], most: number): Item[][] {
  const groups: Item[][] = []
  let events = 0
  for (const item of items) {
    const last = groups.at(-1)
    events += item.count
    if (last && events <= most) {
      last.push(item)
    } else {
      groups.push([item])
      events = item.count
    }
  }
  return groups
}

/**
 * Returns spans that cover the events outside segments within a step, sorted by name and time. Each
 * has at most about `most` events, and none reaches into a segment.
 */
function looseSpans(overview: Overview, step: Span, most: number): CountedSpan[] {
  const { eventIds, slots, counts } = overview.loose
  const segmentsOf = Map.groupBy(overview.segments, ({ eventId }) => eventId)
  const spans = new Spans(step, most, (eventId, from, until) =>
    (segmentsOf.get(eventId) ?? []).some(
      (segment) => segment.since >= from && segment.until <= until
    )
  )
  for (let i = 0; i < slots.length; i += 1) {
    spans.add(eventIds[i] ?? 0, slots[i] ?? 0, counts[i] ?? 0)
  }
  return spans.list
}

/** Returns spans that cover the events of a segment within a step, also the late events. */
function spansOf(segment: Segment, step: Span, most: number): CountedSpan[] {
  const spans = new Spans(step, most, () => false)
  for (const { slot, count } of allSlots(segment)) {
    spans.add(segment.eventId, slot, count)
  }
  return spans.list
}

type IsSealed = (eventId: number, from: number, until: number) => boolean

/** Joins slots, added in the order of names and time, to spans of about `most` events. */
class Spans {
  readonly list: CountedSpan[] = []
  readonly #step: Span
  readonly #most: number
  readonly #isSealed: IsSealed

  constructor(step: Span, most: number, isSealed: IsSealed) {
    this.#step = step
    this.#most = most
    this.#isSealed = isSealed
  }

  add(eventId: number, slot: number, count: number): void {
    const since = Math.max(slot * SLOT, this.#step.since)
    const until = Math.min((slot + 1) * SLOT, this.#step.until)
    if (since >= until) {
      return
    }
    const last = this.list.at(-1)
    const isJoined =
      last?.eventId === eventId &&
      last.count + count <= this.#most &&
      (last.until === since || !this.#isSealed(eventId, last.until, since))
    if (last && isJoined) {
      this.list[this.list.length - 1] = { ...last, until, count: last.count + count }
    } else {
      this.list.push(...split({ eventId, since, until, count }, Math.ceil(count / this.#most)))
    }
  }
}

/**
 * Counts the events in each slot of a segment's range, with the late events, in the order of time.
 */
function allSlots({ slots, late }: Segment): SlotCount[] {
  const counts = new Map<number, number>()
  for (const { slot, count } of [...toSlotCounts(slots), ...late]) {
    counts.set(slot, (counts.get(slot) ?? 0) + count)
  }
  return [...counts].map(([slot, count]) => ({ slot, count })).sort((a, b) => a.slot - b.slot)
}

function split({ eventId, since, until, count }: CountedSpan, parts: number): CountedSpan[] {
  const length = Math.max(1, Math.min(parts, until - since))
  const at = (i: number) => since + Math.floor(((until - since) * i) / length)
  return Array.from({ length }, (_, i) => ({
    eventId,
    since: at(i),
    until: at(i + 1),
    count: Math.ceil(count / length)
  }))
}

function toBatch(
  { count, since, slots, eventId }: Segment,
  columns: Columns,
  wanted: WantedColumns,
  section: Span
): Batch {
  const column = (name: string) => {
    const found = columns.get(name)
    return found && 'codes' in found ? found : emptyColumn(count)
  }
  const numbers = (name: string) => {
    const found = columns.get(name)
    return found instanceof Uint32Array ? found : new Uint32Array()
  }
  const times = wanted.times ? timesOf(slots, numbers('time')) : new Float64Array()
  const whole = {
    length: count,
    since,
    times,
    place: wanted.times ? placeByTimes(times) : placeBySlots(slots),
    ...(wanted.names && { names: { codes: new Uint8Array(count), values: [eventId] } }),
    identities: wanted.identities ? numbers('identity') : new Uint32Array(),
    versions: wanted.versions ? column('version') : emptyColumn(0),
    sessions: wanted.sessions ? column('session') : emptyColumn(0),
    properties: new Map(wanted.properties.map((key) => [key, column(`event:${key}`)]))
  }
  return clip(whole, section)
}

/** Returns the time of each event, from its distance to the beginning of its slot. */
function timesOf({ slots, ends }: Slots, offsets: Uint32Array): Float64Array {
  const times = new Float64Array(offsets.length)
  let i = 0
  for (const [at, slot] of slots.entries()) {
    for (const end = ends[at] ?? 0; i < end; i += 1) {
      times[i] = slot * SLOT + (offsets[i] ?? 0)
    }
  }
  return times
}

const rowsToBatch = (rows: RowColumns, wanted: WantedColumns): Batch => ({
  length: rows.length,
  since: rows.times[0] ?? 0,
  times: wanted.times ? Float64Array.from(rows.times) : new Float64Array(),
  place: placeByTimes(rows.times),
  ...(rows.names && { names: toColumn(rows.names) }),
  identities: Uint32Array.from(rows.identities ?? []),
  versions: rows.versions ? toColumn(rows.versions) : emptyColumn(rows.length),
  sessions: rows.sessions ? toColumn(rows.sessions) : emptyColumn(rows.length),
  properties: new Map(wanted.properties.map((key, i) => [key, toColumn(rows.properties[i] ?? [])])),
  ...(rows.uuids && { uuids: rows.uuids }),
  ...(rows.bodies && { bodies: rows.bodies })
})

/** Sorts rows by their times: those of several names come name by name. */
function sortRows(rows: RowColumns): RowColumns {
  const { times } = rows
  if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time)) {
    return rows
  }
  const order = times.map((_, i) => i).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0))
  // The cast is safe, because each list has a value for each time.
  const sort = <Value>(values: readonly Value[]) => order.map((i) => values[i] as Value)
  return {
    length: rows.length,
    times: sort(times),
    names: rows.names && sort(rows.names),
    identities: rows.identities && sort(rows.identities),
    versions: rows.versions && sort(rows.versions),
    sessions: rows.sessions && sort(rows.sessions),
    uuids: rows.uuids && sort(rows.uuids),
    bodies: rows.bodies && sort(rows.bodies),
    properties: rows.properties.map(sort)
  }
}
