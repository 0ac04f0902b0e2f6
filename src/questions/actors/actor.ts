import type { KnownActors } from '../../persons/actors.store.ts'
import type { PersonJson } from '../../persons/schemas.ts'
import type { PersonRow } from '../../persons/store.ts'
import type { ActorCount } from '../../trends/point.ts'

/**
 * Someone who is counted: a person, an identity without a person (`distinct_id`), or a person whose
 * data was erased but whose events were kept (`erased`). `count` is the number of events.
 */
export type ShownActor = Omit<PersonJson, 'id' | 'uuid' | 'created_at'> & {
  type: 'person' | 'distinct_id' | 'erased'
  id: number | null
  uuid: string | null
  created_at: string | null
  count: number
}

const NOBODY = { id: null, uuid: null, properties: {}, created_at: null }

/**
 * Returns an actor as the API shows it. An actor that is in neither map has been erased.
 * @param show returns the JSON of a person
 */
export function showActor(
  { actor, count }: ActorCount,
  { persons, distinctIds }: KnownActors,
  show: (person: PersonRow) => PersonJson
): ShownActor {
  const person = persons.get(actor)
  if (person) {
    return { type: 'person', ...show(person), count }
  }
  // A negative actor is the negated key of an identity without a person.
  const distinctId = distinctIds.get(-actor)
  return distinctId === undefined
    ? { ...NOBODY, type: 'erased', name: 'Erased person', distinct_ids: [], count }
    : { ...NOBODY, type: 'distinct_id', name: distinctId, distinct_ids: [distinctId], count }
}
