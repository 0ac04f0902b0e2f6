/**
 * The key of an event: its time, ms UTC, the id of its name, and its uuid as 32 upper-case
 * hexadecimal digits.
 */
export type EventKey = { at: number; name: number; uuid: string }

/** The order of a list of events: newest first, or oldest first. */
export type EventOrder = 'desc' | 'asc'

/**
 * Returns a function that compares events by time, for sorting. At the same time, the event with
 * the lower name id, or the lower uuid, is older.
 */
export const byTime = (order: EventOrder) => (order === 'asc' ? oldestFirst : newestFirst)

function oldestFirst(a: EventKey, b: EventKey): number {
  if (a.at !== b.at || a.name !== b.name) {
    return a.at - b.at || a.name - b.name
  }
  if (a.uuid === b.uuid) {
    return 0
  }
  return a.uuid < b.uuid ? -1 : 1
}

const newestFirst = (a: EventKey, b: EventKey): number => oldestFirst(b, a)
