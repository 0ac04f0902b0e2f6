import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import type { Scope } from '../../access/open.ts'
import { findMembers } from '../../access/store.ts'
import { userToJson } from '../../access/user.ts'
import { noDate, readFrom, readUntil } from '../../calendar/dates.ts'
import { openControl } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { NotFoundError } from '../../errors.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { answerList, NO_CURSOR, PageQuery, readPage } from '../../http/page.ts'
import { expectUnchanged } from '../../http/read-only-fields.ts'
import {
  agree,
  expectNoBody,
  validateBody,
  validatePath,
  validateQuery
} from '../../http/validation.ts'
import { Whole, wholeFrom } from '../../input/parameters.ts'
import { findInsights } from '../../insights/store.ts'
import { changeAlert, newAlert, readDraft, type Writing } from './change.ts'
import { previewAlert } from './preview.ts'
import { CREATE, DESTROY, LIST, PREVIEW, RETRIEVE, UPDATE } from './reference.ts'
import { AlertChange, AlertInput } from './request.ts'
import { type AlertInsight, type AlertJson, alertToJson, checkToJson } from './schemas.ts'
import {
  type Alert,
  deleteAlert,
  findAlert,
  insertAlert,
  listAlerts,
  listChecks,
  replaceAlert
} from './store.ts'

const AlertPath = z.object({ id: z.string().toLowerCase().meta({ description: 'The UUID.' }) })

const ListQuery = PageQuery.omit({ cursor: true }).extend({
  insight: Whole.optional().meta({ description: 'Only alerts on this insight.' }),
  insight_id: Whole.optional().meta({ description: 'The same as `insight`.' })
})

const MAX_CHECKS = 500

const DateText = z.string().max(100).optional()

const RetrieveQuery = z.object({
  checks_limit: wholeFrom(1)
    .default(5)
    .transform((limit) => Math.min(limit, MAX_CHECKS))
    .meta({ description: `The number of checks to show: 5 by default, ${MAX_CHECKS} at most.` }),
  checks_offset: Whole.default(0).meta({ description: 'The index of the first check.' }),
  checks_date_from: DateText.meta({ description: 'Only checks from this date on.' }),
  checks_date_to: DateText.meta({ description: 'Only checks up to this date.' })
})

/** Read-only fields of which a client may send back an old value. */
const CHANGING = [
  'state',
  'last_notified_at',
  'last_checked_at',
  'next_check_at',
  'last_value',
  'paused_reason',
  'checks',
  'checks_total'
]

