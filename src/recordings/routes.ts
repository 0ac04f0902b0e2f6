import type { Context } from 'hono'
import { z } from 'zod'
import { NotFoundError } from '../errors.ts'
import { allow } from '../http/auth.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { decodeCursor, encodeCursor, PageQuery, pageOf, pageSchema, pageSize } from '../http/page.ts'
import { validatePath, validateQuery } from '../http/validation.ts'
import { RecordingJson, SourcesJson } from './json.ts'
import { listParts, listRecordings, Position, readRecording, recordingToJson } from './list/store.ts'
import { gunzip, objectOf } from './part.ts'
import { findRecording } from './store.ts'

const TAG = 'Session recordings'

const ListQuery = z.object({ ...PageQuery.shape })

/** Where the next page starts; the count of a filtered list goes along, with the hash of what it was counted for. */
const Cursor = Position.extend({ counted: z.object({ count: z.int().min(0), filters: z.string() }).optional() })

const LIST = describe({
  id: 'session_recordings_list',
  tag: TAG,
  summary: 'List recordings',
  answers: { 200: { text: 'A page of recordings.', schema: pageSchema('RecordingPage', RecordingJson) } }
})

const RETRIEVE = describe({
  id: 'session_recordings_retrieve',
  tag: TAG,
  summary: 'Retrieve a recording',
  answers: { 200: { text: 'The recording.', schema: RecordingJson } }
})

const SNAPSHOTS = describe({
  id: 'session_recordings_snapshots',
  tag: TAG,
  summary: 'The snapshots of a recording',
  description:
    'Without `blob_key`, which parts there are. With it, one part: lines of JSON, each `[window id, snapshot]`, as the SDK has sent them. A snapshot with a `cv` is compressed by the SDK.',
  answers: { 200: { text: 'The parts, or the snapshots of one.', schema: SourcesJson, type: 'application/jsonl' } }
})

/** The session of a recording; what cannot be one is none. */
const RecordingPath = z.object({ id: z.string().meta({ description: 'The id of the session.' }) })

const SnapshotsQuery = z.object({
  source: z.enum(['blob_v2']).optional().meta({ description: 'As the list of parts says it.' }),
  blob_key: z.string().max(100).optional().meta({ description: 'One part, as the list names it.' })
})

export const recordingRoutes = createRouter()
  .get('/session_recordings', LIST, allow('session_recording:read'), validateQuery(ListQuery), async (c) => {
    const { limit, offset, cursor } = c.req.valid('query')
    const { db, project, user, now } = c.var
    const size = pageSize(limit)
    const after = cursor === undefined ? undefined : decodeCursor(Cursor, cursor)
    const page = { limit: size + 1, offset: after ? 0 : offset, after }
    const { rows, count } = await listRecordings(
      db,
      project.id,
      undefined,
      { by: 'start_time', isAscending: false },
      page
    )
    const shown = rows.slice(0, size)
    const last = shown.at(-1)
    const next = last && encodeCursor({ value: last.order_value ?? 0, id: last.session_id })
    const results = shown.map((row) => recordingToJson(row, project.id, user.id, now))
    return c.json(pageOf(c.req.url, { results, count, size, offset, hasMore: rows.length > size, cursor: next }))
  })
  .get('/session_recordings/:id', RETRIEVE, allow('session_recording:read'), validatePath(RecordingPath), async (c) =>
    c.json(await answerRecording(c, c.req.valid('param').id))
  )
  .get(
    '/session_recordings/:id/snapshots',
    SNAPSHOTS,
    allow('session_recording:read'),
    validatePath(RecordingPath),
    validateQuery(SnapshotsQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      const recording = await findRecording(c.var.db, c.var.project.id, id)
      if (!recording) throw new NotFoundError()
      return answerSnapshots(c, c.var.project.id, id, c.req.valid('query').blob_key)
    }
  )

async function answerRecording(c: Context<AppEnv>, id: string): Promise<RecordingJson> {
  const { db, project, user, now } = c.var
  const row = await readRecording(db, project.id, id)
  if (!row) throw new NotFoundError()
  return recordingToJson(row, project.id, user.id, now)
}

/** The parts of a recording, or the lines of one of them. */
async function answerSnapshots(
  c: Context<AppEnv>,
  projectId: number,
  sessionId: string,
  partId: string | undefined
): Promise<Response> {
  if (partId === undefined) {
    const parts = await listParts(c.var.db, projectId, sessionId)
    const sources = parts.map(({ part_id, start_time, end_time }) => ({
      source: 'blob_v2' as const,
      blob_key: part_id,
      start_timestamp: new Date(start_time).toISOString(),
      end_timestamp: new Date(end_time).toISOString()
    }))
    return c.json({ sources } satisfies SourcesJson)
  }
  const object = z.guid().safeParse(partId).success && (await c.env.BUCKET.get(objectOf(projectId, sessionId, partId)))
  if (!object) throw new NotFoundError()
  c.header('Content-Type', 'application/jsonl')
  return c.req.method === 'HEAD' ? c.body(null) : c.body(gunzip(object))
}
