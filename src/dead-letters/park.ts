import * as z from 'zod'
import { deleteObjects, putObject } from '../bucket.ts'
import { SpilledMessage } from '../capture/message.ts'
import { openDb } from '../db/client.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { consumeEach } from '../queues/consume.ts'
import { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { markerOf, RecordingPart } from '../recordings/part.ts'
import { insertDeadLetter } from './store.ts'

type ParkInvocation = Invocation<Pick<Env, 'DB' | 'BUCKET'>>

const HasProject = z.object({ project_id: z.int() })

/**
 * Parks each dead letter as an R2 object with a database row, so that an operator can inspect and
 * redrive it. If parking fails, the queue delivers the dead letter again after its retry delay;
 * parking it twice is harmless.
 */
export const parkDeadLetters = (batch: MessageBatch, invocation: ParkInvocation) =>
  consumeEach(
    batch,
    (message) => park(message, invocation),
    async (message, error) => {
      log('error', 'dead letter not parked', { id: message.id, error: describeError(error) })
      message.retry()
      return 'retried'
    }
  )

async function park(message: Message, { env, usage, clock }: ParkInvocation): Promise<void> {
  const bucket = env.BUCKET
  const { error, attempts, dead } = unwrap(message)
  const spill = SpilledMessage.safeParse(dead).data?.spill
  const content = spill === undefined ? dead : await readObject(bucket, spill)
  if (content === undefined) {
    // The object is gone: another delivery has stored or parked its events, or its request was
    // refused.
    return
  }
  const part = RecordingPart.safeParse(content).data
  const waiting = part ? markerOf(part) : spill
  const id = idOf(part, spill) ?? message.id
  const object = `dead/${id}.json`
  await putObject(bucket, object, JSON.stringify({ error, attempts, dead: content }))
  await insertDeadLetter(openDb(env.DB, usage).db, {
    id,
    object,
    projectId: HasProject.safeParse(content).data?.project_id ?? null,
    error,
    attempts,
    createdAt: clock().getTime()
  })
  if (waiting !== undefined) {
    // Deleted last, because the sweep resends the message only while this object exists.
    await deleteObjects(bucket, [waiting])
  }
}

const unwrap = ({ body, attempts }: Message): DeadMessage =>
  DeadMessage.safeParse(body).data ?? {
    // The platform moved the message here, so `attempts` counts the deliveries of this dead-letter queue.
    error:
      'Every delivery ended without a reason: the consumer probably crashed or ran out of time.',
    attempts,
    dead: body
  }

/**
 * Returns an id that stays the same when the sweep resends the message; undefined for a message
 * that the sweep does not resend. With a new id for each delivery, an interrupted parking would
 * leave an object without a row, which erasures would not find.
 */
function idOf(part: RecordingPart | undefined, spill: string | undefined): string | undefined {
  return part
    ? `${part.project_id}-${part.session_id}-${part.part_id}`
    : spill?.split('/').at(-1)?.replace('.json', '')
}
