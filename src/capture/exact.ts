import type { Dropped } from '../input/dropped.ts'
import { log } from '../log.ts'
import type { CapturedEvent } from './event.ts'

/** Paths in a body to what parsing it changes: a number beyond doubles, and a member that an object has twice. */
export type Changed = { inexact: string[] | undefined; repeated: string[] | undefined }

/**
 * Logs a warning for an event that is stored although parsing changed it: one of its numbers is not kept exactly, such as
 * 2^53 + 1, which the client should send as a string, or it has a member twice, of which the last is kept. `read` are the
 * events in the order of the request. Only the first of each kind is logged.
 */
export function warnOfChanges(
  project: number,
  read: readonly (CapturedEvent | Dropped)[],
  { inexact, repeated }: Changed
): void {
  warn(project, 'number_not_exact', inexact && read[placeOf(inexact)])
  warn(project, 'member_repeated', repeated && read[placeOf(repeated)])
}

function warn(project: number, type: string, event: CapturedEvent | Dropped | undefined): void {
  if (event && 'event' in event) {
    log('warn', 'ingestion warning', { project, type, event: event.uuid })
  }
}

/** Returns the place of the event that a path leads into: `batch.3.properties.id` is event 3, `properties.id` event 0. */
function placeOf([first = '', second = '']: readonly string[]): number {
  const place = first === 'batch' ? second : first
  return /^\d+$/.test(place) ? Number(place) : 0
}
