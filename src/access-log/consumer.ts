import { type BatchOutcome, consumeEach } from '../queues/consume.ts'
import { type DeadMessage, retryOrDeadLetter } from '../queues/failure.ts'
import type { Invocation } from '../queues/invocation.ts'
import { readMessage } from '../queues/message.ts'
import { AccessEntry } from './entry.ts'
import { folderOf, writeEntries } from './lines.ts'

type AccessBindings = Pick<Env, 'BUCKET'> & { DEAD_QUEUE: Queue<DeadMessage> }

/**
 * Writes the entries of a batch to the bucket, an object for each project and day. A message that
 * arrives again makes a second line with the same id, of which readers show one.
 */
export function consumeAccess(
  batch: MessageBatch,
  { env }: Pick<Invocation<AccessBindings>, 'env'>
): Promise<BatchOutcome> {
  const readable = batch.messages.flatMap(({ body }) => AccessEntry.safeParse(body).data ?? [])
  const folders = Map.groupBy(readable, folderOf)
  const writes = new Map<string, Promise<string>>()
  const write = (folder: string): Promise<string> => {
    const written =
      writes.get(folder) ?? writeEntries(env.BUCKET, folder, folders.get(folder) ?? [])
    writes.set(folder, written)
    return written
  }
  return consumeEach(
    batch,
    async ({ body }) => {
      await write(folderOf(readMessage(AccessEntry, 'an entry of the access log', body)))
    },
    retryOrDeadLetter(batch.queue, env.DEAD_QUEUE)
  )
}
