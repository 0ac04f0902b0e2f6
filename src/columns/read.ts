import { isTooBig } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { pause } from '../pause.ts'
import { SLOT } from '../rollups/store.ts'
import { type Batch, emptyColumn, placeBySlots, placeByTimes, type Wanted } from './batch.ts'
import { type SlotCount, type Slots, toSlotCounts } from './codec.ts'
import { toColumn } from './dictionary.ts'
import type { Name, Overview, Segment } from './overview.ts'
import { type Rows, readMoment, readRows, readSortedRows } from './read.store.ts'
import type { Scan } from './recent.ts'
import { type Columns, readSealed } from './sealed.ts'

/**
 * Pause after a statement that reads rows, ms, so that other requests get the database. Reads of segments take a few ms and
 * need none.
 */
const REST_MS = 1

/** Maximum number of events that a statement reads from rows; the statement takes about 60 ms. */
const ROW_EVENTS = 20_000
/**
 * Maximum number of events of one millisecond that a statement reads; halved each time they do not fit into an
 * answer of D1.
 */
const MOMENT_EVENTS = 10_000

type Range = { since: number; until: number }

/** Reads the columns of a project's events: from segments where there are any, and from rows elsewhere. */
export class Reader {
  readonly #scan: Scan
  readonly #wanted: Wanted
  readonly #rowEvents: number

  /** @param stepEvents approximate limit of rows per statement, if lower than `ROW_EVENTS` */
  constructor(scan: Scan, wanted: Wanted, stepEvents: number) {
    this.#scan = scan
    this.#wanted = wanted
    this.#rowEvents = Math.min(stepEvents, ROW_EVENTS)
  }

