import type { Db, Usage } from '../db/client.ts'
import { AppError } from '../errors.ts'
import type { EventOrder, EventPosition } from './key.ts'
import {
  type EventFilters,
  EventScan,
  MAX_SOURCES,
  type ScanPiece,
  type ZonedProject
} from './scan.ts'
import type { EventRow } from './store.ts'

/** Largest page, events. */
export const MAX_PAGE = 10_000
/**
 * Events that one page examines before it ends early; only a list with filters examines others than
 * it shows.
 */
export const MAX_EXAMINED = 20_000
/** Events read in one statement. */
const READ_AT_ONCE = 250
/** Events before the page that are passed over at once. */
const SKIPPED_AT_ONCE = 10_000
/** Queries of a request after which a page ends early. D1 allows 1,000 per invocation. */
const MAX_QUERIES = 900

/** The page to read. `usage` is that of the request. */
type Asked = {
  size: number
  /** The number of events before the page, from `after` on. */
  offset: number
  order: EventOrder
  after: EventPosition | undefined
  now: Date
  usage: Usage
}

export type PageEnd = {
  /** The number of events on the page. */
  count: number
  /** Where the next page continues; undefined at the end of the list. */
  next: EventPosition | undefined
  /** Whether the page ended before it was full, although there may be more. */
  isCut: boolean
}

/**
 * Reads a page of events piece by piece, in order, and returns where the next page continues.
 * @throws query_too_large, attr the filter or `offset`
 */
export async function* readEventPage(
  db: Db,
  project: ZonedProject,
  filters: EventFilters,
  { size, offset, usage, ...beginning }: Asked
): AsyncGenerator<EventRow[], PageEnd> {
  const first = Math.max(size + 1, READ_AT_ONCE)
  const asked = { ...beginning, first, most: MAX_SOURCES }
  const scan = await EventScan.begin(db, project, filters, asked)
  const isSpent = (examined: number) => examined >= mostOf(scan) || usage.queries >= MAX_QUERIES
  let examined = scan.isFiltered ? 0 : await passOver(scan, offset, isSpent)
  // In a list with filters, only matching events count.
  let toPass = scan.isFiltered ? offset : 0
  let count = 0
  let last = beginning.after
  while (!isSpent(examined)) {
    const missing = scan.isFiltered ? READ_AT_ONCE : size + 1 - count
    const hasBegun = last !== beginning.after
    const piece = await nextPiece(scan, Math.min(missing, READ_AT_ONCE), hasBegun)
    if (piece === 'end') {
      return { count, next: undefined, isCut: false }
    }
    if (piece === 'too large') {
      break
    }
    examined += piece.examined
    const rows = piece.matching.slice(toPass)
    toPass -= piece.matching.length - rows.length
    const shown = rows.slice(0, size - count)
    if (shown.length > 0) {
      yield shown
    }
    count += shown.length
    last = placeOf(shown.at(-1)) ?? last
    // One event more than the page shows tells that there is a next page.
    if (rows.length > shown.length) {
      return { count, next: last, isCut: false }
    }
    last = piece.last
  }
  if (toPass > 0) {
    throw tooFar()
  }
  return { count, next: last, isCut: true }
}

/**
 * Passes over the events before the page. @returns how many there were
 * @throws query_too_large, attr `offset`
 */
async function passOver(
  scan: EventScan,
  offset: number,
  isSpent: (examined: number) => boolean
): Promise<number> {
  let passed = 0
  while (passed < offset) {
    if (isSpent(passed)) {
      throw tooFar()
    }
    const next = await scan.skip(Math.min(offset - passed, SKIPPED_AT_ONCE))
    if (next === 0) {
      return passed
    }
    passed += next
  }
  return passed
}

/** Returns how many events a page may examine: as many as it has, if all of them match. */
const mostOf = ({ isFiltered, most }: EventScan): number =>
  isFiltered ? Math.min(most, MAX_EXAMINED) : most

/**
 * Examines the next events. What is too much work for one page can be done on several, unless a
 * page begins with too much.
 */
async function nextPiece(
  scan: EventScan,
  count: number,
  hasBegun: boolean
): Promise<ScanPiece | 'end' | 'too large'> {
  try {
    return (await scan.next(count)) ?? 'end'
  } catch (error) {
    if (hasBegun && error instanceof AppError && error.code === 'query_too_large') {
      return 'too large'
    }
    throw error
  }
}

const tooFar = () =>
  new AppError(
    'query_too_large',
    'Too many events would have to be passed over: follow `next`, or select a range with `after` and `before`.',
    'offset'
  )

const placeOf = (row: EventRow | undefined): EventPosition | undefined =>
  row && { at: row.timestamp, uuid: row.uuid }
