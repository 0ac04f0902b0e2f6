import * as z from 'zod'

/** What a message asks for: the columns of a project to be brought up to date. */
export const ColumnsMessage = z.object({
  project_id: z.int(),
  /** Late events from which on a segment is sealed again. */
  min_late: z.int().min(1),
  /** The chunks of actors and versions to build. */
  chunks: z.array(z.int())
})
export type ColumnsMessage = z.infer<typeof ColumnsMessage>
