import type { Range } from '../../../calendar/buckets.ts'
import { toIso } from '../../../calendar/clock.ts'
import type { ShownActor } from '../../../questions/actors/actor.ts'

/** The URL of the list of recordings, and the range in which those to link to began. */
type Recordings = { list: string; range: Range }

/**
 * Returns the URL that lists the recordings of a person or distinct id that began in the range;
 * null for an erased person. `date_to` is inclusive and the range's end is not, so `date_to` is
 * 1 ms earlier.
 */
export function recordingsOf(
  { type, id, name }: ShownActor,
  { list, range }: Recordings
): string | null {
  if (type === 'erased') {
    return null
  }
  const url = new URL(list)
  url.searchParams.set(type, type === 'person' ? String(id) : name)
  url.searchParams.set('date_from', toIso(range.from))
  url.searchParams.set('date_to', toIso(range.until - 1))
  return url.href
}
