import type { Db } from '../db/client.ts'
import type { EventKey } from './key.ts'
import { type EventFilters, EventScan, type ZonedProject } from './scan.ts'
import type { EventRow } from './store.ts'

/** Events that one page examines before it ends early; examining them reads about 20,000 rows. */
export const MAX_EXAMINED = 2_000
/** Events read in one statement. */
const READ_AT_ONCE = 250
/** Characters of the properties of a page's events, after which the page ends early. */
export const MAX_CHARACTERS = 4_000_000

export type EventPage = {
  events: EventRow[]
  /** Where the next page continues; undefined at the end. */
  next: EventKey | undefined
  /** Whether the page ended before it was full, although there may be more. */
  isCut: boolean
}

/** Reads a page of events, newest first. @throws query_too_large, attr the filter */
export async function listEvents(
  db: Db,
  project: ZonedProject,
  filters: EventFilters,
  page: { size: number; after: EventKey | undefined; now: Date }
): Promise<EventPage> {
  const first = Math.max(page.size + 1, READ_AT_ONCE)
  const most = MAX_EXAMINED + READ_AT_ONCE
  const scan = await EventScan.begin(db, project, filters, { ...page, first, most })
  const found: EventRow[] = []
  let examined = 0
  let characters = 0
  let last: EventKey | undefined
  // Finds one event more than the page shows, to know whether there is a next page.
  while (found.length <= page.size) {
    if (examined >= MAX_EXAMINED || characters >= MAX_CHARACTERS) {
      return { events: found, next: last, isCut: true }
    }
    const missing = page.size + 1 - found.length
    const piece = await scan.next(scan.isFiltered ? READ_AT_ONCE : Math.min(missing, READ_AT_ONCE))
    if (!piece) {
      return { events: found, next: undefined, isCut: false }
    }
    examined += piece.examined
    last = piece.last
    characters += piece.matching.reduce((sum, { properties }) => sum + properties.length, 0)
    found.push(...piece.matching)
  }
  const events = found.slice(0, page.size)
  const shown = events.at(-1)
  return { events, next: shown && keyOf(shown), isCut: false }
}

const keyOf = ({ timestamp, event_id, uuid }: EventRow): EventKey => ({
  at: timestamp,
  name: event_id,
  uuid
})