export const alertRoutes = createRouter()
  .get('/alerts', LIST, allow('alert:read'), validateQuery(ListQuery), async (c) => {
    const { insight, insight_id, ...query } = c.req.valid('query')
    const page = readPage(c.req.url, NO_CURSOR, query)
    const found = await listAlerts(c.var, agree('insight', insight, insight_id), page.rows)
    const shown = await showAlerts(c, found.rows)
    return answerList(c, page, { rows: shown, count: found.count }, { toJson: (alert) => alert })
  })
  .post('/alerts', CREATE, allow('alert:write'), validateBody(AlertInput), async (c) => {
    const { user } = c.var
    const { origin } = new URL(c.req.url)
    const made = await newAlert(writing(c), c.req.valid('json'), { user, origin })
    await insertAlert(c.var.db, made)
    return c.json({ ...(await showAlert(c, made)), ...secretOf(made) }, 201)
  })
  .post(
    '/alerts/preview',
    PREVIEW,
    // It shows the numbers of an insight, as an alert to one's own address would.
    allow('alert:write'),
    validateBody(AlertInput),
    async (c) => {
      const { query, ...asked } = await readDraft(writing(c), c.req.valid('json'))
      return c.json(await previewAlert(c.var, query, asked, c.var.now))
    }
  )
  .get(
    '/alerts/:id',
    RETRIEVE,
    allow('alert:read'),
    validatePath(AlertPath),
    validateQuery(RetrieveQuery),
    async (c) => {
      const { project, now } = c.var
      const query = c.req.valid('query')
      const found = await getAlert(c.var, c.req.valid('param').id)
      const { rows, count } = await listChecks(c.var, found.subscription.id, {
        from: readDate('checks_date_from', query.checks_date_from, (text) =>
          readFrom(text, project, now)
        ),
        until: readDate('checks_date_to', query.checks_date_to, (text) =>
          readUntil(text, 'minute', project, now)
        ),
        limit: query.checks_limit,
        offset: query.checks_offset
      })
      return c.json({
        ...(await showAlert(c, found)),
        checks: rows.map(checkToJson),
        checks_total: count
      } satisfies AlertJson)
    }
  )
  .patch(
    '/alerts/:id',
    UPDATE,
    allow('alert:write'),
    validatePath(AlertPath),
    validateBody(AlertChange),
    async (c) => {
      const [changed, before] = await retryConflicts(async () => {
        const before = await getAlert(c.var, c.req.valid('param').id)
        expectUnchanged(c.var.ignoredFields, [await showAlert(c, before)], CHANGING)
        const changed = await changeAlert(writing(c), c.req.valid('json'), before)
        await replaceAlert(c.var.db, before, changed)
        return [changed, before] as const
      })
      const isNewWebhook = before.subscription.targetType !== 'webhook'
      return c.json({ ...(await showAlert(c, changed)), ...(isNewWebhook && secretOf(changed)) })
    }
  )
  .delete(
    '/alerts/:id',
    DESTROY,
    allow('alert:write'),
    validatePath(AlertPath),
    expectNoBody,
    async (c) => {
      await retryConflicts(async () => {
        await deleteAlert(c.var.db, await getAlert(c.var, c.req.valid('param').id))
      })
      return c.body(null, 204)
    }
  )

/** Finds an alert. @throws not_found */
async function getAlert(scope: Scope, id: string): Promise<Alert> {
  const found = await findAlert(scope, id)
  if (!found) {
    throw new NotFoundError()
  }
  return found
}

const writing = (c: Context<AppEnv>): Writing => ({
  open: c.var,
  control: openControl(c.env, c.var.usage).db,
  outboundAllow: c.env.OUTBOUND_ALLOW,
  now: c.var.now
})

/** The secret of a webhook, which is shown once. */
const secretOf = ({ subscription }: Alert) =>
  subscription.targetType === 'webhook' ? { webhook_secret: subscription.secret } : {}

/** Returns alerts as the API shows them, with their insights and users. */
async function showAlerts(c: Context<AppEnv>, found: Alert[]): Promise<AlertJson[]> {
  const { db, project, now } = c.var
  const insights = await findInsights(
    { db, project },
    found.flatMap(({ subscription }) => subscription.insightId ?? [])
  )
  const ids = [...new Set(found.flatMap(({ alert }) => alert.subscribedUsers))]
  const users =
    ids.length > 0 ? await findMembers(openControl(c.env, c.var.usage).db, project, ids) : []
  return found.map((one) => {
    const insight = insights.find(({ id }) => id === one.subscription.insightId)
    return alertToJson(one, {
      insight: insight
        ? insightOf(insight)
        : { ...NO_INSIGHT, id: one.subscription.insightId ?? 0 },
      users: users.map(userToJson),
      now: now.getTime()
    })
  })
}

async function showAlert(c: Context<AppEnv>, alert: Alert): Promise<AlertJson> {
  const [shown] = await showAlerts(c, [alert])
  if (!shown) {
    throw new NotFoundError()
  }
  return shown
}

/** Stands for an insight that has been deleted. */
const NO_INSIGHT = { short_id: '', name: null, derived_name: null }

const insightOf = (row: {
  id: number
  shortId: string
  name: string | null
  derivedName: string | null
}): AlertInsight => ({
  id: row.id,
  short_id: row.shortId,
  name: row.name,
  derived_name: row.derivedName
})

/** @throws invalid_input, attr the parameter, for a text that is not a date */
function readDate(
  attr: string,
  text: string | undefined,
  read: (text: string) => number | undefined
): number | undefined {
  const time = text === undefined ? undefined : read(text)
  if (text !== undefined && time === undefined) {
    throw noDate(text, attr)
  }
  return time
}
