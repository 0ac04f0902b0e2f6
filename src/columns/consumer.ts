import { consumeEach } from '../queues/consume.ts'
import { retryOrDrop } from '../queues/failure.ts'
import { type Invocation, isSpent } from '../queues/invocation.ts'
import { openUpkeepOf, readMessage } from '../queues/message.ts'
import { buildChunks } from './chunks.ts'
import { ColumnsMessage } from './message.ts'
import { MAX_SEALING_QUERIES, sealEvents } from './seal.ts'

type ColumnsInvocation = Invocation<
  Pick<Env, 'DB'> & { COLUMNS_QUEUE: { send(body: ColumnsMessage): Promise<unknown> } }
>

/**
 * Builds chunks of actors and of their versions, and seals segments, up to `MAX_SEALING_QUERIES` per
 * invocation; the rest goes into a new message. Messages may be delivered twice, concurrently and
 * in any order, and a run may be interrupted anywhere.
 * @returns the outcome of the messages, and the numbers of chunks, segments and events
 */
export async function consumeColumns(batch: MessageBatch, invocation: ColumnsInvocation) {
  const built = { chunks: 0, segments: 0, events: 0 }
  const outcome = await consumeEach(
    batch,
    async ({ body }) => {
      const message = readMessage(ColumnsMessage, 'a message about columns', body)
      const { chunks, segments, events } = await continueSealing(message, invocation)
      built.chunks += chunks
      built.segments += segments
      built.events += events
    },
    retryOrDrop(batch.queue)
  )
  return { ...outcome, ...built }
}

/** Builds a message's chunks and seals its names; sends a message for what is left. */
export async function continueSealing(message: ColumnsMessage, invocation: ColumnsInvocation) {
  const { env, usage, clock } = invocation
  const { project, db } = await openUpkeepOf(message.project_id, invocation)
  let built = 0
  for (const chunk of message.chunks) {
    if (isSpent(usage, MAX_SEALING_QUERIES)) {
      await env.COLUMNS_QUEUE.send({ ...message, chunks: message.chunks.slice(built) })
      return { chunks: built, segments: 0, events: 0 }
    }
    await buildChunks(db, { project_id: project.id, chunk })
    built += 1
  }
  const kinds = message.names.map((event_id) => ({ project_id: project.id, event_id }))
  const sealing = { db, usage, clock, minLate: message.min_late }
  const { segments, events, left } = await sealEvents(kinds, sealing)
  // Without progress no message is sent: a later run of the cron tries again.
  if (left.length > 0 && built + segments + (kinds.length - left.length) > 0) {
    await env.COLUMNS_QUEUE.send({
      ...message,
      chunks: [],
      names: left.map(({ event_id }) => event_id)
    })
  }
  return { chunks: built, segments, events }
}
