import type { Db } from '../db/client.ts'
import { type Sender, sendAll } from '../queues/send.ts'
import { findChunks } from './chunks.ts'
import type { ColumnsMessage } from './message.ts'
import { noteSearched, readSearched } from './seal.store.ts'
import { findSealable, MANY_LATE } from './seal.ts'
import type { EventKind } from './slots/store.ts'

/**
 * Chunks per message. Each takes up to 8 bytes of the 128 kB that a message may have; the next run
 * queues chunks beyond that.
 */
const MAX_CHUNKS = 5_000

/** Event names per message, of up to 11 bytes each; a later run queues names beyond that. */
const MAX_NAMES = 5_000

/** Chunks whose versions are counted per run: about three million versions. */
const COUNTED_CHUNKS = 320

/**
 * Queues the projects whose segments or chunks have to be built, one message each. A run that
 * spends its queries before it has searched all event names is continued by the next run.
 * @param isThorough whether a single late event is enough to seal a segment again, and whether to
 * look for chunks with many new versions, which reads a row for each version
 * @param isSpent returns true once no further query may search
 * @returns how many messages were sent, and whether all event names were searched
 */
export async function startSealing(
  db: Db,
  queue: Sender<ColumnsMessage>,
  { now, isThorough, isSpent }: { now: Date; isThorough: boolean; isSpent: () => boolean }
): Promise<{ sent: number; isDone: boolean }> {
  const minLate = isThorough ? 1 : MANY_LATE
  const note = isThorough ? 'searched_late_name' : 'searched_event_name'
  const chunks = await findChunks(db, { counted: isThorough ? COUNTED_CHUNKS : 0 })
  const kinds: EventKind[] = []
  let last = await readSearched(db, note)
  for await (const page of findSealable(db, { after: last, now: now.getTime(), minLate })) {
    kinds.push(...page.found)
    last = page.last
    if (isSpent()) {
      break
    }
  }
  const chunksOf = Map.groupBy(chunks, ({ project_id }) => project_id)
  const namesOf = Map.groupBy(kinds, ({ project_id }) => project_id)
  const messages = [...new Set([...namesOf.keys(), ...chunksOf.keys()])].map((project_id) => ({
    project_id,
    min_late: minLate,
    chunks: (chunksOf.get(project_id) ?? []).slice(0, MAX_CHUNKS).map(({ chunk }) => chunk),
    names: (namesOf.get(project_id) ?? []).slice(0, MAX_NAMES).map(({ event_id }) => event_id)
  }))
  await sendAll(queue, messages)
  await noteSearched(db, note, last)
  return { sent: messages.length, isDone: last === 0 }
}
