import { findConflict, openDb, type Usage } from '../db/client.ts'
import { UnavailableError } from '../errors.ts'
import { findProjects } from '../projects/store.ts'
import { type DeadMessage, giveBack, PoisonError } from '../queues/attempt.ts'
import { discard } from '../queues/waiting-objects.ts'
import { type Loaded, loadPart, storeParts } from './ingest.ts'
import { markerOf, RecordingPart } from './part.ts'
import { findUnpurged } from './purge.store.ts'
import { PurgeMessage, purgeRecording } from './purge.ts'

export type RecordingBindings = {
  control: D1Database
  /** The database that a project's row names. */
  database: (name: string) => D1Database
  bucket: R2Bucket
  deadQueue: Queue<DeadMessage>
  retentionDays: number
  clock: () => Date
}

/** D1 allows 1,000 queries an invocation. */
const MAX_QUERIES = 800

type Item = { message: Message; part: Loaded; marker: string }

/**
 * Stores what parts of recordings say, and removes what is left of deleted ones. Each message is acknowledged by itself;
 * one that cannot be processed is tried again later, and in the end goes to the dead-letter queue with the reason.
 * Messages may come twice and in any order.
 * @returns what became of them
 */
export async function consumeRecordings(
  batch: MessageBatch<unknown>,
  bindings: RecordingBindings,
  usage: Usage
) {
  const { bucket, deadQueue } = bindings
  const summary = { messages: batch.messages.length, stored: 0, purged: 0, retried: 0, buried: 0 }
  const fail = async (message: Message, error: unknown) => {
    summary[await giveBack(message, deadQueue, error)] += 1
  }
  const storeOrFail = async (projectId: number, items: Item[]): Promise<void> => {
    try {
      summary.stored += await store(projectId, items, bindings, usage)
    } catch (error) {
      // One message's fault must not become its neighbours': each is tried by itself.
      const isRetried = items.length > 1 && !isCommon(error)
      for (const item of items) {
        await (isRetried ? storeOrFail(projectId, [item]) : fail(item.message, error))
      }
    }
  }

  const items: Item[] = []
  for (const message of batch.messages) {
    try {
      const asked = PurgeMessage.safeParse(message.body).data
      if (asked) {
        summary.purged += await purge(asked, bindings, usage)
        message.ack()
        continue
      }
      const named = readPart(message.body)
      const marker = markerOf(named)
      const part = await loadPart(bucket, named)
      if (part) {
        items.push({ message, part, marker })
      } else {
        message.ack()
        await discard(bucket, [marker])
      }
    } catch (error) {
      await fail(message, error)
    }
  }

  for (const [projectId, own] of Map.groupBy(items, ({ part }) => part.projectId)) {
    await storeOrFail(projectId, own)
  }
  return summary
}

/** Whether every message of the project would fail with this error. */
const isCommon = (error: unknown): boolean =>
  error instanceof UnavailableError ||
  error instanceof PoisonError ||
  findConflict(error) !== undefined

async function store(
  projectId: number,
  items: Item[],
  bindings: RecordingBindings,
  usage: Usage
): Promise<number> {
  const { bucket, retentionDays, clock } = bindings
  const { project, db } = await openProject(projectId, bindings, usage)
  const stored = await storeParts(
    db,
    bucket,
    project,
    items.map(({ part }) => part),
    retentionDays,
    clock().getTime()
  )
  for (const { message } of items) {
    message.ack()
  }
  await discard(
    bucket,
    items.map(({ marker }) => marker)
  )
  return stored
}

async function purge(
  { project_id, purge: sessions }: PurgeMessage,
  bindings: RecordingBindings,
  usage: Usage
) {
  const { db } = await openProject(project_id, bindings, usage)
  const unpurged = await findUnpurged(db, project_id, sessions)
  for (const one of unpurged) {
    if (usage.queries >= MAX_QUERIES) {
      throw new UnavailableError('The rest has to wait for another invocation.')
    }
    await purgeRecording(db, bindings.bucket, one, bindings.clock().getTime())
  }
  return unpurged.length
}

async function openProject(
  projectId: number,
  { control, database }: RecordingBindings,
  usage: Usage
) {
  const [project] = await findProjects(openDb(control, usage).db, [projectId])
  if (!project) {
    throw new PoisonError(`There is no project ${projectId}.`)
  }
  return { project, db: openDb(database(project.database), usage).db }
}

function readPart(body: unknown): RecordingPart {
  const result = RecordingPart.safeParse(body)
  if (result.success) {
    return result.data
  }
  throw new PoisonError(
    `Not a part of a recording: ${result.error.issues.map(({ path }) => path.join('.')).join()}`
  )
}