  /**
   * Reads the events of a step. A batch from a segment may begin before the step and end after it.
   * @param overview the overview of a range that contains the step
   */
  async read(overview: Overview, step: Range): Promise<Batch[]> {
    if (this.#wanted.inOrder && overview.names.length > 1) {
      return this.#readSorted(overview, step)
    }
    const batches: Batch[] = []
    for (const name of overview.names) {
      batches.push(...(await this.#readName(name, step)))
    }
    return batches
  }

  async #readName(name: Name, step: Range): Promise<Batch[]> {
    const batches: Batch[] = []
    const segments = name.segments.filter(
      ({ since, until }) => since < step.until && until > step.since
    )
    if (segments.length > 0) {
      batches.push(...(await this.#readSegments(segments, step)))
    }
    const loose = name.loose.filter(
      ({ slot }) => slot * SLOT < step.until && (slot + 1) * SLOT > step.since
    )
    for (const range of rangesOf(loose, segments, step, this.#rowEvents)) {
      batches.push(...(await this.#readRows(name.eventId, range)))
    }
    return batches
  }

  async #readSegments(segments: readonly Segment[], step: Range): Promise<Batch[]> {
    const found = await readSealed(this.#scan, segments, this.#wanted)
    const batches: Batch[] = []
    for (const segment of segments) {
      const { columns, late } = found.get(segment.id) ?? {}
      // Reads rows instead of a segment that is left out, or that would overlap the batch of its late events.
      if (!columns || (late && this.#wanted.inOrder)) {
        const since = Math.max(segment.since, step.since)
        const until = Math.min(segment.until, step.until)
        for (const range of rangesOf(allSlots(segment), [], { since, until }, this.#rowEvents)) {
          batches.push(...(await this.#readRows(segment.eventId, range)))
        }
        continue
      }
      batches.push(toBatch(segment, columns, this.#wanted))
      if (late) {
        batches.push(rowsToBatch(late, this.#wanted))
      }
    }
    return batches
  }

  /** Reads the events of a range. If the answer is too large for D1, reads each half of the range on its own. */
  async #readRows(eventId: number, range: Range): Promise<Batch[]> {
    const name = { projectId: this.#scan.projectId, eventId }
    const rows = await readRows(this.#scan.db, name, range, this.#wanted).catch(unlessTooBig)
    await pause(REST_MS)
    if (rows) {
      return rows.length > 0 ? [rowsToBatch(rows, this.#wanted)] : []
    }
    if (range.until - range.since <= 1) {
      return this.#readMoment(eventId, range.since)
    }
    const [first, second] = halve(range)
    return [...(await this.#readRows(eventId, first)), ...(await this.#readRows(eventId, second))]
  }

  /** Reads the events of a single millisecond page by page, because they do not fit into one answer of D1. */
  async #readMoment(eventId: number, time: number): Promise<Batch[]> {
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

  async #readSorted(overview: Overview, step: Range): Promise<Batch[]> {
    const batches: Batch[] = []
    const eventIds = overview.names.map(({ eventId }) => eventId)
    const names = { projectId: this.#scan.projectId, eventIds }
    const read = async (range: Range): Promise<void> => {
      const rows = await readSortedRows(this.#scan.db, names, range, this.#wanted).catch(
        unlessTooBig
      )
      await pause(REST_MS)
      if (rows) {
        batches.push(rowsToBatch(rows, this.#wanted))
        return
      }
      if (range.until - range.since <= 1) {
        throw tooManyAtOnce()
      }
      for (const half of halve(range)) {
        await read(half)
      }
    }
    // Half, because `steps` may make a step twice as large.
    for (const range of overview.steps(step.since, step.until, this.#rowEvents / 2)) {
      await read(range)
    }
    return batches
  }
}

function unlessTooBig(error: unknown): undefined {
  if (!isTooBig(error)) {
    throw error
  }
}

/** Returns the query_too_large error, attr `rows`, for events of one millisecond that do not fit into an answer of D1. */
const tooManyAtOnce = (): AppError =>
  new AppError(
    'query_too_large',
    'Too many events have the same time, so the first event of any name cannot be found: name an event.',
    'rows'
  )

function halve({ since, until }: Range): [Range, Range] {
  const middle = since + Math.floor((until - since) / 2)
  return [
    { since, until: middle },
    { since: middle, until }
  ]
}

/**
 * Returns ranges that cover the slots within a step. Each has at most about `most` events, so that one statement can read them,
 * and none reaches into a segment.
 */
function rangesOf(
  slots: readonly SlotCount[],
  segments: readonly Range[],
  step: Range,
  most: number
): Range[] {
  const ranges: Range[] = []
  let events = 0
  for (const { slot, count } of slots) {
    const since = Math.max(slot * SLOT, step.since)
    const until = Math.min((slot + 1) * SLOT, step.until)
    if (since >= until) {
      continue
    }
    const last = ranges.at(-1)
    const isBetween = (segment: Range) =>
      last !== undefined && segment.since >= last.until && segment.until <= since
    events += count
    if (last && events <= most && !segments.some(isBetween)) {
      last.until = until
    } else {
      ranges.push(...split({ since, until }, Math.ceil(count / most)))
      events = count
    }
  }
  return ranges
}

/** Counts the events in each slot of a segment's range, with the late events, in the order of time. */
function allSlots({ slots, late }: Segment): SlotCount[] {
  const counts = new Map<number, number>()
  for (const { slot, count } of [...toSlotCounts(slots), ...late]) {
    counts.set(slot, (counts.get(slot) ?? 0) + count)
  }
  return [...counts].map(([slot, count]) => ({ slot, count })).sort((a, b) => a.slot - b.slot)
}

/** Divides a range into parts of equal length. */
function split({ since, until }: Range, parts: number): Range[] {
  const count = Math.max(1, Math.min(parts, until - since))
  const at = (i: number) => since + Math.floor(((until - since) * i) / count)
  return Array.from({ length: count }, (_, i) => ({ since: at(i), until: at(i + 1) }))
}

function toBatch({ count, since, slots }: Segment, columns: Columns, wanted: Wanted): Batch {
  const column = (name: string) => columns.values.get(name) ?? emptyColumn(count)
  const numbers = (name: string) => columns.numbers.get(name) ?? new Uint32Array()
  return {
    length: count,
    since,
    place: wanted.times ? placeByTimes(timesOf(slots, numbers('time'))) : placeBySlots(slots),
    identities: wanted.identities ? numbers('identity') : new Uint32Array(),
    versions: wanted.versions ? column('version') : emptyColumn(0),
    sessions: wanted.sessions ? column('session') : emptyColumn(0),
    properties: new Map(wanted.properties.map((key) => [key, column(`event:${key}`)]))
  }
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

const rowsToBatch = (rows: Rows, wanted: Wanted): Batch => ({
  length: rows.length,
  since: rows.times[0] ?? 0,
  place: placeByTimes(rows.times),
  identities: Uint32Array.from(rows.identities ?? []),
  versions: rows.versions ? toColumn(rows.versions) : emptyColumn(rows.length),
  sessions: rows.sessions ? toColumn(rows.sessions) : emptyColumn(rows.length),
  properties: new Map(wanted.properties.map((key, i) => [key, toColumn(rows.properties[i] ?? [])]))
})
