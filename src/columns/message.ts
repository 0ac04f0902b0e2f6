import * as z from 'zod'

/** A message that brings the columns of a project up to date. */
export const ColumnsMessage = z.object({
  project_id: z.int(),
  /** Number of late events at which a segment is sealed again. */
  min_late: z.int().min(1),
  /** Chunks to build, of 4,096 identities each: both their actors and their versions. */
  chunks: z.array(z.int()),
  /** Ids of the event names to seal. */
  names: z.array(z.int())
})
export type ColumnsMessage = z.infer<typeof ColumnsMessage>
