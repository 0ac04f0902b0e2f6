import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { runRead } from '../../db/batch.ts'
import { NotFoundError } from '../../errors.ts'
import { answerOne, FormatQuery } from '../../http/csv.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { cursorSchema, cutPage, PageQuery, pageOf, readPage } from '../../http/page.ts'
import {
  agree,
  validateBody,
  validateDeleteBody,
  validatePath,
  validateQuery
} from '../../http/validation.ts'
import { announcer } from '../../ledger/ledger.ts'
import { secretOpener, unlockLedger } from '../../ledger/secret.ts'
import { actorOf } from '../../persons/activity/entry.ts'
import { PersonPath } from '../../persons/path.ts'
import { findPerson, personToJson } from '../../persons/store.ts'
import { listTasks } from '../engine/store.ts'
import type { ErasureEntry } from '../entries.ts'
import type { Extent } from '../extent.ts'
import { mentionsToJson } from '../mentions/answer.ts'
import { countMentions } from '../mentions/schemas.ts'
import { findMentions } from '../mentions/search.ts'
import { receiptOf } from '../receipts/issue.ts'
import type { PersonToErase } from './erase.store.ts'
import { type ErasureRequest, erasePersons } from './erase.ts'
import { previewErasure } from './preview.ts'
import { BULK_DELETE, DELETE, STATUS } from './reference.ts'
import {
  BulkDelete,
  DeleteBody,
  DeleteOneQuery,
  DeleteQuery,
  StatusFilters,
  taskToJson
} from './schemas.ts'
import { resultsOf, selectionOf } from './selection.ts'

const StatusQuery = z.object({ ...PageQuery.shape, ...StatusFilters.shape })

/** The position of the next page: tasks with ids below `before`. */
const Cursor = cursorSchema({ before: z.int() })

export const erasureRoutes = createRouter()
  .delete(
    '/persons/:id',
    DELETE,
    allow('person:write'),
    validatePath(PersonPath),
    validateQuery(DeleteOneQuery.extend(FormatQuery.shape)),
    validateDeleteBody(DeleteBody),
    async (c) => {
      const { id } = c.req.valid('param')
      const selection = 'id' in id ? { ids: [id.id] } : { uuids: [id.uuid] }
      const [query, body] = [c.req.valid('query'), c.req.valid('json')]
      const { isDryRun, ...extent } = readRequest(query, body)
      const isSearched = agree('search_mentions', query.search_mentions, body.search_mentions)
      const { db, project, key, now } = c.var
      const search = async () => {
        const row = await runRead(db, findPerson(project.id, id))
        const person = row && personToJson(row)
        return (
          person && findMentions(db, project, { person, scopes: key.scopes, after: undefined, now })
        )
      }
      if (isDryRun) {
        const wanted = { selection, ...extent, setting: c.env, now }
        const { persons, preview } = await previewErasure(db, project.id, wanted)
        if (persons.length === 0) {
          throw new NotFoundError()
        }
        const mentions = await search()
        return answerOne(
          c,
          'preview',
          { ...preview, ...(mentions && { mentions: mentionsToJson(mentions) }) },
          query.format
        )
      }
      const mentions = isSearched ? await search() : undefined
      const counts = mentions && countMentions(mentions)
      const erased = await erase(c, { selection, mentions: counts, ...extent })
      if (erased.length === 0) {
        throw new NotFoundError()
      }
      return c.body(null, 204)
    }
  )
  .post(
    '/persons/bulk_delete',
    BULK_DELETE,
    allow('person:write'),
    validateQuery(DeleteQuery),
    validateBody(BulkDelete),
    async (c) => {
      const body = c.req.valid('json')
      const { isDryRun, ...extent } = readRequest(c.req.valid('query'), body)
      const { db, project, now } = c.var
      const selection = selectionOf(body)
      if (isDryRun) {
        const wanted = { selection, ...extent, setting: c.env, now }
        const { persons, visitors, preview } = await previewErasure(db, project.id, wanted)
        const unnamed = visitors.map((visitor) => ({ id: null, uuid: null, identities: [visitor] }))
        return c.json({
          persons_found: preview.persons_found,
          persons_deleted: 0,
          events_queued_for_deletion: false,
          recordings_queued_for_deletion: false,
          deletion_errors: [],
          results: resultsOf(body, [...persons, ...unnamed], 'found'),
          preview
        })
      }
      const persons = await erase(c, { selection, ...extent })
      return c.json({
        persons_found: persons.length,
        persons_deleted: persons.length,
        events_queued_for_deletion: extent.deleteEvents && persons.length > 0,
        recordings_queued_for_deletion: extent.deleteRecordings && persons.length > 0,
        deletion_errors: [],
        results: resultsOf(body, persons, 'deleted')
      })
    }
  )
  .get(
    '/persons/deletion_status',
    STATUS,
    allow('person:read'),
    validateQuery(StatusQuery),
    async (c) => {
      const query = c.req.valid('query')
      const page = readPage(c.req.url, Cursor, query)
      const found = await listTasks(
        c.var.db,
        c.var.project.id,
        { status: query.status, personUuid: query.person_uuid },
        { ...page.rows, before: page.rows.after?.before }
      )
      const { shown, place } = cutPage(page, found, ({ id }) => ({ before: id }))
      const open = secretOpener(c.env, c.var.db)
      const results = await Promise.all(
        shown.map(async (row) => taskToJson(row, await receiptOf(row, open)))
      )
      return c.json(pageOf(c.req.url, { ...place, results }))
    }
  )

/** Erases persons for a request. @returns the persons and visitors that existed */
async function erase(
  { env, var: { db, project, user, key, now } }: Context<AppEnv>,
  wanted: Pick<ErasureRequest, 'selection' | 'mentions' | keyof Extent>
): Promise<PersonToErase[]> {
  const { ledger, secret } = await unlockLedger(env, db)
  const announce = announcer<ErasureEntry>(ledger, now.getTime())
  const request = { ...wanted, actor: actorOf(user, key), announce, now }
  const settings = { secret: secret.value, setting: env }
  return erasePersons(db, env.ERASURE_QUEUE, project, [request], settings)
}

type Asked = Record<'dry_run' | 'delete_events' | 'delete_recordings', boolean | undefined>

/**
 * Reads from the URL and the body what to delete with the persons, and whether only to count it.
 * @throws invalid_input when the URL and the body give a field different values
 */
const readRequest = (query: Partial<Asked>, body: Partial<Asked>) => ({
  isDryRun: agree('dry_run', query.dry_run, body.dry_run) ?? false,
  deleteEvents: agree('delete_events', query.delete_events, body.delete_events) ?? false,
  deleteRecordings:
    agree('delete_recordings', query.delete_recordings, body.delete_recordings) ?? false
})
