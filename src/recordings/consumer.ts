import { type DeadMessage, giveBack, PoisonError } from '../capture/dead.ts'
import { findConflict, openDb, type Usage } from '../db/client.ts'
import { UnavailableError } from '../errors.ts'
import { findProjects } from '../projects/store.ts'
import { loadPart, storeParts } from './ingest.ts'
import { RecordingPart } from './part.ts'
import type { Incoming } from './plan.ts'

export type RecordingBindings = {
  control: D1Database
  /** The database that a project's row names. */
  database: (name: string) => D1Database
  bucket: R2Bucket
  deadQueue: Queue<DeadMessage>
  clock: () => Date
}

type Item = { message: Message; part: Incoming }

/**
 * Stores what parts of recordings say. Each message is acknowledged by itself; one that cannot be processed is tried
 * again later, and in the end goes to the dead-letter queue with the reason. Messages may come twice and in any order.
 * @returns what became of them
 */
export async function consumeRecordings(batch: MessageBatch<unknown>, bindings: RecordingBindings, usage: Usage) {
  const { bucket, deadQueue } = bindings
  const summary = { messages: batch.messages.length, stored: 0, retried: 0, buried: 0 }
  const fail = async (message: Message, error: unknown) => {
    summary[await giveBack(message, deadQueue, error)] += 1
  }
  const byProject = new Map<number, Item[]>()
  for (const message of batch.messages)
    try {
      const part = readPart(message.body)
      const incoming = await loadPart(bucket, part)
      if (incoming)
        byProject.set(part.project_id, [...(byProject.get(part.project_id) ?? []), { message, part: incoming }])
      else message.ack()
    } catch (error) {
      await fail(message, error)
    }

  for (const [projectId, items] of byProject)
    try {
      summary.stored += await store(projectId, items, bindings, usage)
    } catch (error) {
      const isCommon = error instanceof UnavailableError || error instanceof PoisonError || findConflict(error)
      for (const item of items)
        try {
          // One message's fault must not become its neighbours': each is tried by itself.
          if (isCommon || items.length === 1) throw error
          summary.stored += await store(projectId, [item], bindings, usage)
        } catch (own) {
          await fail(item.message, own)
        }
    }
  return summary
}

async function store(projectId: number, items: Item[], bindings: RecordingBindings, usage: Usage): Promise<number> {
  const { control, database, bucket, clock } = bindings
  const [project] = await findProjects(openDb(control, usage).db, [projectId])
  if (!project) throw new PoisonError(`There is no project ${projectId}.`)
  const { db } = openDb(database(project.database), usage)
  const stored = await storeParts(
    db,
    bucket,
    project,
    items.map(({ part }) => part),
    clock().getTime()
  )
  for (const { message } of items) message.ack()
  return stored
}

function readPart(body: unknown): RecordingPart {
  const result = RecordingPart.safeParse(body)
  if (result.success) return result.data
  throw new PoisonError(`Not a part of a recording: ${result.error.issues.map(({ path }) => path.join('.')).join()}`)
}
