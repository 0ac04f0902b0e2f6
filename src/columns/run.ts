import type { Db } from '../db/client.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import { listKinds } from '../rollups/store.ts'
import { findChunks } from './chunks.ts'
import type { ColumnsMessage } from './message.ts'
import { findSealable } from './seal.ts'

/** Chunks per message. Each takes up to 8 bytes of the 128 kB that a message may have; the next run queues chunks beyond that. */
const MAX_CHUNKS = 5_000

/** Chunks whose versions are counted per run: about three million versions. */
const COUNTED_CHUNKS = 320

/**
 * Queues the projects whose segments or chunks have to be built, one message each.
 * @param minLate number of late events at which a segment is sealed again
 * @param isThorough whether to look for chunks with many new versions, which reads a row for each version
 * @returns how many messages were sent
 */
export async function startSealing(
  db: Db,
  queue: Sender<ColumnsMessage>,
  { now, minLate, isThorough }: { now: Date; minLate: number; isThorough: boolean }
): Promise<number> {
  const kinds = await findSealable(db, await listKinds(db), now.getTime(), minLate)
  const chunks = await findChunks(db, { counted: isThorough ? COUNTED_CHUNKS : 0 })
  const projects = new Set([...kinds, ...chunks].map(({ project_id }) => project_id))
  const messages = [...projects].map((project_id) => ({
    project_id,
    min_late: minLate,
    chunks: chunks
      .filter((chunk) => chunk.project_id === project_id)
      .map(({ chunk }) => chunk)
      .slice(0, MAX_CHUNKS)
  }))
  await sendAll(queue, messages)
  return messages.length
}
