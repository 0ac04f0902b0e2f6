import * as z from 'zod'
import type { OpenProject } from '../access/open.ts'
import { AccessEntry } from '../access-log/entry.ts'
import { folderOf, writeEntries } from '../access-log/lines.ts'
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
 * Stores the events, the recording part or the entry of a dead letter, as its consumer would have
 * done. Data that is stored already stays as it is.
 * @returns the number of events, parts or entries stored
 * @throws the reason why it still cannot be stored
 */
export async function redriveDeadLetter(
  letter: DeadLetterRow,
  invocation: RedriveInvocation
): Promise<number> {
  const { env, usage, clock } = invocation
  const message = await readDeadLetter(env.BUCKET, letter.object)
  const open = await openProjectOf(message.project_id, invocation)
  const stored = await store(open, message, invocation)
  await markRedriven(openControl(env, usage).db, letter.id, clock())
  return stored
}

const Redrivable = z.union([CaptureMessage, RecordingPart, AccessEntry])
type Redrivable = z.infer<typeof Redrivable>

async function store(
  open: OpenProject,
  message: Redrivable,
  invocation: RedriveInvocation
): Promise<number> {
  if ('events' in message) {
    return storeEvents(open, message, invocation)
  }
  if ('part_id' in message) {
    return storePart(open, message, invocation)
  }
  await writeEntries(invocation.env.BUCKET, folderOf(message), [message])
  return 1
}

/**
 * Reads the message of a dead letter.
 * @throws ZodError when it is neither events, nor a part of a recording, nor an entry of the access
 * log; Error when its object is missing
 */
async function readDeadLetter(bucket: R2Bucket, object: string): Promise<Redrivable> {
  const content = await readObject(bucket, object)
  if (content === undefined) {
    throw new Error(`The bucket has no object ${object}.`)
  }
  const { dead } = DeadMessage.parse(content)
  return Redrivable.parse(dead)
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
