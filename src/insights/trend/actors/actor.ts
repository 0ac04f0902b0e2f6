import type { Range } from '../../../calendar/buckets.ts'
import { toIso } from '../../../calendar/clock.ts'
import type { KnownActors } from '../../../persons/actors.store.ts'
import type { PersonJson } from '../../../persons/schemas.ts'
import type { PersonRow } from '../../../persons/store.ts'
import type { ActorCount } from '../../../trends/point.ts'
import type { ActorJson } from './schemas.ts'

/** The URL of the list of recordings, and the range in which those to link to began. */
type Recordings = { list: string; range: Range }

const ERASED: Omit<ActorJson, 'count'> = {
  type: 'erased',
  id: null,
  uuid: null,
  name: 'Erased person',
  distinct_ids: [],
  properties: {},
  created_at: null,
  recordings: null
}

/**
 * Returns an actor as the API shows it. An actor that is in neither map has been erased.
 * @param show returns the JSON of a person
 */
export function actorToJson(
  { actor, count }: ActorCount,
  { persons, distinctIds }: KnownActors,
  recordings: Recordings,
  show: (person: PersonRow) => PersonJson
): ActorJson {
  const person = persons.get(actor)
  if (person) {
    return {
      type: 'person',
      ...show(person),
      count,
      recordings: recordingsOf(recordings, 'person', String(actor))
    }
  }
  // A negative actor is the negated key of an identity without a person.
  const distinctId = distinctIds.get(-actor)
  if (distinctId === undefined) {
    return { ...ERASED, count }
  }
  return {
    type: 'distinct_id',
    id: null,
    uuid: null,
    name: distinctId,
    distinct_ids: [distinctId],
    properties: {},
    created_at: null,
    count,
    recordings: recordingsOf(recordings, 'distinct_id', distinctId)
  }
}

/**
 * Returns the URL that lists the recordings of a person or distinct id that began in the range.
 * `date_to` is inclusive and the range's end is not, so `date_to` is 1 ms earlier.
 */
function recordingsOf(
  { list, range }: Recordings,
  filter: 'person' | 'distinct_id',
  id: string
): string {
  const url = new URL(list)
  url.searchParams.set(filter, id)
  url.searchParams.set('date_from', toIso(range.from))
  url.searchParams.set('date_to', toIso(range.until - 1))
  return url.href
}
