import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { noteList, noteRead } from '../access-log/note.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { answerList, cursorSchema, nameFilters, PageQuery, readPage } from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../http/validation.ts'
import { parametersOf } from '../input/url.ts'
import { announcer } from '../ledger/ledger.ts'
import { unlockLedger } from '../ledger/secret.ts'
import { log } from '../log.ts'
import { readPropertyParameters } from '../properties/parameters.ts'
import { listOutdated, RecordingUpdateJson, readRelink } from './change.ts'
import { removeRecording } from './deletion.ts'
import { compileFilters } from './list/filters.store.ts'
import { isUnfiltered, readRecordingFilters } from './list/query.ts'
import { FiltersQuery } from './list/schemas.ts'
import {
  findWatched,
  listRecordings,
  listSources,
  RecordingPosition,
  readRecording,
  recordingToJson
} from './list/store.ts'
import { openPart, SnapshotsQuery } from './part.ts'
import { sendPurges } from './purge.ts'
import { DESTROY, LIST, RETRIEVE, SNAPSHOTS, UPDATE } from './reference.ts'
import { noteView } from './relink.store.ts'
import { expectOnePerson, relink } from './relink.ts'
import type { RecordingJson } from './schemas.ts'

const ListQuery = z.object({ ...PageQuery.shape, ...FiltersQuery.shape })

const Cursor = cursorSchema(RecordingPosition.shape)

/** Any text is accepted as the id of a session; an impossible id is a 404. */
const RecordingPath = z.object({ id: z.string().meta({ description: 'The id of the session.' }) })

export const recordingRoutes = createRouter()
  .get(
    '/session_recordings',
    LIST,
    allow('session_recording:read'),
    validateQuery(ListQuery),
    async (c) => {
      const query = c.req.valid('query')
      const { db, project, user, now } = c.var
      const properties = readPropertyParameters(parametersOf(c.req.url))
      const filters = readRecordingFilters(query, properties, project, now)
      const isFiltered = !isUnfiltered(filters)
      const nameOf = isFiltered ? () => nameFilters(project.id, filters) : undefined
      const page = readPage(c.req.url, Cursor, query, nameOf)
      const found = await listRecordings(
        { db, project },
        {
          matching: isFiltered ? await compileFilters(db, project, filters, now) : undefined,
          order: { by: query.order, isAscending: query.order_direction === 'asc' },
          page: page.rows,
          knownCount: page.knownCount
        }
      )
      const shown = found.rows.slice(0, page.size)
      await noteList(
        c,
        shown.filter(({ person_id }) => person_id !== null).map(({ uuid }) => uuid),
        shown.length
      )
      return answerList(c, page, found, {
        toJson: (row) => recordingToJson(row, project.id, user.id, now),
        positionOf: ({ order_value, session_id }) => ({ value: order_value ?? 0, id: session_id })
      })
    }
  )
  .get(
    '/session_recordings/:id',
    RETRIEVE,
    allow('session_recording:read'),
    validatePath(RecordingPath),
    async (c) => {
      const recording = await showRecording(c, c.req.valid('param').id)
      await noteRead(c, { object: 'recording', id: recording.id, persons: personsOf(recording) })
      return c.json(recording)
    }
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
      const { user, now } = c.var
      const shown = await showRecording(c, id)
      const { ignoredFields } = c.var
      expectUnchanged(ignoredFields, [shown], listOutdated(ignoredFields, shown))
      if (shown.viewed && update.viewed === false) {
        throw new AppError(
          'invalid_input',
          'This recording has been viewed: `viewed` cannot be set back to `false`.',
          'viewed'
        )
      }
      await expectOnePerson(c.var, update.person)
      const { distinct_id: distinctId, person } = shown
      const newOwner = readRelink(update, { distinctId, personId: person.id, uuid: person.uuid })
      if (newOwner) {
        await relink(c.var, id, newOwner)
      }
      if (update.viewed) {
        await noteView(c.var, id, { user, now: now.getTime() })
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
      const { ledger, secret } = await unlockLedger(c.env, db)
      const isDeleted = await removeRecording(c.var, {
        sessionId: id,
        announce: announcer(ledger, now.getTime()),
        secret: secret.value,
        now: now.getTime()
      })
      if (!isDeleted) {
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
      const recording = await findWatched({ db, project }, id)
      if (!recording) {
        throw new NotFoundError()
      }
      const persons = recording.uuid === null ? [] : [recording.uuid]
      await noteRead(c, { object: 'recording', id, persons })
      if (partId === undefined) {
        return c.json({ sources: await listSources({ db, project }, id) })
      }
      const lines = await openPart(c.env.BUCKET, project.id, id, partId)
      return c.body(lines, 200, { 'Content-Type': 'application/jsonl' })
    }
  )

/** Returns the UUID of the person of a recording, if it has one. */
const personsOf = ({ person }: RecordingJson): string[] => (person.id === null ? [] : [person.uuid])

async function showRecording(c: Context<AppEnv>, id: string): Promise<RecordingJson> {
  const { db, project, user, now } = c.var
  const row = await readRecording({ db, project }, id)
  if (!row) {
    throw new NotFoundError()
  }
  return recordingToJson(row, project.id, user.id, now)
}
