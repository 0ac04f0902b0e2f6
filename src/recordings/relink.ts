import { runRead } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { findPerson } from '../persons/store.ts'
import { type PersonInput, type Relink, readNames } from './change.ts'
import { findIdentities, findOrCreateIdentity, relinkRecording } from './relink.store.ts'

/**
 * Checks that the `uuid` and the `distinct_ids` beside the `id` of a person belong to that person;
 * only the `id` has an effect.
 * @throws invalid_input, attr `person`
 */
export async function expectOnePerson(
  db: Db,
  projectId: number,
  person: PersonInput | undefined
): Promise<void> {
  const names = readNames(person)
  if (!names || (names.uuid === undefined && names.distinctIds.length === 0)) {
    return
  }
  const found = await runRead(db, findPerson(projectId, { id: names.id }))
  if (!found) {
    // `relink` refuses a person that does not exist.
    return
  }
  const ids = new Set(found.distinct_ids)
  const isOne =
    (names.uuid ?? found.uuid) === found.uuid && names.distinctIds.every((id) => ids.has(id))
  if (!isOne) {
    throw new AppError(
      'invalid_input',
      'The `uuid` and `distinct_ids` of the person must belong to its `id`: leave them out, or correct them.',
      'person'
    )
  }
}

/**
 * Assigns a recording to another owner. A distinct id need not exist yet; a person must exist.
 * @throws does_not_exist, attr `person`; invalid_input, attr `distinct_id`, for a distinct id of
 * another person; not_found
 */
export async function relink(
  db: Db,
  projectId: number,
  sessionId: string,
  { distinctId, person }: Relink
) {
  const isDone = await retryConflicts(async () => {
    const identity = person
      ? await identityOf(db, projectId, person, distinctId)
      : await findOrCreateIdentity(db, projectId, distinctId ?? '')
    return relinkRecording(db, projectId, sessionId, identity)
  })
  if (!isDone) {
    throw new NotFoundError()
  }
}

async function identityOf(
  db: Db,
  projectId: number,
  person: NonNullable<Relink['person']>,
  distinctId: string | undefined
): Promise<number> {
  const identities = await findIdentities(db, projectId, person)
  const [first] = identities
  if (!first) {
    throw new AppError('does_not_exist', 'Invalid person - object does not exist.', 'person')
  }
  const wanted = distinctId ?? ('distinctId' in person ? person.distinctId : first.distinct_id)
  const identity = identities.find(({ distinct_id }) => distinct_id === wanted)
  if (!identity) {
    throw new AppError('invalid_input', 'This is not a distinct id of the person.', 'distinct_id')
  }
  return identity.key
}
