import * as z from 'zod'
import type { OpenProject } from '../access/open.ts'
import { incomingOf } from '../capture/changes.ts'
import { ingestEvents } from '../capture/ingest.ts'
import { CaptureMessage } from '../capture/message.ts'
import { joinLogOf } from '../capture/suppressed-ids.ts'
import { openControl } from '../db/client.ts'
import { DeadMessage } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { openProjectOf } from '../queues/message.ts'
import { readObject } from '../queues/waiting-objects.ts'
import { loadPart, storeParts } from '../recordings/ingest.ts'
import { RecordingPart } from '../recordings/part.ts'
import { retentionDaysOf } from '../recordings/retention.ts'
import { type DeadLetterRow, markRedriven } from './store.ts'

type RedriveInvocation = Invocation<Pick<Env, 'DB' | 'BUCKET' | 'RECORDING_RETENTION_DAYS'>>

/**
 * Stores the events or the recording part of a dead letter, as its consumer would have done. Data
 * that is stored already stays as it is.
 * @returns the number of events or parts stored
 * @throws the reason why it still cannot be stored
 */
export async function redriveDeadLetter(
  letter: DeadLetterRow,
  invocation: RedriveInvocation
): Promise<number> {
  const { env, usage, clock } = invocation
  const message = await readDeadLetter(env.BUCKET, letter.object)
  const open = await openProjectOf(message.project_id, invocation)
  const stored =
    'events' in message
      ? await storeEvents(open, message, invocation)
      : await storePart(open, message, invocation)
  await markRedriven(openControl(env, usage).db, letter.id, clock())
  return stored
}

/**
 * Reads the message of a dead letter.
 * @throws ZodError when it is neither events nor a part of a recording, Error when its object is
 * missing
 */
async function readDeadLetter(
  bucket: R2Bucket,
  object: string
): Promise<CaptureMessage | RecordingPart> {
  const content = await readObject(bucket, object)
  if (content === undefined) {
    throw new Error(`The bucket has no object ${object}.`)
  }
  const { dead } = DeadMessage.parse(content)
  return z.union([CaptureMessage, RecordingPart]).parse(dead)
}

async function storeEvents(
  { project, db }: OpenProject,
  message: CaptureMessage,
  { env, clock }: RedriveInvocation
): Promise<number> {
  const { stored } = await ingestEvents(
    db,
    project,
    incomingOf(message),
    joinLogOf({ db, bucket: env.BUCKET, projectId: project.id, clock })
  )
  return stored
}

/** @returns 0 if the recording has been deleted in the meantime */
async function storePart(
  { project, db }: OpenProject,
  message: RecordingPart,
  { env, clock }: RedriveInvocation
): Promise<number> {
  const part = await loadPart(env.BUCKET, message)
  if (!part) {
    return 0
  }
  return storeParts({
    db,
    bucket: env.BUCKET,
    project,
    parts: [part],
    retentionDays: retentionDaysOf(project, env),
    now: clock().getTime()
  })
}
