import { isTooBig } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { pause } from '../turns.ts'
import { type Batch, clip, type Span, type WantedColumns } from './batch.ts'
import { rowsToBatch, segmentToBatch, sortRows } from './batches.ts'
import type { Scan } from './cache.ts'
import type { Overview, Segment } from './overview.ts'
import { measureRows, type NameSpan, readMoment, readRows, readSortedRows } from './read.store.ts'
import { readSealed } from './sealed.ts'
import { looseSpans, spansOf } from './spans.ts'

/**
 * Pause after a statement that reads rows, ms, so that other requests get the database. Reads of
 * segments take a few ms and need none.
 */
const REST_MS = 1

/** Maximum number of events that a statement reads from rows; the statement takes about 60 ms. */
const ROW_EVENTS = 20_000
/** Maximum number of events that a statement reads from rows with all their properties. */
const BODY_EVENTS = 1_000
/** Bytes of the properties that a statement reads; their JSON takes several times as much memory. */
const BODY_BYTES = 1_000_000
/** Bytes of the properties that are read in all: some 700 of the 1,000 queries of a request. */
const MAX_BODY_BYTES = 150_000_000
/**
 * Maximum number of events of one millisecond that a statement reads; halved each time they do not
 * fit into an answer of D1.
 */
const MOMENT_EVENTS = 10_000

/** Events whose columns a statement reads: eight full segments, or a hundred small ones. */
const SEALED_EVENTS = 262_144

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
  /** Bytes of the properties that were read as a whole. */
  #bodyBytes = 0

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
      batches.push(segmentToBatch(segment, columns, this.#wanted, section))
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
    const { fits, longest } = await this.#measure(spans)
    const rows = fits
      ? await readRows(db, projectId, spans, this.#wanted).catch(unlessTooBig)
      : undefined
    await pause(REST_MS)
    if (rows) {
      return rows.length > 0 ? [rowsToBatch(sortRows(rows), this.#wanted)] : []
    }
    const [first] = spans
    if (first && isMoment(spans)) {
      return this.#readMoment(first, longest)
    }
    const batches: Batch[] = []
    for (const half of halvesOf(spans)) {
      batches.push(...(await this.#readRows(half)))
    }
    return batches
  }

  /**
   * Measures the properties of some spans, if these are read as a whole.
   * @throws query_too_large, attr `rows`
   */
  async #measure(spans: readonly NameSpan[]): Promise<{ fits: boolean; longest: number }> {
    if (!this.#wanted.bodies) {
      return { fits: true, longest: 0 }
    }
    const { db, projectId } = this.#scan
    const { bytes, longest } = await measureRows(db, projectId, spans)
    const fits = bytes <= BODY_BYTES
    this.#bodyBytes += fits || isMoment(spans) ? bytes : 0
    if (this.#bodyBytes > MAX_BODY_BYTES) {
      throw new AppError(
        'query_too_large',
        `The events have more than ${MAX_BODY_BYTES} bytes of properties: ask for a shorter range, or name a property.`,
        'rows'
      )
    }
    return { fits, longest }
  }

  /** Reads the events of a millisecond by page: they do not fit into one answer of D1. */
  async #readMoment({ eventId, since: time }: NameSpan, longest: number): Promise<Batch[]> {
    const name = { projectId: this.#scan.projectId, eventId }
    const batches: Batch[] = []
    let limit = longest > 0 ? Math.max(1, Math.floor(BODY_BYTES / longest)) : MOMENT_EVENTS
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

/** Whether these are the events of one name in one millisecond, which cannot be halved. */
const isMoment = ([first, ...others]: readonly NameSpan[]): boolean =>
  first !== undefined && others.length === 0 && first.until - first.since <= 1

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
