/**
 * The key of an event: its time, ms UTC, the id of its name, and its uuid as 32 upper-case
 * hexadecimal digits.
 */
export type EventKey = { at: number; name: number; uuid: string }

/**
 * Compares events by time, newest first. At the same time, the event with the lower name id, or the
 * lower uuid, is older.
 */
export function newestFirst(a: EventKey, b: EventKey): number {
  if (a.at !== b.at || a.name !== b.name) {
    return b.at - a.at || b.name - a.name
  }
  if (a.uuid === b.uuid) {
    return 0
  }
  return a.uuid < b.uuid ? 1 : -1
}
