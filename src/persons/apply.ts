import { v7 as uuidv7 } from 'uuid'
import type { Scope } from '../access/open.ts'
import { retryConflicts } from '../db/retry.ts'
import { reserveNumbers } from '../db/sequences.ts'
import { NotFoundError } from '../errors.ts'
import { NO_CHANGE, type PersonChange, type PersonSubject, type Request } from './change.ts'
import { chooseSplit, type SplitRequest, splitPerson } from './split.ts'
import type { PersonId } from './store.ts'
import { readSubject, writeChange } from './write.store.ts'

/**
 * Reads a person, applies `change` and writes the result in one transaction. If another request
 * changes the person in between, it starts again, so `change` may run several times.
 * @throws not_found; unavailable when the person keeps changing
 */
export function changePerson(
  scope: Scope,
  id: PersonId,
  change: (subject: PersonSubject) => PersonChange | Promise<PersonChange>
): Promise<PersonSubject & PersonChange> {
  return retryConflicts(async () => {
    const subject = await readSubject(scope, id)
    if (!subject) {
      throw new NotFoundError()
    }
    const changed = await change(subject)
    await writeChange(scope, subject.person, changed)
    return { ...subject, ...changed }
  })
}

/**
 * Splits distinct ids off a person and returns the new persons, one per distinct id.
 * @throws invalid_input, not_found, unavailable
 */
export async function splitApart(
  { db, project }: Scope,
  id: PersonId,
  { request, by }: { request: SplitRequest; by: Request }
): Promise<PersonSubject[]> {
  const { parts } = await changePerson({ db, project }, id, async (subject) => {
    const identities = chooseSplit(subject.identities, request)
    if (identities.length === 0) {
      return NO_CHANGE
    }
    const { person: firstId } = await reserveNumbers(db, { person: identities.length })
    const leaving = identities.map((identity, i) => ({
      identity,
      id: firstId + i,
      uuid: uuidv7({ msecs: by.now })
    }))
    return splitPerson(subject, leaving, by)
  })
  return parts
}
