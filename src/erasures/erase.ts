import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { describeError } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { log } from '../log.ts'
import type { Actor } from '../persons/activity/entry.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import { hashDistinctId } from '../tombstones/tombstone.ts'
import { type CompletionSetting, linkedUntil } from './completions/days.ts'
import { type ErasureEntry, hashForLedger } from './entries.ts'
import {
  findPersonsToErase,
  type PersonToErase,
  type Selection,
  writeErasures
} from './erase.store.ts'
import { type ErasureMessage, messagesFor } from './message.ts'
import { hashForReceipt, saltOf } from './receipts/subject.ts'

/** The persons to erase, whether to delete their events and recordings, and who requested it when. */
type Erasure = {
  selection: Selection
  deleteEvents: boolean
  deleteRecordings: boolean
  actor: Actor
  /** The secret from which the salts of receipts are made. */
  secret: string
  /** For how long what is kept can be deleted later. */
  setting: CompletionSetting
  /** Gets an entry before anything is deleted; undefined if the ledger already names the erasure. */
  ledger: Ledger | undefined
  now: Date
}

/**
 * Deletes the selected persons, their distinct ids and the property values in their activity log, and creates their
 * erasures in the same transaction. The queue then purges versions and recordings at once; the weekly run purges events,
 * if requested.
 * @returns the persons that existed
 */
export async function erasePersons(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: { id: number; erasureSalt: string },
  { selection, secret, setting, ledger, now, ...options }: Erasure
): Promise<PersonToErase[]> {
  let written = ''
  const { persons, erasures } = await retryConflicts(async () => {
    const persons = await findPersonsToErase(db, project.id, selection)
    if (persons.length === 0) {
      return { persons, erasures: [] }
    }
    const requestedAt = now.getTime()
    const identities = []
    const ids = []
    for (const person of persons) {
      const erased = { projectId: project.id, personUuid: person.uuid, requestedAt }
      const salt = await saltOf(secret, erased)
      for (const { key, distinctId } of person.identities) {
        const hash = await hashDistinctId(project.erasureSalt, project.id, distinctId)
        const receiptHash = await hashForReceipt(salt, distinctId)
        ids.push(await hashForLedger(secret, project.id, distinctId))
        identities.push({
          key,
          hash,
          receipt_hash: receiptHash,
          person_id: person.id,
          person_uuid: person.uuid
        })
      }
    }
    const uuids = persons.map(({ uuid }) => uuid)
    const named = [...uuids, ...ids].join()
    if (ledger && named !== written) {
      const { actor, deleteEvents, deleteRecordings } = options
      const entry: ErasureEntry = {
        kind: 'erasure',
        project: project.id,
        persons: uuids,
        ids,
        delete_events: deleteEvents,
        delete_recordings: deleteRecordings,
        requested_at: requestedAt,
        user: actor?.user.id ?? 0,
        key: actor?.key.id ?? 0
      }
      await ledger.append(entry, requestedAt)
      written = named
    }
    const until = linkedUntil(options, setting, requestedAt)
    const erasure = { persons, identities, ...options, linkedUntil: until, now: requestedAt }
    return { persons, erasures: await writeErasures(db, project.id, erasure) }
  })
  try {
    await sendAll(queue, messagesFor(erasures.map((id) => ({ id, project_id: project.id }))))
  } catch (error) {
    log('warn', 'erasures wait for the sweep', {
      project: project.id,
      erasures,
      error: describeError(error)
    })
  }
  return persons
}
