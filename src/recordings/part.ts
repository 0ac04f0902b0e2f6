import * as z from 'zod'
import { NotFoundError } from '../errors.ts'
import { MARKER_PREFIX, waitingKey } from '../queues/waiting-objects.ts'

/** Schema of a recording's session id. SDKs send UUIDs. */
export const SessionId = z.string().regex(/^[A-Za-z0-9-]{1,70}$/)

/**
 * The queue message about a part of a recording. A part is the snapshots that an SDK sent as one
 * event. The snapshots themselves are in R2, as gzipped lines of JSON, `[window id, snapshot]`
 * each. Times are ms UTC.
 */
export const RecordingPart = z.object({
  project_id: z.int(),
  session_id: SessionId,
  part_id: z.guid(),
  distinct_id: z.string().min(1),
  source: z.enum(['web', 'mobile']),
  /** How far the client's clock is ahead, ms. */
  skew: z.int(),
  received_at: z.int()
})
export type RecordingPart = z.infer<typeof RecordingPart>

export const RECORDINGS_PREFIX = 'recordings/'

/** Names the marker from which the message about a part is read. */
export const MarkedMessage = z.object({ marker: z.string().startsWith(MARKER_PREFIX) })
export type MarkedMessage = z.infer<typeof MarkedMessage>

/** Returns the R2 prefix of a recording's objects: `recordings/1/01a1fc87-…/`. */
export const prefixOf = (projectId: number, sessionId: string): string =>
  `${RECORDINGS_PREFIX}${projectId}/${sessionId}/`

/** Returns the R2 key of a part. A part that is sent again has the same key. */
export const objectOf = (projectId: number, sessionId: string, partId: string): string =>
  `${prefixOf(projectId, sessionId)}${partId}.jsonl.gz`

/** Returns the R2 key of the marker that stays until the part is stored. */
export const markerOf = ({ project_id, session_id, part_id, received_at }: RecordingPart): string =>
  waitingKey(MARKER_PREFIX, project_id, received_at, `${session_id}/${part_id}`)

/**
 * Opens the lines of a part, with the size of its object in bytes; undefined if the object is
 * missing.
 */
export async function readLines(
  bucket: R2Bucket,
  key: string
): Promise<{ lines: ReadableStream<Uint8Array>; size: number } | undefined> {
  const object = await bucket.get(key)
  return object
    ? { lines: object.body.pipeThrough(new DecompressionStream('gzip')), size: object.size }
    : undefined
}

export const SnapshotsQuery = z.object({
  source: z
    .enum(['blob_v2'])
    .optional()
    .meta({ description: 'The `source` of the part, from the list of parts.' }),
  blob_key: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'The `blob_key` of a part, from the list of parts.' })
})

/** Opens the lines of a part of a recording. @throws not_found */
export async function openPart(
  bucket: R2Bucket,
  projectId: number,
  sessionId: string,
  partId: string
): Promise<ReadableStream<Uint8Array>> {
  const isPart = z.guid().safeParse(partId).success
  const part = isPart
    ? await readLines(bucket, objectOf(projectId, sessionId, partId.toLowerCase()))
    : undefined
  if (!part) {
    throw new NotFoundError()
  }
  return part.lines
}
