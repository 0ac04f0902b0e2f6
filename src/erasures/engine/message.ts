import * as z from 'zod'
import { EXTENT, extentOf, extentToJson, isSameExtent } from '../extent.ts'
import type { ErasureRow } from './store.ts'

/** What an erasure deletes, and the weekly run that has taken it; null before its run. */
const Searched = z.object({ erasure: z.int(), ...EXTENT, run: z.int().nullable() })

/**
 * Asks a consumer to continue these erasures of a project, in order. It is harmless to deliver the
 * message twice.
 */
export const ErasureMessage = z.object({
  project_id: z.int(),
  erasures: z.array(z.int()).min(1),
  /** The last dead letter that was searched; '' before the first, null after the last. */
  letter: z.string().nullable(),
  /** The extents when the search of the dead letters began; empty before the first one. */
  searched: z.array(Searched),
  /**
   * The number of times that the erasures have waited for events or recordings accepted before
   * them.
   */
  waited: z.int()
})
export type ErasureMessage = z.infer<typeof ErasureMessage>

/** Asks a consumer to continue a removal of events. It is harmless to deliver the message twice. */
export const RemovalMessage = z.object({
  project_id: z.int(),
  removal: z.guid(),
  /** The number of times that the removal has waited for events accepted before it. */
  waited: z.int()
})
export type RemovalMessage = z.infer<typeof RemovalMessage>

export const QueueMessage = z.union([ErasureMessage, RemovalMessage])
export type QueueMessage = z.infer<typeof QueueMessage>

/** Erasures per message; a consumer handles one message at a time. */
const MESSAGE_ERASURES = 50

/** Divides erasures into messages, each about one project. */
export function messagesFor(erasures: { id: number; project_id: number }[]): ErasureMessage[] {
  const byProject = Map.groupBy(erasures, ({ project_id }) => project_id)
  return [...byProject].flatMap(([project_id, ofProject]) => {
    const parts = []
    for (let at = 0; at < ofProject.length; at += MESSAGE_ERASURES) {
      const ids = ofProject.slice(at, at + MESSAGE_ERASURES).map(({ id }) => id)
      parts.push(firstMessage(project_id, ids, 0))
    }
    return parts
  })
}

/** Returns a message that begins to search the dead letters, after `waited` waits. */
export const firstMessage = (
  projectId: number,
  erasures: number[],
  waited: number
): ErasureMessage => ({ project_id: projectId, erasures, letter: '', searched: [], waited })

/**
 * Returns a message that continues erasures after a dead letter.
 * @param letter null if all dead letters have been searched
 */
export const messageAfter = (
  projectId: number,
  letter: string | null,
  erasures: ErasureRow[]
): ErasureMessage => ({
  project_id: projectId,
  erasures: erasures.map(({ id }) => id),
  letter,
  searched: erasures.map((row) => ({ erasure: row.id, ...extentToJson(row), run: row.run })),
  waited: 0
})

/**
 * Whether a message may continue an erasure: unless the erasure has been widened, or taken by a
 * run, since the message's search of the dead letters began. Then the search may have left out
 * data, and another message has been sent, which begins a new search.
 */
export const mayContinue = ({ letter, searched }: ErasureMessage, erasure: ErasureRow): boolean =>
  letter === '' ||
  searched.some(
    (before) =>
      before.erasure === erasure.id &&
      before.run === erasure.run &&
      isSameExtent(extentOf(before), erasure)
  )
