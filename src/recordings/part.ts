import * as z from 'zod'
import { NotFoundError } from '../errors.ts'
import { MARKER_PREFIX, waitingKey } from '../queues/waiting-objects.ts'

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

/** The key of the marker of a message. */
export const markerOf = ({ project_id, session_id, part_id, received_at }: RecordingPart): string =>
  waitingKey(MARKER_PREFIX, project_id, received_at, `${session_id}/${part_id}`)

/** The text of a part's lines; undefined when they are gone. */
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
  source: z.enum(['blob_v2']).optional().meta({ description: 'As the list of parts says it.' }),
  blob_key: z.string().max(100).optional().meta({ description: 'One part, as the list names it.' })
})

/** The text of a part of a recording that is there. @throws not_found */
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
