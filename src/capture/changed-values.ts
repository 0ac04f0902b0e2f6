import type { Dropped } from '../input/dropped.ts'
import { log } from '../log.ts'
import type { CapturedEvent } from './event.ts'

/**
 * Paths in a body to the first number that no double holds exactly, and to the first member that
 * repeats a name. `form` says where the body has its events: it is a list of them, an envelope with
 * its events in `batch`, or one event.
 */
export type Changed = {
  form: 'list' | 'batch' | 'event'
  inexact: string[] | undefined
  repeated: string[] | undefined
}

/**
 * Logs a warning for an event that is stored although `JSON.parse` did not keep all of it: it
 * rounds a number such as 2^53 + 1 (the client should send it as a string), and keeps only the last
 * of two members with the same name. `read` holds the events in the order of the request. Logs at
 * most one event for each of the two reasons, and none for a change outside the events.
 */
export function warnOfChanges(
  project: number,
  read: readonly (CapturedEvent | Dropped)[],
  { form, inexact, repeated }: Changed
): void {
  const eventAt = (path: string[] | undefined) => {
    const place = path && placeOf(path, form)
    return place === undefined ? undefined : read[place]
  }
  warn(project, 'number_not_exact', eventAt(inexact))
  warn(project, 'member_repeated', eventAt(repeated))
}

function warn(project: number, type: string, event: CapturedEvent | Dropped | undefined): void {
  if (event && 'event' in event) {
    log('warn', 'ingestion warning', { project, type, event: event.uuid })
  }
}

/**
 * Returns the place of the event that a path leads into: `batch.3.properties.id` leads into event 3
 * of a batch, `3.properties.id` into event 3 of a list. Undefined for an envelope's other members,
 * and for `batch` itself.
 */
function placeOf([first, second]: readonly string[], form: Changed['form']): number | undefined {
  if (form === 'event') {
    return 0
  }
  const place = form === 'list' ? first : second
  const isInside = form === 'list' || first === 'batch'
  return isInside && place !== undefined ? Number(place) : undefined
}
