import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import type { Scope } from '../../access/open.ts'
import { userToJson } from '../../access/user.ts'
import { AppError, NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { answerList, NO_CURSOR, PageQuery, pageSchema, readPage } from '../../http/page.ts'
import { expectUnchanged } from '../../http/read-only-fields.ts'
import { expectNoBody, validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { isEmpty, type JsonObject } from '../../input/json.ts'
import { KnownId } from '../../input/parameters.ts'
import { findInsights, findTiles, insightToJson } from '../store.ts'
import { DashboardChange, DashboardInput, DashboardJson, DashboardSummary } from './schemas.ts'
import {
  type DashboardRow,
  dashboardToJson,
  findDashboard,
  findWithDeleted,
  insertDashboard,
  listDashboards,
  listTiles,
  updateDashboard
} from './store.ts'

const DashboardPath = z.object({ id: KnownId })
const DashboardPage = pageSchema('DashboardPage', DashboardSummary)

const LIST = describe({
  id: 'dashboards_list',
  tag: 'Dashboards',
  summary: 'List dashboards',
  description: 'Lists dashboards, newest first, without deleted dashboards and without tiles.',
  answers: { 200: { text: 'A page of dashboards.', schema: DashboardPage } }
})
const CREATE = describe({
  id: 'dashboards_create',
  tag: 'Dashboards',
  summary: 'Create a dashboard',
  description: 'To put an insight on the dashboard, set the `dashboards` of the insight.',
  answers: { 201: { text: 'The dashboard.', schema: DashboardSummary } },
  refusals: [['null', 'This field may not be null.', 'tags']]
})
const RETRIEVE = describe({
  id: 'dashboards_retrieve',
  tag: 'Dashboards',
  summary: 'Retrieve a dashboard with its tiles',
  answers: { 200: { text: 'The dashboard.', schema: DashboardJson } },
  refusals: [['not_found', 'Not found.']]
})
const UPDATE = describe({
  id: 'dashboards_partial_update',
  tag: 'Dashboards',
  summary: 'Change a dashboard',
  description:
    'Changes only the fields in the body. `deleted: true` hides the dashboard, `false` restores it.',
  answers: { 200: { text: 'The dashboard.', schema: DashboardSummary } },
  refusals: [
    ['not_found', 'Not found.'],
    ['null', 'This field may not be null.', 'tags'],
    ['invalid_input', '`tiles` must name each tile of the dashboard once: 3, 5.', 'tiles']
  ]
})
const DESTROY = describe({
  id: 'dashboards_destroy',
  tag: 'Dashboards',
  summary: 'Delete a dashboard',
  description: 'Hides the dashboard; its insights stay. PATCH with `deleted: false` restores it.',
  answers: { 204: { text: 'The dashboard is deleted.' } },
  refusals: [['not_found', 'Not found.']]
})

export const dashboardRoutes = createRouter()
  .get(
    '/dashboards',
    LIST,
    allow('dashboard:read'),
    validateQuery(PageQuery.omit({ cursor: true })),
    async (c) => {
      const page = readPage(c.req.url, NO_CURSOR, c.req.valid('query'))
      const found = await listDashboards(c.var, page.rows)
      return answerList(c, page, found, { toJson: dashboardToJson })
    }
  )
  .post(
    '/dashboards',
    CREATE,
    allow('dashboard:write'),
    validateBody(DashboardInput),
    async (c) => {
      const { user, now } = c.var
      const row = await insertDashboard(c.var, c.req.valid('json'), {
        by: userToJson(user),
        now
      })
      return c.json(dashboardToJson(row), 201)
    }
  )
  .get(
    '/dashboards/:id',
    RETRIEVE,
    allow('dashboard:read'),
    validatePath(DashboardPath),
    async (c) => {
      const { db, project } = c.var
      const row = await findDashboard({ db, project }, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      return c.json(await showDashboard(c.var, row))
    }
  )
  .patch(
    '/dashboards/:id',
    UPDATE,
    allow('dashboard:write'),
    validatePath(DashboardPath),
    validateBody(DashboardChange),
    async (c) => {
      const { id } = c.req.valid('param')
      const change = c.req.valid('json')
      await expectReadOnly(c.var, id, c.var.ignoredFields)
      await expectTiles(c.var, id, change)
      const row = await updateDashboard(c.var, id, change)
      if (!row) {
        throw new NotFoundError()
      }
      return c.json(dashboardToJson(row))
    }
  )
  .delete(
    '/dashboards/:id',
    DESTROY,
    allow('dashboard:write'),
    validatePath(DashboardPath),
    expectNoBody,
    async (c) => {
      const row = await findDashboard(c.var, c.req.valid('param').id)
      if (!row) {
        throw new NotFoundError()
      }
      await updateDashboard(c.var, row.id, { deleted: true })
      return c.body(null, 204)
    }
  )

async function showDashboard(scope: Scope, row: DashboardRow) {
  const placed = await listTiles(scope, row.id)
  const ids = placed.map(({ insightId }) => insightId)
  const insights = await findInsights(scope, ids)
  const everywhere = await findTiles(scope, ids)
  const tiles = placed.flatMap(({ id, insightId, width }) => {
    const insight = insights.find((one) => one.id === insightId)
    return insight ? [{ id, width, insight: insightToJson(insight, everywhere) }] : []
  })
  return { ...dashboardToJson(row), tiles }
}

/** @throws invalid_input, attr the field, for a read-only field with another value */
async function expectReadOnly(scope: Scope, id: number, sent: JsonObject): Promise<void> {
  const row = isEmpty(sent) ? undefined : await findWithDeleted(scope, id)
  if (row) {
    expectUnchanged(sent, [dashboardToJson(row)])
  }
}

/**
 * Tiles of deleted insights are not shown, so they need not be named.
 * @throws invalid_input, attr `tiles`, for a list that has not each tile once
 */
async function expectTiles(scope: Scope, id: number, { tiles }: DashboardChange): Promise<void> {
  const row = tiles && (await findWithDeleted(scope, id))
  if (!row) {
    return
  }
  const shown = (await showDashboard(scope, row)).tiles.map((tile) => tile.id)
  const given = new Set(tiles.map((tile) => tile.id))
  if (
    given.size < tiles.length ||
    given.size !== shown.length ||
    !shown.every((one) => given.has(one))
  ) {
    throw new AppError(
      'invalid_input',
      `\`tiles\` must name each tile of the dashboard once: ${shown.join(', ') || 'it has none'}. To add or remove one, set the \`dashboards\` of its insight.`,
      'tiles'
    )
  }
}
