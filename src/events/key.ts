/**
 * The place of an event in a list by time: its time, ms UTC, and its uuid as 32 upper-case
 * hexadecimal digits. `''` is below every uuid.
 */
export type EventPosition = { at: number; uuid: string }

/** The key of an event: its place, and the id of its name. */
export type EventKey = EventPosition & { name: number }

/** The order of a list of events: newest first, or oldest first. */
export type EventOrder = 'desc' | 'asc'

/**
 * Returns a function that compares events by time, for sorting. At the same time, the event with
 * the lower uuid is older.
 */
export const byTime = (order: EventOrder) => (order === 'asc' ? oldestFirst : newestFirst)

function oldestFirst(a: EventPosition, b: EventPosition): number {
  if (a.at !== b.at) {
    return a.at - b.at
  }
  if (a.uuid === b.uuid) {
    return 0
  }
  return a.uuid < b.uuid ? -1 : 1
}

const newestFirst = (a: EventPosition, b: EventPosition): number => oldestFirst(b, a)
