import type { Dropped } from '../input/dropped.ts'
import { log } from '../log.ts'
import type { CapturedEvent } from './event.ts'

/**
 * Logs a warning for an event that is stored although one of its numbers is not kept exactly, such as 2^53 + 1; the
 * client should send it as a string. `read` are the events in the order of the request, `inexact` is the path of the
 * first such number in its body.
 */
export function warnOfInexact(
  project: number,
  read: readonly (CapturedEvent | Dropped)[],
  inexact: readonly string[] | undefined
): void {
  const event = inexact && read[placeOf(inexact)]
  if (event && 'event' in event) {
    log('warn', 'ingestion warning', { project, type: 'number_not_exact', event: event.uuid })
  }
}

/** Returns the place of the event that a path leads into: `batch.3.properties.id` is event 3, `properties.id` event 0. */
function placeOf([first = '', second = '']: readonly string[]): number {
  const place = first === 'batch' ? second : first
  return /^\d+$/.test(place) ? Number(place) : 0
}
