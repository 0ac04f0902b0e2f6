import type { Context } from 'hono'
import * as z from 'zod'
import { AppError, NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { allow } from '../http/auth.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import {
  encodeCursor,
  PageQuery,
  pageOf,
  pageSchema,
  pageSize,
  readPosition
} from '../http/page.ts'
import { expectUnchanged } from '../http/unchanged.ts'
import { validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { log } from '../log.ts'
import { PropertyParameters, readPropertyParameters } from '../properties/parameters.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { RecordingUpdateJson, readRelink } from './change.ts'
import { compileFilters } from './list/filters.store.ts'
import { FiltersQuery, isUnfiltered, readRecordingFilters } from './list/query.ts'
import {
  listRecordings,
  listSources,
  Position,
  readRecording,
  recordingToJson
} from './list/store.ts'
import { openPart, SnapshotsQuery } from './part.ts'
import { sendPurges } from './purge.ts'
import { noteView } from './relink.store.ts'
import { relink } from './relink.ts'
import { deleteRecording } from './removal.store.ts'
import { RecordingJson, SourcesJson } from './schemas.ts'
import { findRecording } from './store.ts'

const TAG = 'Session recordings'

const ListQuery = z.object({ ...PageQuery.shape, ...FiltersQuery.shape })

/** Where the next page starts; the count of a filtered list goes along, with the hash of what it was counted for. */
const Cursor = Position.extend({
  counted: z.object({ count: z.int().min(0), filters: z.string() }).optional()
})

const LIST = describe({
  id: 'session_recordings_list',
  tag: TAG,
  summary: 'List recordings',
  description: `The newest first, unless \`order\` says otherwise. All filters that are given have to match.

Filters in \`properties\` are of type \`event\` (that is also those without a type), \`person\`, \`session\`, \`recording\` or \`event_metadata\`, whose key \`event\` is the name of an event. A filter on \
events holds when one event of the session fulfils it, and an operator like \`is_not\` when all do; the same goes for \
\`visited_page\`, one of the recording's pages. Persons have the properties of today. Those of sessions are what \
\`GET sessions/property_definitions/\` lists, as the session's events make them. The keys of type \`recording\` are \
those of \`having_predicates\`.`,
  query: PropertyParameters,
  answers: {
    200: { text: 'A page of recordings.', schema: pageSchema('RecordingPage', RecordingJson) }
  },
  refusals: [
    ['invalid_input', 'The operator "like" is not supported.', 'properties'],
    ['query_too_large', TOO_MUCH_WORK, 'properties'],
    ['blank', 'This field may not be blank.', 'session_ids__0'],
    ['null', 'This field may not be null.', 'session_ids__0'],
    [
      'query_too_large',
      'The events of more than 20000 recordings would have to be looked through.',
      'date_from'
    ]
  ]
})

const RETRIEVE = describe({
  id: 'session_recordings_retrieve',
  tag: TAG,
  summary: 'Retrieve a recording',
  answers: { 200: { text: 'The recording.', schema: RecordingJson } }
})

const UPDATE = describe({
  id: 'session_recordings_update',
  tag: TAG,
  summary: 'Update a recording',
  description:
    'Gives it to somebody else, or notes that the user whose key asks has viewed it; `analyzed` is taken and changes nothing. What is sent back as the recording shows it is no change, so that whole recordings may be sent.',
  answers: { 200: { text: 'The recording as it is now.', schema: RecordingJson } },
  refusals: [
    ['does_not_exist', 'Invalid person - object does not exist.', 'person'],
    ['invalid_input', 'This is not a distinct id of the person.', 'distinct_id'],
    ['blank', 'This field may not be blank.', 'distinct_id']
  ]
})

const DESTROY = describe({
  id: 'session_recordings_destroy',
  tag: TAG,
  summary: 'Delete a recording',
  description:
    'It is gone at once for every reader; the queue then removes its snapshots. What SDKs still send of the session is not kept.',
  answers: { 204: { text: 'Deleted.' } }
})

const SNAPSHOTS = describe({
  id: 'session_recordings_snapshots',
  tag: TAG,
  summary: 'The snapshots of a recording',
  description:
    'Without `blob_key`, which parts there are. With it, one part: lines of JSON, each `[window id, snapshot]`, as the SDK has sent them. A snapshot with a `cv` is compressed by the SDK.',
  answers: {
    200: {
      text: 'The parts, or the snapshots of one.',
      schema: SourcesJson,
      type: 'application/jsonl'
    }
  }
})

/** Fields of a recording that change by themselves, and those that do while it goes on. */
const CHANGING = ['viewers', 'ongoing', 'activity_score']
const MEASURED = Object.keys(RecordingJson.shape).filter((name) => name !== 'id')

/** What cannot be the id of a session is that of none. */
const RecordingPath = z.object({ id: z.string().meta({ description: 'The id of the session.' }) })

export const recordingRoutes = createRouter()
  .get(
    '/session_recordings',
    LIST,
    allow('session_recording:read'),
    validateQuery(ListQuery),
    async (c) => {
      const { limit, order, order_direction } = c.req.valid('query')
      const { db, project, user, now } = c.var
      const properties = readPropertyParameters(new URL(c.req.url).searchParams)
      const filters = readRecordingFilters(c.req.valid('query'), properties, project, now)
      const size = pageSize(limit)
      const { after, offset } = readPosition(c.req.url, Cursor, c.req.valid('query'))
      const hash = isUnfiltered(filters)
        ? undefined
        : await sha256(JSON.stringify([project.id, filters]))
      const matching =
        hash === undefined ? undefined : await compileFilters(db, project, filters, now)
      const { rows, count } = await listRecordings(
        db,
        project.id,
        matching,
        { by: order, isAscending: order_direction === 'asc' },
        { limit: size + 1, offset: after ? 0 : offset, after },
        after?.counted && after.counted.filters === hash ? after.counted.count : undefined
      )
      const shown = rows.slice(0, size)
      const last = shown.at(-1)
      const counted = hash && { count, filters: hash }
      const next =
        last &&
        encodeCursor({ value: last.order_value ?? 0, id: last.session_id, counted }, offset + size)
      const results = shown.map((row) => recordingToJson(row, project.id, user.id, now))
      return c.json(
        pageOf(c.req.url, {
          results,
          count,
          size,
          offset,
          hasMore: rows.length > size,
          cursor: next
        })
      )
    }
  )
  .get(
    '/session_recordings/:id',
    RETRIEVE,
    allow('session_recording:read'),
    validatePath(RecordingPath),
    async (c) => c.json(await showRecording(c, c.req.valid('param').id))
  )
  .patch(
    '/session_recordings/:id',
    UPDATE,
    allow('session_recording:write'),
    validatePath(RecordingPath),
    validateBody(RecordingUpdateJson),
    async (c) => {
      const { id } = c.req.valid('param')
      const update = c.req.valid('json')
      const { db, project, user, now } = c.var
      const shown = await showRecording(c, id)
      expectUnchanged(c.var.passedOver, [shown], shown.ongoing ? MEASURED : CHANGING)
      if (shown.viewed && update.viewed === false) {
        throw new AppError(
          'invalid_input',
          'This recording was viewed, which cannot be undone.',
          'viewed'
        )
      }
      const { distinct_id: distinctId, person } = shown
      const asked = readRelink(update, { distinctId, personId: person.id, uuid: person.uuid })
      if (asked) {
        await relink(db, project.id, id, asked)
      }
      if (update.viewed) {
        await noteView(db, project.id, id, user, now.getTime())
      }
      return c.json(await showRecording(c, id))
    }
  )
  .delete(
    '/session_recordings/:id',
    DESTROY,
    allow('session_recording:write'),
    validatePath(RecordingPath),
    async (c) => {
      const { id } = c.req.valid('param')
      const { db, project, now } = c.var
      if (!(await deleteRecording(db, project.id, id, now.getTime()))) {
        throw new NotFoundError()
      }
      await sendPurges(c.env.RECORDING_QUEUE, [{ project_id: project.id, session_id: id }]).catch(
        () => log('warn', 'a deleted recording waits for the sweep', { project: project.id })
      )
      return c.body(null, 204)
    }
  )
  .get(
    '/session_recordings/:id/snapshots',
    SNAPSHOTS,
    allow('session_recording:read'),
    validatePath(RecordingPath),
    validateQuery(SnapshotsQuery),
    async (c) => {
      const { id } = c.req.valid('param')
      const { blob_key: partId } = c.req.valid('query')
      const { db, project } = c.var
      if (!(await findRecording(db, project.id, id))) {
        throw new NotFoundError()
      }
      if (partId === undefined) {
        return c.json({ sources: await listSources(db, project.id, id) })
      }
      const lines = await openPart(c.env.BUCKET, project.id, id, partId)
      return c.body(lines, 200, { 'Content-Type': 'application/jsonl' })
    }
  )

async function showRecording(c: Context<AppEnv>, id: string): Promise<RecordingJson> {
  const { db, project, user, now } = c.var
  const row = await readRecording(db, project.id, id)
  if (!row) {
    throw new NotFoundError()
  }
  return recordingToJson(row, project.id, user.id, now)
}
