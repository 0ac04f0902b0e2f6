import * as z from 'zod'

/**
 * Asks a consumer to continue these erasures of a project, in order. It is harmless to deliver the
 * message twice.
 */
export const ErasureMessage = z.object({
  project_id: z.int(),
  erasures: z.array(z.int()).min(1),
  /** The last dead letter that was searched; '' before the first, null after the last. */
  letter: z.string().nullable(),
  /**
   * The number of times that the erasures have waited for events or recordings accepted before
   * them.
   */
  waited: z.int().default(0)
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

/** A message of the erasure queue. */
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
      parts.push({
        project_id,
        erasures: ofProject.slice(at, at + MESSAGE_ERASURES).map(({ id }) => id),
        letter: '',
        waited: 0
      })
    }
    return parts
  })
}
