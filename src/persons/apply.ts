import { ConflictError, type Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { NotFoundError, UnavailableError } from '../errors.ts'
import type { PersonChange, Subject } from './change.ts'
import type { PersonId } from './store.ts'
import { readSubject, writeChange } from './write/store.ts'

/**
 * Has `change` change a person, and writes the outcome in one transaction. What others change in between is noticed, and
 * the work is done again from a new reading.
 * @throws not_found, unavailable when others change it on and on
 */
export async function changePerson<Change extends PersonChange>(
  db: Db,
  projectId: number,
  id: PersonId,
  change: (subject: Subject) => Change | Promise<Change>
): Promise<Subject & Change> {
  try {
    return await retryConflicts(async () => {
      const subject = await readSubject(db, projectId, id)
      if (!subject) throw new NotFoundError()
      const changed = await change(subject)
      await writeChange(db, projectId, subject.person, changed)
      return { ...subject, ...changed }
    })
  } catch (error) {
    if (error instanceof ConflictError) throw new UnavailableError('Others are changing this person.', error)
    throw error
  }
}
