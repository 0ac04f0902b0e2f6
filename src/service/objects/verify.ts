import { listProjects } from '../../access/store.ts'
import { type ControlDb, type Db, newUsage, openControl, openDb } from '../../db/client.ts'
import { databaseOf } from '../../db/databases.ts'
import { findListFault } from '../../erasures/events/list.ts'
import { readGivenUp } from '../../ledger/given-up.ts'
import { readChecked } from '../../queues/checked.ts'
import { objectOf, prefixOf } from '../../recordings/part.ts'
import { forEach, isIntactGzip } from './content.ts'
import { type Names, OBJECT_KINDS, type ObjectKind, prefixOfKind } from './kinds.ts'
import { ObjectTally, type VerifiedBucket } from './tally.ts'
import {
  isWaitingDead,
  listRecordingKeys,
  listRemovalLists,
  listWaitingDead,
  type RecordingKey,
  readStoredParts
} from './verify.store.ts'

/*
 * Compares the bucket with the databases, in both directions: each object that a row names has to
 * be there and intact, and each object in the bucket has to be named. The service may be running:
 * an object counts as missing only if its row is still there after that.
 */

const ROWS_AT_ONCE = 500
/** Objects read at a time; R2 answers six requests of a Worker at once. */
const OBJECTS_AT_ONCE = 6

type Input = {
  bucket: R2Bucket
  env: Pick<Env, 'DB'>
  databases: readonly string[]
  now: Date
  /** Called with a few words about the progress. */
  onProgress?: (text: string) => void
}

type Verification = { bucket: R2Bucket; tally: ObjectTally; say: (text: string) => void }

/** Compares the bucket with the databases. Reads every object, a few at a time. */
export async function verifyBucket(input: Input): Promise<VerifiedBucket> {
  const { bucket, env, databases, now, onProgress: say = () => {} } = input
  const open = (name: string) => openDb(databaseOf(env, name), newUsage()).db
  const control = openControl(env, newUsage()).db
  const projects = await listProjects(control)
  const names: Names = {
    control,
    databaseOf: new Map(projects.map(({ id, database }) => [id, open(database)])),
    now: now.getTime()
  }
  const verification = { bucket, tally: new ObjectTally(), say }
  await verifyObjects(verification, names)
  await verifyDeadLetters(verification, control)
  for (const database of databases) {
    await verifyLists(verification, open(database))
    await verifyRecordings(verification, open(database))
  }
  return verification.tally.result()
}

async function verifyObjects(verification: Verification, names: Names): Promise<void> {
  const { bucket, tally, say } = verification
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const page: R2Objects = await bucket.list(cursor === undefined ? {} : { cursor })
    tally.addObjects(page.objects.length)
    say(`bucket: ${tally.objects} objects`)
    for (const [prefix, objects] of Map.groupBy(page.objects, ({ key }) => prefixOfKind(key))) {
      await verifyKind(verification, names, { kind: OBJECT_KINDS[prefix ?? ''], objects })
    }
    isMore = page.truncated
    cursor = page.truncated ? page.cursor : undefined
  }
}

async function verifyKind(
  { bucket, tally }: Verification,
  names: Names,
  { kind, objects }: { kind: ObjectKind | undefined; objects: R2Object[] }
): Promise<void> {
  const keys = objects.map(({ key }) => key)
  if (!kind) {
    tally.addUnnamed(keys)
    return
  }
  const { isIntact, findUnnamed } = kind
  tally.addUnnamed((await findUnnamed?.(names, objects)) ?? [])
  if (!isIntact) {
    return
  }
  await forEach(keys, OBJECTS_AT_ONCE, async (key) => {
    const content = await readChecked(bucket, key)
    // An object that is gone has been processed in the meantime.
    if (content && !(content.isIntact && (await isIntact(content.bytes, key)))) {
      tally.addWrong(key, 'damaged')
    }
  })
}

async function verifyDeadLetters(
  { bucket, tally }: Verification,
  control: ControlDb
): Promise<void> {
  for await (const rows of pagesOf(
    (after: string) => listWaitingDead(control, after, ROWS_AT_ONCE),
    '',
    ({ id }) => id
  )) {
    await forEach(rows, OBJECTS_AT_ONCE, async ({ id, object }) => {
      if ((await bucket.head(object)) === null && (await isWaitingDead(control, id))) {
        tally.addWrong(object, 'missing')
      }
    })
  }
}

/** Compares the lists of deletions of events with the digests in their rows. */
async function verifyLists({ bucket, tally }: Verification, db: Db): Promise<void> {
  const givenUp = await readGivenUp(bucket)
  for await (const rows of pagesOf(
    (after: string) => listRemovalLists(db, after, ROWS_AT_ONCE),
    '',
    ({ id }) => id
  )) {
    for (const removal of rows) {
      const fault = await findListFault(bucket, removal)
      if (fault && !givenUp.has(fault.key)) {
        const isThere = (await bucket.head(fault.key)) !== null
        tally.addWrong(fault.key, isThere ? 'damaged' : 'missing')
      }
    }
  }
}

async function verifyRecordings(verification: Verification, db: Db): Promise<void> {
  let count = 0
  const pages = pagesOf(
    (after: RecordingKey) => listRecordingKeys(db, after, ROWS_AT_ONCE),
    { project_id: 0, session_id: '' },
    (recording) => recording
  )
  for await (const rows of pages) {
    for (const recording of rows) {
      await verifyRecording(verification, db, recording)
    }
    count += rows.length
    verification.say(`bucket: ${count} recordings`)
  }
}

async function verifyRecording(
  { bucket, tally }: Verification,
  db: Db,
  recording: RecordingKey
): Promise<void> {
  const { project_id, session_id } = recording
  const read = await readStoredParts(db, recording)
  if (!read) {
    return
  }
  let bytes = 0
  const wrong: Parameters<ObjectTally['addWrong']>[] = []
  await forEach(read.parts, OBJECTS_AT_ONCE, async (part) => {
    const key = objectOf(project_id, session_id, part)
    const content = await readChecked(bucket, key)
    if (!content) {
      wrong.push([key, 'missing'])
    } else if (!(content.isIntact && (await isIntactGzip(content.bytes)))) {
      wrong.push([key, 'damaged'])
    }
    bytes += content?.size ?? 0
  })
  if (wrong.length === 0 && bytes !== read.bytes) {
    wrong.push([prefixOf(project_id, session_id), 'wrong size'])
  }
  if (wrong.length > 0 && (await readStoredParts(db, recording))) {
    for (const [key, fault] of wrong) {
      tally.addWrong(key, fault)
    }
  }
}

/** Yields pages of rows, each after the place of the last row of the page before. */
async function* pagesOf<Row, Place>(
  list: (after: Place) => Promise<Row[]>,
  first: Place,
  placeOf: (row: Row) => Place
): AsyncGenerator<Row[]> {
  let after: Place | undefined = first
  while (after !== undefined) {
    const rows: Row[] = await list(after)
    const last: Row | undefined = rows.at(-1)
    after = last && placeOf(last)
    if (last) {
      yield rows
    }
  }
}
