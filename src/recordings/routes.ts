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
import { expectNoBody, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { log } from '../log.ts'
import { PropertyParameters, readPropertyParameters } from '../properties/parameters.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { RecordingUpdateJson, readRelink } from './change.ts'
import { compileFilters } from './list/filters.store.ts'
import { isUnfiltered, readRecordingFilters } from './list/query.ts'
import { FiltersQuery } from './list/schemas.ts'
import {
  listRecordings,
  listSources,
  Position,
  readRecording,
  recordingToJson
} from './list/store.ts'
import { openPart, SnapshotsQuery } from './part.ts'
import { deleteRecording } from './purge.store.ts'
import { sendPurges } from './purge.ts'
import { noteView } from './relink.store.ts'
import { relink } from './relink.ts'
import { RecordingJson, SourcesJson } from './schemas.ts'
import { findRecording } from './store.ts'

const TAG = 'Session recordings'

const ListQuery = z.object({ ...PageQuery.shape, ...FiltersQuery.shape })

/**
 * The position of the next page. It carries the count of a filtered list, with a hash of the
 * filters that were counted.
 */
const Cursor = Position.extend({
  counted: z.object({ count: z.int().min(0), filters: z.string() }).optional()
})

const LIST = describe({
  id: 'session_recordings_list',
  tag: TAG,
  summary: 'List recordings',
  description: `Newest first by default. A recording must match all filters.

Filters in \`properties\` have the type \`event\` (the default), \`person\`, \`session\`, \`recording\` or \`event_metadata\`, whose \
key \`event\` is the name of an event. A filter on events matches when one event of the session matches it; with a negated \
operator such as \`is_not\`, when all events do. The same applies to \`visited_page\`, the pages of the recording. Person \
properties are today's. Session properties are those that \`GET sessions/property_definitions/\` lists, computed from the \
session's events. The keys of type \`recording\` are those of \`having_predicates\`.`,
  query: PropertyParameters,
  answers: {
    200: { text: 'A page of recordings.', schema: pageSchema('RecordingPage', RecordingJson) }
  },
  refusals: [
    ['invalid_input', 'The operator "like" is not supported.', 'properties'],
    ['query_too_large', TOO_MUCH_WORK, 'properties'],
    ['required', 'This field is required.', 'events__0__id'],
    ['blank', 'This field may not be blank.', 'session_ids__0'],
    ['null', 'This field may not be null.', 'session_ids__0'],
    [
      'query_too_large',
      'Filters on events can scan at most 20000 recordings, but the period has more: send a later `date_from`.',
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
    "Assigns the recording to another distinct id or person, or marks it as viewed by the key's user. Fields that are sent back unchanged are ignored, so a whole recording may be sent.",
  answers: { 200: { text: 'The updated recording.', schema: RecordingJson } },
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
    'The recording disappears at once; its snapshots are purged shortly after. Snapshots of the session that arrive later are discarded.',
  answers: { 204: { text: 'Deleted.' } }
})

const SNAPSHOTS = describe({
  id: 'session_recordings_snapshots',
  tag: TAG,
  summary: 'Retrieve the snapshots of a recording',
  description:
    'Without `blob_key`, returns the list of parts. With it, returns the snapshots of one part as JSON lines, each `[window id, snapshot]`, as the SDK sent them. A snapshot with a `cv` was compressed by the SDK.',
  answers: {
    200: {
      text: 'The list of parts, or the snapshots of one part.',
      schema: SourcesJson,
      type: 'application/jsonl'
    }
  }
})

/** Fields of a recording that change without an update, so that a client may send an old value. */
const CHANGING = ['viewers', 'ongoing', 'activity_score']
/** Fields that change without an update while a recording is ongoing. */
const CHANGING_WHILE_ONGOING = Object.keys(RecordingJson.shape).filter((name) => name !== 'id')

/** Any text is accepted as the id of a session; an impossible id is a 404. */
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
      const { rows, count } = await listRecordings(db, project.id, {
        matching,
        order: { by: order, isAscending: order_direction === 'asc' },
        page: { limit: size + 1, offset: after ? 0 : offset, after },
        knownCount: after?.counted?.filters === hash ? after?.counted?.count : undefined
      })
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
      const changing = shown.ongoing ? CHANGING_WHILE_ONGOING : CHANGING
      expectUnchanged(c.var.passedOver, [shown], changing)
      if (shown.viewed && update.viewed === false) {
        throw new AppError(
          'invalid_input',
          'This recording has been viewed: `viewed` cannot be set back to `false`.',
          'viewed'
        )
      }
      const { distinct_id: distinctId, person } = shown
      const newOwner = readRelink(update, { distinctId, personId: person.id, uuid: person.uuid })
      if (newOwner) {
        await relink(db, project.id, id, newOwner)
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
    expectNoBody,
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
