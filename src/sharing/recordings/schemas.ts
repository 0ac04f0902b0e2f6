import * as z from 'zod'
import { RecordingJson, Source } from '../../recordings/schemas.ts'

/** A recording as anyone with the link sees it: without the person and the viewers. */
export const SharedRecordingJson = RecordingJson.omit({
  person: true,
  distinct_id: true,
  viewed: true,
  viewers: true
})
  .extend({
    sources: z
      .array(Source)
      .meta({ description: 'The parts, for `/shared/{access_token}/snapshots`.' })
  })
  .meta({ id: 'SharedRecording' })
export type SharedRecordingJson = z.infer<typeof SharedRecordingJson>
