import { UnavailableError } from '../errors.ts'
import type { OpenProject } from '../projects/open.ts'
import { consumeByProject, type Loaded, type Waiting } from '../queues/consume.ts'
import type { DeadMessage } from '../queues/failure.ts'
import { type Invocation, isSpent } from '../queues/invocation.ts'
import { openUpkeepOf, readMessage } from '../queues/message.ts'
import { type Loaded as LoadedPart, loadPart, storeParts } from './ingest.ts'
import { markerOf, RecordingPart } from './part.ts'
import { findUnpurged } from './purge.store.ts'
import { PurgeMessage, purgeRecording } from './purge.ts'
import { retentionDaysOf } from './retention.ts'

type RecordingBindings = Pick<Env, 'DB' | 'BUCKET' | 'RECORDING_RETENTION_DAYS'> & {
  RECORDING_QUEUE: Waiting
  DEAD_QUEUE: Queue<DeadMessage>
}

/**
 * Stores parts of recordings, and purges deleted recordings. Messages may arrive twice and in any
 * order.
 * @returns the outcome of the messages
 */
export async function consumeRecordings(
  batch: MessageBatch,
  invocation: Invocation<RecordingBindings>
) {
  const { env, clock } = invocation
  const summary = { stored: 0, purged: 0 }

  async function load({ body }: Message): Promise<Loaded<LoadedPart>> {
    const purge = PurgeMessage.safeParse(body).data
    if (purge) {
      summary.purged += await purgeRecordings(purge, invocation)
      return {}
    }
    const named = readMessage(RecordingPart, 'a part of a recording', body)
    const waiting = markerOf(named)
    const part = await loadPart(env.BUCKET, named)
    return part ? { work: { projectId: part.projectId, content: part }, waiting } : { waiting }
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
    isTooMuch: () => false,
    store
  })
  return { ...outcome, ...summary }
}

/**
 * @returns the number of purged recordings. @throws unavailable when the rest must wait for another
 * invocation
 */
async function purgeRecordings(
  { project_id, purge: sessions }: PurgeMessage,
  invocation: Invocation<RecordingBindings>
): Promise<number> {
  const { env, usage, clock } = invocation
  const { db } = await openUpkeepOf(project_id, invocation)
  const unpurged = await findUnpurged(db, project_id, sessions)
  for (const recording of unpurged) {
    if (isSpent(usage)) {
      throw new UnavailableError('The rest has to wait for another invocation.')
    }
    await purgeRecording(db, env.BUCKET, recording, clock().getTime())
  }
  return unpurged.length
}
