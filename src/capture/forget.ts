import { type Db, openDb, type Usage } from '../db/client.ts'
import { countRemoved } from '../erasures/removal/store.ts'
import { buriedUnder, hashDistinctId } from '../erasures/tombstone.ts'
import { findTombstones } from '../erasures/tombstones/store.ts'
import { objectOf, RecordingPart } from '../recordings/part.ts'
import { DeadMessage, readObject } from './dead.ts'
import { CaptureMessage } from './message.ts'
import { deleteDeadLetter, listDeadLettersOf } from './store.ts'

const LETTERS_AT_ONCE = 50

/**
 * Takes the events and recordings of erased persons out of some of a project's parked messages, those driven again included.
 * @param after the last letter that was looked through, '' for none
 * @returns the last one now, or null when all were looked through
 */
export async function forgetInDeadLetters(
  { control, bucket }: { control: D1Database; bucket: R2Bucket },
  db: Db,
  project: { id: number; erasureSalt: string },
  after: string,
  usage: Usage
): Promise<string | null> {
  const controlDb = openDb(control, usage).db
  const letters = await listDeadLettersOf(controlDb, project.id, after, LETTERS_AT_ONCE)
  for (const { id, object } of letters) {
    const letter = DeadMessage.safeParse(await readObject(bucket, object)).data
    if (!letter) {
      continue
    }
    const part = RecordingPart.safeParse(letter.dead).data
    if (part) {
      const hash = await hashDistinctId(project.erasureSalt, project.id, part.distinct_id)
      const erasure = buriedUnder(
        await findTombstones(db, project.id, [hash]),
        part.received_at
      )?.erasureId
      if (erasure === undefined) {
        continue
      }
      await bucket.delete([objectOf(project.id, part.session_id, part.part_id), object])
      await deleteDeadLetter(controlDb, id)
      await countRemoved(db, project.id, 'dead_letters', new Map([[erasure, 1]]))
    }
    const message = CaptureMessage.safeParse(letter.dead).data
    if (!message) {
      continue
    }
    const removed = new Map<number, number>()
    const kept = []
    const hashes = new Map<string, string>()
    for (const { distinct_id } of message.events) {
      hashes.set(distinct_id, await hashDistinctId(project.erasureSalt, project.id, distinct_id))
    }
    const tombstones = await findTombstones(db, project.id, [...hashes.values()])
    for (const event of message.events) {
      const own = tombstones.filter(({ hash }) => hash === hashes.get(event.distinct_id))
      const erasure = buriedUnder(own, message.received_at)?.erasureId
      if (erasure === undefined) {
        kept.push(event)
      } else {
        removed.set(erasure, (removed.get(erasure) ?? 0) + 1)
      }
    }
    if (removed.size === 0) {
      continue
    }
    if (kept.length > 0) {
      await bucket.put(
        object,
        JSON.stringify({ ...letter, dead: { ...message, events: kept } } satisfies DeadMessage)
      )
    } else {
      await bucket.delete(object)
      await deleteDeadLetter(controlDb, id)
    }
    await countRemoved(db, project.id, 'dead_letters', removed)
  }
  return letters.length === LETTERS_AT_ONCE ? (letters.at(-1)?.id ?? null) : null
}
