import type { Scope } from '../access/open.ts'
import { retryConflicts } from '../db/retry.ts'
import { AppError, NotFoundError } from '../errors.ts'
import {
  expectOnlyNamesOf,
  namesNobody,
  type PersonInput,
  type Relink,
  readPersonName
} from './change.ts'
import { findIdentities, findOrCreateIdentity, relinkRecording } from './relink.store.ts'

/**
 * Checks that all names of a person belong to one person. `relink` refuses a person that does not
 * exist.
 * @throws invalid_input, attr `person`; blank
 */
export async function expectOnePerson(
  scope: Scope,
  person: PersonInput | undefined
): Promise<void> {
  if (person === undefined || namesNobody(person)) {
    return
  }
  const identities = await findIdentities(scope, readPersonName(person))
  const [first] = identities
  if (first) {
    const distinctIds = identities.map(({ distinct_id }) => distinct_id)
    expectOnlyNamesOf({ uuid: first.uuid, distinctIds }, person)
  }
}

/**
 * Assigns a recording to another owner. A distinct id need not exist yet; a person must exist.
 * @throws does_not_exist, attr `person`; invalid_input, attr `distinct_id`, for a distinct id of
 * another person; not_found; unavailable after too many conflicts
 */
export async function relink(scope: Scope, sessionId: string, { distinctId, person }: Relink) {
  const isDone = await retryConflicts(async () => {
    const identity = person
      ? await identityOf(scope, person, distinctId)
      : await findOrCreateIdentity(scope, distinctId)
    return relinkRecording(scope, sessionId, identity)
  })
  if (!isDone) {
    throw new NotFoundError()
  }
}

/**
 * Returns the key of the person's identity that gets the recording: `distinctId`, else the distinct
 * id by which the request names the person, else the person's first.
 * @throws does_not_exist, attr `person`; invalid_input, attr `distinct_id`
 */
async function identityOf(
  scope: Scope,
  person: NonNullable<Relink['person']>,
  distinctId: string | undefined
): Promise<number> {
  const identities = await findIdentities(scope, person)
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
