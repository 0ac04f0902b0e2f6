import { CaptureMessage } from '../capture/message.ts'
import { type Db, openDb, type Usage } from '../db/client.ts'
import { DeadMessage } from '../queues/attempt.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { objectOf, RecordingPart } from '../recordings/part.ts'
import { countRemoved, findTombstones } from '../tombstones/store.ts'
import { hashDistinctId, tombstoneFor } from '../tombstones/tombstone.ts'
import { type DeadLetterRow, deleteDeadLetter, listDeadLettersOf } from './store.ts'

const LETTERS_AT_ONCE = 50

type Project = { id: number; erasureSalt: string }

/**
 * Takes the events and recordings of erased persons out of some of a project's parked messages, those driven again included.
 * @param after the last letter that was looked through, '' for none
 * @returns the last one now, or null when all were looked through
 */
export async function forgetInDeadLetters(
  { control, bucket }: { control: D1Database; bucket: R2Bucket },
  db: Db,
  project: Project,
  after: string,
  usage: Usage
): Promise<string | null> {
  const controlDb = openDb(control, usage).db
  const letters = await listDeadLettersOf(controlDb, project.id, after, LETTERS_AT_ONCE)
  const stores = { controlDb, db, bucket }
  for (const row of letters) {
    const letter = DeadMessage.safeParse(await readObject(bucket, row.object)).data
    const part = RecordingPart.safeParse(letter?.dead).data
    const message = CaptureMessage.safeParse(letter?.dead).data
    if (part) {
      await forgetPart(stores, project, row, part)
    } else if (letter && message) {
      await forgetEvents(stores, project, row, { ...letter, dead: message })
    }
  }
  return letters.length === LETTERS_AT_ONCE ? (letters.at(-1)?.id ?? null) : null
}

type Stores = { controlDb: Db; db: Db; bucket: R2Bucket }

async function forgetPart(
  { controlDb, db, bucket }: Stores,
  { id: projectId, erasureSalt }: Project,
  row: DeadLetterRow,
  part: RecordingPart
): Promise<void> {
  const hash = await hashDistinctId(erasureSalt, projectId, part.distinct_id)
  const tombstones = await findTombstones(db, projectId, [hash])
  const erasure = tombstoneFor(tombstones, part.received_at)?.erasureId
  if (erasure === undefined) {
    return
  }
  await bucket.delete([objectOf(projectId, part.session_id, part.part_id), row.object])
  await deleteDeadLetter(controlDb, row.id)
  await countRemoved(db, projectId, 'dead_letters', new Map([[erasure, 1]]))
}

/** Removes the events of erased persons from a dead letter, and the dead letter when no event is left. */
async function forgetEvents(
  { controlDb, db, bucket }: Stores,
  { id: projectId, erasureSalt }: Project,
  row: DeadLetterRow,
  letter: DeadMessage & { dead: CaptureMessage }
): Promise<void> {
  const { events, received_at } = letter.dead
  const hashes = new Map<string, string>()
  for (const { distinct_id } of events) {
    hashes.set(distinct_id, await hashDistinctId(erasureSalt, projectId, distinct_id))
  }
  const tombstones = await findTombstones(db, projectId, [...hashes.values()])
  const removed = new Map<number, number>()
  const kept = []
  for (const event of events) {
    const own = tombstones.filter(({ hash }) => hash === hashes.get(event.distinct_id))
    const erasure = tombstoneFor(own, received_at)?.erasureId
    if (erasure === undefined) {
      kept.push(event)
    } else {
      removed.set(erasure, (removed.get(erasure) ?? 0) + 1)
    }
  }
  if (removed.size === 0) {
    return
  }
  if (kept.length > 0) {
    const rest: DeadMessage = { ...letter, dead: { ...letter.dead, events: kept } }
    await bucket.put(row.object, JSON.stringify(rest))
  } else {
    await bucket.delete(row.object)
    await deleteDeadLetter(controlDb, row.id)
  }
  await countRemoved(db, projectId, 'dead_letters', removed)
}
