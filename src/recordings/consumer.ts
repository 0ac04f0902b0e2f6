import type { OpenProject } from '../access/open.ts'
import { UnavailableError } from '../errors.ts'
import { consumeByProject, type Loaded, type WaitingQueue } from '../queues/consume.ts'
import type { DeadMessage } from '../queues/failure.ts'
import { type Invocation, isSpent } from '../queues/invocation.ts'
import { openUpkeepOf, readMessage } from '../queues/message.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { type LoadedPart, loadPart, storeParts } from './ingest.ts'
import { MarkedMessage, markerOf, RecordingPart } from './part.ts'
import { findUnpurged } from './purge.store.ts'
import { PurgeMessage, purgeRecording } from './purge.ts'
import { retentionDaysOf } from './retention.ts'

type RecordingBindings = Pick<Env, 'DB' | 'BUCKET' | 'RECORDING_RETENTION_DAYS'> & {
  RECORDING_QUEUE: WaitingQueue
  DEAD_QUEUE: Queue<DeadMessage>
}

/**
 * Stores parts of recordings, and purges deleted recordings. Messages may arrive twice and in any
 * order.
 * @returns the outcomes of the messages, and the numbers of stored parts and purged recordings
 */
export async function consumeRecordings(
  batch: MessageBatch,
  invocation: Invocation<RecordingBindings>
) {
  const { env, usage, clock } = invocation
  const summary = { stored: 0, purged: 0 }

  async function load({ body }: Message): Promise<Loaded<LoadedPart>> {
    const purge = PurgeMessage.safeParse(body).data
    // Purges are done here because `store` is not called while the project is held back: see
    // `access/hold.ts`.
    if (purge) {
      await purgeRecordings(purge)
      return {}
    }
    const key = MarkedMessage.safeParse(body).data?.marker
    const content = key === undefined ? body : await readObject(env.BUCKET, key)
    if (content === undefined) {
      // Another delivery has processed the part, and deleted its marker.
      return {}
    }
    const message = readMessage(RecordingPart, 'a part of a recording', content)
    const marker = key ?? markerOf(message)
    const part = await loadPart(env.BUCKET, message)
    // If the part's object is missing, nothing is left to store: the message is acknowledged and
    // its marker deleted.
    return part
      ? { work: { projectId: part.projectId, content: part }, waiting: marker }
      : { waiting: marker }
  }

  /** @throws unavailable when the queries end before all recordings are purged */
  async function purgeRecordings({ project_id, purge: sessions }: PurgeMessage): Promise<void> {
    const { db } = await openUpkeepOf(project_id, invocation)
    for (const recording of await findUnpurged({ db, project: { id: project_id } }, sessions)) {
      if (isSpent(usage)) {
        throw new UnavailableError(
          'This invocation has used up its queries; the remaining recordings are purged when the message is retried.'
        )
      }
      await purgeRecording(db, env.BUCKET, recording, clock().getTime())
      summary.purged += 1
    }
  }

  async function store({ project, db }: OpenProject, parts: LoadedPart[]): Promise<void> {
    summary.stored += await storeParts({
      db,
      bucket: env.BUCKET,
      project,
      parts,
      retentionDays: retentionDaysOf(project, env),
      now: clock().getTime()
    })
  }

  const outcome = await consumeByProject(batch, invocation, {
    queue: env.RECORDING_QUEUE,
    load,
    // A batch has at most 10 parts (`max_batch_size`), of which only the summaries are in memory.
    isTooMuch: () => false,
    store
  })
  return { ...outcome, ...summary }
}
