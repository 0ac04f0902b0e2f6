import { z } from 'zod'

/** The sessions of which snapshots are taken: an SDK's are uuids. */
export const SessionId = z.string().regex(/^[A-Za-z0-9-]{1,70}$/)

/**
 * A part of a recording: the snapshots that an SDK sent as one event. They lie in R2 as gzipped lines of JSON, each
 * `[window id, snapshot]`, as they were sent; this is the message by which the queue knows them. Times are ms UTC.
 */
export const RecordingPart = z.object({
  project_id: z.int(),
  session_id: SessionId,
  part_id: z.guid(),
  distinct_id: z.string().min(1),
  source: z.enum(['web', 'mobile']),
  /** What the client's clock is ahead by, in steps of five minutes. */
  skew: z.int(),
  received_at: z.int()
})
export type RecordingPart = z.infer<typeof RecordingPart>

export const RECORDINGS_PREFIX = 'recordings/'

/** Below which all objects of a recording lie. */
export const prefixOf = (projectId: number, sessionId: string): string =>
  `${RECORDINGS_PREFIX}${projectId}/${sessionId}/`

/** The object of a part: sent again, it has the same name. */
export const objectOf = (projectId: number, sessionId: string, partId: string): string =>
  `${prefixOf(projectId, sessionId)}${partId}.jsonl.gz`

/** The lines of a part's object as text. */
export const gunzip = (object: R2ObjectBody): ReadableStream<Uint8Array> =>
  object.body.pipeThrough(new DecompressionStream('gzip'))
