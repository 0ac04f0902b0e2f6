import type { Range } from '../../../calendar/buckets.ts'
import { toIso } from '../../../calendar/clock.ts'
import type { Known } from '../../../persons/several.store.ts'
import { listedPersonToJson } from '../../../persons/store.ts'
import type { ActorCounts } from '../../../trends/point.ts'
import type { ActorJson } from './schemas.ts'

type Counted = ActorCounts['counts'][number]

/** The URL of the list of a project's recordings, and the range of time in which they began. */
type Recordings = { list: string; range: Range }

const ERASED = {
  type: 'erased',
  id: null,
  uuid: null,
  name: 'Erased person',
  distinct_ids: [],
  properties: {},
  created_at: null,
  recordings: null
} as const

/** Returns an actor as the API shows it. A person that is not known any more has been erased. */
export function actorToJson(
  { actor, count }: Counted,
  { persons, distinctIds }: Known,
  recordings: Recordings
): ActorJson {
  const person = persons.get(actor)
  if (person) {
    return {
      type: 'person',
      ...listedPersonToJson(person),
      count,
      recordings: recordingsOf(recordings, 'person', String(actor))
    }
  }
  const distinctId = distinctIds.get(-actor)
  if (distinctId === undefined) {
    return { ...ERASED, distinct_ids: [], count }
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

/** Returns the URL of a person's recordings that began in a range. A list of recordings includes `date_to`, a range excludes its end. */
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
