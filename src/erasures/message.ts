import * as z from 'zod'

/** Asks to go on with these erasures of a project, in order; a repetition does no harm. */
export const ErasureMessage = z.object({
  project_id: z.int(),
  erasures: z.array(z.int()).min(1),
  /** The last dead letter that was looked through; '' when none was, null when all were. */
  letter: z.string().nullable(),
  /** How often the erasures were found to have to wait for what was accepted before them. */
  waited: z.int().default(0)
})
export type ErasureMessage = z.infer<typeof ErasureMessage>

/** So many go into one message: a consumer does one message at a time. */
const MESSAGE_ERASURES = 50

/** Cuts erasures, of any projects, into messages. */
export function messagesFor(erasures: { id: number; project_id: number }[]): ErasureMessage[] {
  const byProject = Map.groupBy(erasures, ({ project_id }) => project_id)
  return [...byProject].flatMap(([project_id, own]) => {
    const parts = []
    for (let at = 0; at < own.length; at += MESSAGE_ERASURES) {
      parts.push({
        project_id,
        erasures: own.slice(at, at + MESSAGE_ERASURES).map(({ id }) => id),
        letter: '',
        waited: 0
      })
    }
    return parts
  })
}
