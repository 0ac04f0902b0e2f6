import type { Dropped } from '../input/dropped.ts'
import { log } from '../log.ts'
import type { CapturedEvent } from './event.ts'

/**
 * Warns of an event that is kept although a number in it is not kept exactly, such as 2^53 + 1: its SDK should send a text.
 * `read` are the events of a request in its order, `inexact` is the path of the first such number in its body.
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

/** Which event of a body a path leads into: one of a batch, of an array, or the only one. */
function placeOf([first = '', second = '']: readonly string[]): number {
  const place = first === 'batch' ? second : first
  return /^\d+$/.test(place) ? Number(place) : 0
}
