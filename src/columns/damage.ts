import type { Db } from '../db/client.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { DamageError } from './codec.ts'
import { discardActors, discardSegment, discardVersions } from './damage.store.ts'
import type { BuiltChunk } from './places.ts'

/** A segment or chunk with a damaged text; `text` is the name of the text in there. */
export type Damaged = { text: string } & (
  | { kind: 'segment'; segment: { id: number; build: string } }
  | { kind: 'actors' | 'versions'; chunk: BuiltChunk }
)

/**
 * Discards damaged segments and chunks, so that the next run builds them again. Until then, rows
 * answer. A failure is logged: whoever reads the text next finds the damage, too.
 * @returns whether none of them is left
 */
export async function discardDamaged(db: Db, damaged: readonly Damaged[]): Promise<boolean> {
  let isDone = true
  for (const one of damaged) {
    const fields = {
      kind: one.kind,
      text: one.text,
      ...(one.kind === 'segment' ? { segment: one.segment.id } : one.chunk)
    }
    try {
      const isDiscarded = await discard(db, one)
      log('error', 'damaged columns', { ...fields, discarded: isDiscarded })
    } catch (error) {
      isDone = false
      log('error', 'damaged columns', {
        ...fields,
        discarded: false,
        error: describeError(error)
      })
    }
  }
  return isDone
}

/**
 * Discards a segment or chunk if this error says that it is damaged. @returns whether it is gone
 * @throws any other error
 */
export async function discardIfDamaged(db: Db, error: unknown, damaged: Damaged): Promise<boolean> {
  if (!(error instanceof DamageError)) {
    throw error
  }
  return discardDamaged(db, [damaged])
}

function discard(db: Db, damaged: Damaged): Promise<boolean> {
  switch (damaged.kind) {
    case 'segment':
      return discardSegment(db, damaged.segment.id)
    case 'actors':
      return discardActors(db, damaged.chunk)
    case 'versions':
      return discardVersions(db, damaged.chunk)
  }
}
