import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { hashDistinctId } from '../../barred/tombstones/tombstone.ts'
import { NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { cursorSchema, cutPage, PageQuery, pageOf, readPage } from '../../http/page.ts'
import { validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { unlockLedger } from '../../ledger/secret.ts'
import { actorOf } from '../../persons/activity/entry.ts'
import { clean } from '../../persons/distinct-id.ts'
import { normalize, selectionOf } from '../persons/selection.ts'
import { signReceipt } from './receipt.ts'
import { LIFT, LIST, RECEIPT, SUPPRESS } from './reference.ts'
import { SuppressionQuery, SuppressRequest, suppressionToJson } from './schemas.ts'
import { findSuppression, listSuppressions } from './store.ts'
import { lift, type Result, suppress } from './suppress.ts'

const ListQuery = z.object({ ...PageQuery.shape, ...SuppressionQuery.shape })

/** The position of the next page: suppressions with ids below `before`. */
const Cursor = cursorSchema({ before: z.string().max(36) })

const Path = z.object({
  id: z
    .string()
    .transform((id) => id.toLowerCase())
    .meta({ description: 'The id of the suppression, a UUID.' })
})

export const suppressionRoutes = createRouter()
  .post(
    '/persons/suppressions',
    SUPPRESS,
    allow('person:write'),
    validateBody(SuppressRequest),
    async (c) => {
      const { ids, distinct_ids } = c.req.valid('json')
      const { db, project, user, key, now } = c.var
      // Distinct ids are compared as capture stores them.
      const distinctIds = distinct_ids?.map(clean)
      const found = await suppress(db, project, {
        selection: selectionOf({ ids, distinct_ids: distinctIds }),
        actor: actorOf(user, key),
        ...(await unlockLedger(c.env, db)),
        now
      })
      const names = ids
        ? ids.map((id) => ({ id, name: normalize(id) }))
        : (distinct_ids ?? []).map((id) => ({ id, name: clean(id) }))
      const fresh = found.filter(({ isNew }) => isNew).flatMap(({ suppressions }) => suppressions)
      return c.json({
        persons_suppressed: new Set(fresh).size,
        results: names.map(({ id, name }) => resultOf(id, found, name))
      })
    }
  )
  .get('/persons/suppressions', LIST, allow('person:read'), validateQuery(ListQuery), async (c) => {
    const { db, project } = c.var
    const query = c.req.valid('query')
    const hash =
      query.distinct_id === undefined
        ? undefined
        : hashDistinctId(project.erasureSalt, project.id, query.distinct_id)
    const page = readPage(c.req.url, Cursor, query)
    const found = await listSuppressions(
      db,
      project.id,
      { status: query.status, hash },
      { ...page.rows, before: page.rows.after?.before }
    )
    const { shown, place } = cutPage(page, found, ({ id }) => ({ before: id }))
    return c.json(pageOf(c.req.url, { ...place, results: shown.map(suppressionToJson) }))
  })
  .post(
    '/persons/suppressions/:id/lift',
    LIFT,
    allow('person:write'),
    validatePath(Path),
    async (c) => {
      const { db, project, user, key, now } = c.var
      const row = await findSuppression(db, project.id, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      const ledger = await openLedger(c.env, db)
      const lifted = await lift(db, row, { actor: actorOf(user, key), ledger, now })
      return c.json(suppressionToJson(lifted))
    }
  )
  .get(
    '/persons/suppressions/:id/receipt',
    RECEIPT,
    allow('person:read'),
    validatePath(Path),
    async (c) => {
      const { db, project, now } = c.var
      const row = await findSuppression(db, project.id, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      return c.json(await signReceipt(db, row, c.env, now))
    }
  )

function resultOf(id: string | number, found: Result[], name: string) {
  const own = found.filter((one) => one.name === name)
  const fresh = own.filter(({ isNew }) => isNew)
  // Several deleted persons may have had this distinct id. If one of them is newly suppressed, only
  // new suppressions are listed.
  const shown = fresh.length > 0 ? fresh : own
  const [first] = shown
  if (!first) {
    return { id, result: 'not_found' as const, person_uuid: null, suppressions: [] }
  }
  return {
    id,
    result: first.isNew ? ('suppressed' as const) : ('already_suppressed' as const),
    person_uuid: first.person,
    suppressions: [...new Set(shown.flatMap(({ suppressions }) => suppressions))]
  }
}
