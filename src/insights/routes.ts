import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { expectScope } from '../access/credentials.ts'
import { userToJson } from '../access/user.ts'
import { toIso } from '../calendar/clock.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage } from '../http/page.ts'
import { expectUnchanged } from '../http/read-only-fields.ts'
import {
  expectNoBody,
  nameIgnored,
  validateBody,
  validatePath,
  validateQuery
} from '../http/validation.ts'
import { saysSomething } from '../input/fields.ts'
import { Flag, IdentifyingText, KnownId } from '../input/parameters.ts'
import { expectOneForm } from '../trends/forms.ts'
import { computeTrend } from '../trends/trend.ts'
import { findMissingDashboards } from './dashboards/store.ts'
import { fieldsOf } from './insight.ts'
import { expectReader, readInsight } from './question.ts'
import { CREATE, DESTROY, LIST, RETRIEVE, UPDATE } from './reference.ts'
import { InsightInput, type InsightJson, RowsAnswer } from './schemas.ts'
import {
  findInsight,
  findTiles,
  type InsightRow,
  insertInsight,
  insightToJson,
  listInsights,
  updateInsight
} from './store.ts'

const InsightPath = z.object({ id: KnownId })

const ListQuery = PageQuery.omit({ cursor: true }).extend({
  short_id: IdentifyingText.optional().meta({
    description: 'Only the insight with this short id.'
  }),
  saved: Flag.optional().meta({
    description: '`true` for saved insights only, `false` for all others.'
  }),
  favorited: Flag.optional().meta({
    description: '`true` for favorites only, `false` for all others.'
  }),
  search: z.string().max(200).optional().meta({
    description:
      'Only insights whose `name`, `derived_name` or `description` contains this text; ignores the case of A to Z.'
  })
})

const RetrieveQuery = z.object({
  refresh: z.enum(['true', 'false', 'blocking', 'force_blocking']).default('false').meta({
    description:
      '`false` returns `result: null`; any other value computes the result. Results are not cached.'
  })
})

/** Read-only fields of which a client may send back an old value. */
const CHANGING = [
  'result',
  'columns',
  'types',
  'hasMore',
  'last_refresh',
  'is_cached',
  'last_modified_at',
  'dashboard_tiles'
]

export const insightRoutes = createRouter()
  .get('/insights', LIST, allow('insight:read'), validateQuery(ListQuery), async (c) => {
    const { short_id: shortId, ...listing } = c.req.valid('query')
    const page = readPage(c.req.url, NO_CURSOR, listing)
    const found = await listInsights(c.var, { ...listing, shortId }, page.rows)
    const ids = found.rows.map(({ id }) => id)
    const tiles = await findTiles(c.var, ids)
    return answerList(c, page, found, { toJson: (row) => insightToJson(row, tiles) })
  })
  .post('/insights', CREATE, allow('insight:write'), validateBody(InsightInput), async (c) => {
    const input = c.req.valid('json')
    const { user, now } = c.var
    await expectValid(c, input)
    const row = await insertInsight(c.var, input, { by: userToJson(user), now })
    return c.json(insightToJson(row, await findTiles(c.var, [row.id])), 201)
  })
  .get(
    '/insights/:id',
    RETRIEVE,
    allow('insight:read'),
    validatePath(InsightPath),
    validateQuery(RetrieveQuery),
    async (c) => {
      const { db, project, now } = c.var
      const row = await findInsight({ db, project }, c.req.valid('param').id)
      if (!row || row.deleted) {
        throw new NotFoundError()
      }
      const insight = insightToJson(row, await findTiles({ db, project }, [row.id]))
      if (c.req.valid('query').refresh === 'false') {
        return c.json(insight)
      }
      return c.json({
        ...insight,
        ...(await computeResult(c, row)),
        last_refresh: toIso(now.getTime())
      } satisfies InsightJson)
    }
  )
  .patch(
    '/insights/:id',
    UPDATE,
    allow('insight:write'),
    validatePath(InsightPath),
    validateBody(InsightInput),
    async (c) => {
      const input = c.req.valid('json')
      const { db, project, now } = c.var
      const { id } = c.req.valid('param')
      const before = await findInsight({ db, project }, id)
      if (!before) {
        throw new NotFoundError()
      }
      expectUnchanged(c.var.ignoredFields, [insightToJson(before, [])], CHANGING)
      expectOneDefinition(before, input)
      await expectValid(c, input)
      const row = await updateInsight(c.var, before.id, input, now)
      if (!row) {
        throw new NotFoundError()
      }
      return c.json(insightToJson(row, await findTiles({ db, project }, [row.id])))
    }
  )
  .delete(
    '/insights/:id',
    DESTROY,
    allow('insight:write'),
    validatePath(InsightPath),
    expectNoBody,
    async (c) => {
      const { db, project, now } = c.var
      const row = await findInsight({ db, project }, c.req.valid('param').id)
      if (!row || row.deleted) {
        throw new NotFoundError()
      }
      await updateInsight(c.var, row.id, { deleted: true }, now)
      return c.body(null, 204)
    }
  )

async function computeResult(
  c: Context<AppEnv>,
  row: InsightRow
): Promise<Pick<InsightJson, 'result' | 'columns' | 'types' | 'hasMore'>> {
  const { db, project, usage, now } = c.var
  const read = readInsight(row, project, now)
  if (!read) {
    return { result: [] }
  }
  if ('trend' in read) {
    return { result: (await computeTrend(db, project, { query: read.trend, now })).result }
  }
  expectReader(read, c.var)
  const answer = await read.compute({ db, project, usage })
  const { columns, types, hasMore } = RowsAnswer.parse(answer)
  return {
    result: answer.results as InsightJson['result'],
    ...(columns && { columns, types, hasMore })
  }
}

/** @throws invalid_input, attr `filters`, if a `query` would override them */
function expectOneDefinition(
  before: InsightRow,
  { filters, query = before.query }: InsightInput
): void {
  if (saysSomething(filters) && saysSomething(query)) {
    throw new AppError(
      'invalid_input',
      'An insight uses its `query` instead of `filters`: to use `filters`, set `query` to null in the same request.',
      'filters'
    )
  }
}

/**
 * @throws the errors of an invalid trend, such as invalid_input and query_too_large; permission_denied
 * for a key without the scopes that the query needs; does_not_exist for an unknown dashboard
 */
async function expectValid(c: Context<AppEnv>, input: InsightInput): Promise<void> {
  const { db, project, usage, now } = c.var
  const ignoredFields: string[] = []
  expectOneForm(fieldsOf(input))
  const read = readInsight(input, project, now, ignoredFields)
  if (read && 'draw' in read) {
    for (const scopes of read.needs) {
      expectScope(c.var.key, scopes)
    }
    await read.check({ db, project, usage })
  }
  nameIgnored(c, ignoredFields)
  const [missing] = await findMissingDashboards({ db, project }, input.dashboards ?? [])
  if (missing === undefined) {
    return
  }
  const at = `dashboards__${input.dashboards?.indexOf(missing)}`
  throw new AppError('does_not_exist', `Invalid pk "${missing}" - object does not exist.`, at)
}
