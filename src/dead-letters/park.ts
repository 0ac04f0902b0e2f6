import * as z from 'zod'
import { deleteObjects, putObject } from '../bucket.ts'
import { SpilledMessage } from '../capture/message.ts'
import { openControl } from '../db/client.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { consumeEach } from '../queues/consume.ts'
import { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { jsonOrText, MARKER_PREFIX, readText, readWaitingKey } from '../queues/waiting-objects.ts'
import { MarkedMessage, markerOf } from '../recordings/part.ts'
import { readContent } from './content.ts'
import { insertDeadLetter } from './store.ts'

type ParkInvocation = Invocation<Pick<Env, 'DB' | 'BUCKET'>>

/** The prefix of the keys of dead letters in the bucket. */
export const DEAD_PREFIX = 'dead/'

const HasProject = z.object({ project_id: z.int() })

/**
 * Parks each dead letter as an R2 object with a database row, so that an operator can inspect and
 * redrive it. If parking fails, the queue delivers the dead letter again after its retry delay;
 * parking it twice is harmless.
 */
export const parkDeadLetters = (batch: MessageBatch, invocation: ParkInvocation) =>
  consumeEach(
    batch,
    (message) => parkMessage(message, invocation),
    async (message, error) => {
      log('error', 'dead letter not parked', { id: message.id, error: describeError(error) })
      message.retry()
      return 'retried'
    }
  )

async function parkMessage(message: Message, invocation: ParkInvocation): Promise<void> {
  const { dead, ...why } = unwrap(message)
  const key =
    SpilledMessage.safeParse(dead).data?.spill ?? MarkedMessage.safeParse(dead).data?.marker
  if (key !== undefined) {
    await parkWaiting(key, why, invocation)
    return
  }
  const content = readContent(dead)
  const waiting = 'part' in content ? markerOf(content.part) : undefined
  await park({ id: idOf(waiting) ?? message.id, ...why, dead, waiting }, invocation)
}

/**
 * Parks the message of a waiting object, whether or not it can be read, and deletes the object.
 * Does nothing if the object is gone: its message was stored, parked or refused in the meantime.
 */
export async function parkWaiting(
  key: string,
  why: Pick<DeadMessage, 'error' | 'attempts'>,
  invocation: ParkInvocation
): Promise<void> {
  const text = await readText(invocation.env.BUCKET, key)
  if (text !== undefined) {
    const id = idOf(key) ?? key.replaceAll('/', '-')
    const json = jsonOrText(text)
    // What cannot be read stays as it is.
    const dead = 'isUnreadable' in readContent(json) ? text : json
    await park({ id, ...why, dead, waiting: key }, invocation)
  }
}

type Letter = Omit<DeadMessage, 'waited_as'> & { id: string; waiting: string | undefined }

async function park(
  { id, error, attempts, dead, waiting }: Letter,
  { env, usage, clock }: ParkInvocation
): Promise<void> {
  const object = `${DEAD_PREFIX}${id}.json`
  const isUnreadable = 'isUnreadable' in readContent(dead)
  const letter: DeadMessage = {
    error,
    attempts,
    dead,
    ...(isUnreadable && waiting !== undefined && { waited_as: waiting })
  }
  await putObject(env.BUCKET, object, JSON.stringify(letter))
  const projectId = waiting === undefined ? undefined : readWaitingKey(waiting)?.projectId
  await insertDeadLetter(openControl(env, usage).db, {
    id,
    object,
    projectId: projectId ?? HasProject.safeParse(dead).data?.project_id ?? null,
    error,
    attempts,
    createdAt: clock().getTime()
  })
  if (waiting !== undefined) {
    // Deleted last, because the sweep resends the message only while this object exists.
    await deleteObjects(env.BUCKET, [waiting])
  }
}

const unwrap = ({ body, attempts }: Message): DeadMessage =>
  DeadMessage.safeParse(body).data ?? {
    // The platform moved the message here, so `attempts` counts the deliveries of this dead-letter
    // queue.
    error:
      'Every delivery ended without a reason: the consumer probably crashed or ran out of time.',
    attempts,
    dead: body
  }

/**
 * Returns an id that stays the same when the sweep resends the message of a waiting object;
 * undefined without one. With a new id for each delivery, an interrupted parking would leave an
 * object without a row, which erasures would not find.
 */
function idOf(waiting: string | undefined): string | undefined {
  const parts = waiting === undefined ? undefined : readWaitingKey(waiting)
  if (!parts) {
    return undefined
  }
  const { projectId, name } = parts
  return waiting?.startsWith(MARKER_PREFIX) ? `${projectId}-${name.replaceAll('/', '-')}` : name
}
