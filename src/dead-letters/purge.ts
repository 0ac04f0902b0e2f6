import { deleteObjects, putObject } from '../bucket.ts'
import { CaptureMessage } from '../capture/message.ts'
import { type Db, openDb } from '../db/client.ts'
import type { OpenProject } from '../projects/open.ts'
import { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { objectOf, RecordingPart } from '../recordings/part.ts'
import { hasPart } from '../recordings/purge.store.ts'
import { findTombstones, noteRows } from '../tombstones/store.ts'
import { hashDistinctId, tombstoneFor } from '../tombstones/tombstone.ts'
import { memberOf } from './noted.ts'
import { type DeadLetterRow, deleteDeadLetter, listDeadLettersOf } from './store.ts'

/** Dead letters that one invocation searches; each is an object to read. */
const LETTERS_AT_ONCE = 50

/**
 * Purges the data of erased persons from the next `LETTERS_AT_ONCE` dead letters of a project, including
 * redriven ones: events if the person was erased together with the events, parts of recordings if the person was
 * erased together with the recordings.
 * @param after the id of the last dead letter of the previous call, '' for the first call
 * @returns the `after` of the next call, or null when all dead letters have been searched
 */
export async function purgeDeadLetters(
  { env, usage }: Invocation<Pick<Env, 'DB' | 'BUCKET'>>,
  { project, db }: OpenProject,
  after: string
): Promise<string | null> {
  const controlDb = openDb(env.DB, usage).db
  const letters = await listDeadLettersOf(controlDb, project.id, after, LETTERS_AT_ONCE)
  const stores = { controlDb, db, bucket: env.BUCKET }
  for (const row of letters) {
    const content = await readObject(env.BUCKET, row.object)
    if (content === undefined) {
      // A purge that deleted the object was interrupted before it deleted the row.
      await deleteDeadLetter(controlDb, row.id)
      continue
    }
    const letter = DeadMessage.safeParse(content).data
    const part = RecordingPart.safeParse(letter?.dead).data
    const message = CaptureMessage.safeParse(letter?.dead).data
    if (part) {
      await purgePart(stores, project, row, part)
    } else if (letter && message) {
      await purgeEvents(stores, project, row, { ...letter, dead: message })
    }
  }
  return letters.length === LETTERS_AT_ONCE ? (letters.at(-1)?.id ?? null) : null
}

type Project = { id: number; erasureSalt: string }
type Stores = { controlDb: Db; db: Db; bucket: R2Bucket }

/**
 * Deletes the dead letter of a recording part, and the part, if its person was erased together with the recordings. A part
 * that was redriven into a recording stays in it: the recording may be another person's, or is purged as a whole.
 */
async function purgePart(
  { controlDb, db, bucket }: Stores,
  { id: projectId, erasureSalt }: Project,
  row: DeadLetterRow,
  part: RecordingPart
): Promise<void> {
  const hash = hashDistinctId(erasureSalt, projectId, part.distinct_id)
  const tombstones = await findTombstones(db, projectId, [hash])
  const tombstone = tombstoneFor(tombstones, part.received_at)
  if (!tombstone?.deletesRecordings) {
    return
  }
  await noteRows(db, projectId, memberOf(row.id), new Map([[tombstone.erasureId, 1]]))
  if (!(await hasPart(db, part, part.part_id))) {
    await deleteObjects(bucket, [objectOf(projectId, part.session_id, part.part_id)])
  }
  await deleteObjects(bucket, [row.object])
  await deleteDeadLetter(controlDb, row.id)
}

/** Removes the events of persons who were erased together with their events from a dead letter, and the dead letter when no event is left. */
async function purgeEvents(
  { controlDb, db, bucket }: Stores,
  { id: projectId, erasureSalt }: Project,
  row: DeadLetterRow,
  letter: DeadMessage & { dead: CaptureMessage }
): Promise<void> {
  const { events, received_at } = letter.dead
  const hashes = new Map<string, string>()
  for (const { distinct_id } of events) {
    hashes.set(distinct_id, hashDistinctId(erasureSalt, projectId, distinct_id))
  }
  const tombstones = await findTombstones(db, projectId, [...hashes.values()])
  const removed = new Map<number, number>()
  const kept = []
  for (const event of events) {
    const own = tombstones.filter(({ hash }) => hash === hashes.get(event.distinct_id))
    const tombstone = tombstoneFor(own, received_at)
    if (tombstone?.deletesEvents) {
      removed.set(tombstone.erasureId, (removed.get(tombstone.erasureId) ?? 0) + 1)
    } else {
      kept.push(event)
    }
  }
  if (removed.size === 0) {
    return
  }
  await noteRows(db, projectId, memberOf(row.id), removed)
  if (kept.length > 0) {
    const rest: DeadMessage = { ...letter, dead: { ...letter.dead, events: kept } }
    await putObject(bucket, row.object, JSON.stringify(rest))
  } else {
    await deleteObjects(bucket, [row.object])
    await deleteDeadLetter(controlDb, row.id)
  }
}
