import * as z from 'zod'
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

const Owned = z.object({ project_id: z.int() })

/**
 * Parks dead letters in the R2 bucket, with a row each, where an operator can look at them and redrive them. A dead letter
 * that cannot be parked now is delivered again after the delay of its queue; a repetition changes nothing.
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
    // The message was repeated, and its events were stored or parked with another delivery.
    return
  }
  const part = RecordingPart.safeParse(content).data
  const waiting = part ? markerOf(part) : spill
  const id = idOf(part, spill) ?? message.id
  const object = `dead/${id}.json`
  await bucket.put(object, JSON.stringify({ error, attempts, dead: content }))
  await insertDeadLetter(openDb(env.DB, usage).db, {
    id,
    object,
    projectId: Owned.safeParse(content).data?.project_id ?? null,
    error,
    attempts,
    createdAt: clock().getTime()
  })
  if (waiting !== undefined) {
    // Last: without this object the sweep sends the message no more.
    await bucket.delete(waiting)
  }
}

const unwrap = ({ body, attempts }: Message): DeadMessage =>
  DeadMessage.safeParse(body).data ?? {
    error: 'The consumer ended without an answer at every delivery.',
    attempts,
    dead: body
  }

/**
 * Returns the id of a dead letter whose message may be sent again, the same for each of its messages; undefined for any
 * other. With a new id each time, parking that was cut off would leave an object without a row, which erasures do not find.
 */
function idOf(part: RecordingPart | undefined, spill: string | undefined): string | undefined {
  return part
    ? `${part.project_id}-${part.session_id}-${part.part_id}`
    : spill?.split('/').at(-1)?.replace('.json', '')
}
