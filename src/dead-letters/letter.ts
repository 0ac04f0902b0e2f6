import * as z from 'zod'
import { CaptureMessage, SpilledMessage } from '../capture/message.ts'
import type { Db } from '../db/client.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { DeadMessage } from '../queues/attempt.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { markerOf, RecordingPart } from '../recordings/part.ts'
import { insertDeadLetter } from './store.ts'

const Owned = z.object({ project_id: z.int() })

/**
 * Parks messages in R2, with a row each, where they can be looked at and driven again. A repetition changes nothing. Only
 * then the object goes by which the sweep would send a message again.
 * @returns what became of them
 */
export async function parkDeadLetters(
  batch: MessageBatch<unknown>,
  db: Db,
  bucket: R2Bucket,
  now: Date
) {
  const summary = { parked: 0, retried: 0 }
  for (const message of batch.messages) {
    try {
      await park(message, db, bucket, now)
      message.ack()
      summary.parked += 1
    } catch (error) {
      log('error', 'dead letter not parked', { id: message.id, error: describeError(error) })
      message.retry()
      summary.retried += 1
    }
  }
  return summary
}

async function park(message: Message, db: Db, bucket: R2Bucket, now: Date): Promise<void> {
  const wrapped = DeadMessage.safeParse(message.body).data
  const { error, attempts, dead } = wrapped ?? {
    error: 'The consumer ended without an answer at every delivery.',
    attempts: message.attempts,
    dead: message.body
  }
  const spill = SpilledMessage.safeParse(dead).data?.spill
  const content = spill === undefined ? dead : await readObject(bucket, spill)
  if (content === undefined) {
    // Stored or parked meanwhile: a lost or late message is sent again.
    return
  }
  const part = RecordingPart.safeParse(content).data
  const waiting = part ? markerOf(part) : spill
  const id = nameLetter(part, spill) ?? message.id
  const object = `dead/${id}.json`
  await bucket.put(object, JSON.stringify({ error, attempts, dead: content }))
  const projectId = Owned.safeParse(content).data?.project_id ?? null
  await insertDeadLetter(db, {
    id,
    object,
    projectId,
    error,
    attempts,
    createdAt: now.getTime()
  })
  if (waiting !== undefined) {
    await bucket.delete(waiting)
  }
}

/**
 * The id of a dead letter whose message may be sent again, the same for each of its messages: where the parking of one was
 * cut off, an object without a row would be out of reach of erasures.
 */
function nameLetter(
  part: RecordingPart | undefined,
  spill: string | undefined
): string | undefined {
  return part
    ? `${part.project_id}-${part.session_id}-${part.part_id}`
    : spill?.split('/').at(-1)?.replace('.json', '')
}

/** The message of a parked dead letter. @throws when it is none that can be driven again */
export async function readDeadLetter(
  bucket: R2Bucket,
  object: string
): Promise<CaptureMessage | RecordingPart> {
  return z
    .union([CaptureMessage, RecordingPart])
    .parse(DeadMessage.parse(await readObject(bucket, object)).dead)
}
