import type { Context } from 'hono'
import * as z from 'zod'
import { type OpenProject, openProject } from '../../access/open.ts'
import { throttle } from '../../access/throttle.ts'
import { NotFoundError } from '../../errors.ts'
import { chartResponse } from '../../http/chart.ts'
import { csvResponse, FormatQuery, wantsCsv } from '../../http/csv.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { answerPage } from '../../http/html-page.ts'
import { behindLink } from '../../http/notice.ts'
import { describe } from '../../http/openapi.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { BOARD_QUERIES, computeInsights, leftOut } from '../../insights/charts/compute.ts'
import { csvOf } from '../../insights/charts/csv.ts'
import { boardPage, toShown } from '../../insights/charts/page.ts'
import { isSpent } from '../../queues/invocation.ts'
import { findSubject } from '../report.ts'
import { findSubscription, type SubscriptionRow } from '../store.ts'
import { computePicture, drawPicture } from './picture.ts'
import {
  isExpired,
  isSealed,
  PICTURE_DAYS,
  type PictureTicket,
  readPageTicket,
  readTicket
} from './ticket.ts'

const TicketPath = z.object({
  ticket: z.string().meta({ description: 'The ticket from the address in a message.' })
})

/** The format of the page's numbers; without it, the page. */
const PageFormat = FormatQuery.extend({
  format: z
    .literal('csv')
    .optional()
    .meta({ description: '`csv` for the numbers, a row for each bucket of each series.' })
})

const NO_CHART = 'There is no chart at this address.'
const EXPIRED = `This address has expired: it worked for ${PICTURE_DAYS} days. A newer message has a new address.`

const CHART = describe({
  id: 'subscription_chart',
  tag: 'Subscriptions',
  takesAnyQuery: true,
  summary: 'Show the chart in a message',
  description: `The picture that a message shows or links to. Its address needs no key: it is signed for one insight, one \
subscription and the time of one delivery. The address works for ${PICTURE_DAYS} days, unless the subscription or the insight is deleted.`,
  answers: { 200: { text: 'The chart.', type: 'image/png' } },
  refusals: [
    ['not_found', EXPIRED],
    ['query_too_large', 'A trend has at most 26 series.', 'series'],
    ['throttled', 'Request was throttled. Expected available in 20 seconds.'],
    ['unavailable', 'The database cannot take the request now.']
  ]
})

const PAGE = describe({
  id: 'subscription_page',
  tag: 'Subscriptions',
  takesAnyQuery: true,
  summary: 'Show the charts of a message as a page',
  description: `The page that an e-mail and a message in Slack link to: all charts of the subscription, as of the time of one \
delivery. Its address is signed and works like that of a chart.`,
  answers: { 200: { text: 'The page, or its numbers.', type: ['text/html', 'text/csv'] } },
  refusals: [
    ['not_found', EXPIRED],
    ['throttled', 'Request was throttled. Expected available in 20 seconds.'],
    ['unavailable', 'The database cannot take the request now.']
  ]
})

const DEAD = {
  title: 'This link does not work',
  words: `It may be incomplete, or older than ${PICTURE_DAYS} days, or its subscription was deleted. A newer message has a new link.`
}

export const pictureRoutes = createRouter()
  .get('/charts/:ticket', CHART, validatePath(TicketPath), async (c) => {
    const ticket = readTicket(c.req.valid('param').ticket)
    const { open, subscription } = await openTicket(c, ticket)
    const chart = ticket && (await computePicture(open, subscription, ticket))
    if (!chart) {
      throw new NotFoundError(NO_CHART)
    }
    c.header('Cache-Control', 'no-store')
    return chartResponse(c, drawPicture(chart), 'png')
  })
  .get(
    '/reports/:ticket',
    PAGE,
    behindLink(DEAD),
    validatePath(TicketPath),
    validateQuery(PageFormat),
    async (c) => {
      const isTable = wantsCsv(c, c.req.valid('query').format)
      const { open, subscription, at } = await openTicket(
        c,
        readPageTicket(c.req.valid('param').ticket)
      )
      const { insights, name, more } = await findSubject(open, subscription)
      const shown = { insights, dashboardId: subscription.dashboardId }
      const tiles = await computeInsights(open, shown, at, () =>
        isSpent(c.var.usage, BOARD_QUERIES)
      )
      const board = {
        title: name,
        description: '',
        timezone: open.project.timezone,
        computed_at: at.toISOString(),
        tiles: tiles.map(toShown),
        note: more > 0 ? leftOut(more) : ''
      }
      return isTable ? csvResponse(c, 'numbers', ...csvOf(board)) : answerPage(c, boardPage(board))
    }
  )

/** What a ticket gives access to. */
type Opened = { open: OpenProject; subscription: SubscriptionRow; at: Date }

/**
 * Opens a ticket. @throws not_found for one that this service did not make, or that has expired;
 * throttled
 */
async function openTicket(c: Context<AppEnv>, ticket: PictureTicket | undefined): Promise<Opened> {
  const opened = ticket && (await openSealed(c, ticket))
  if (!opened) {
    throw new NotFoundError(NO_CHART)
  }
  if (isExpired(ticket, c.var.now)) {
    throw new NotFoundError(EXPIRED)
  }
  await throttle(c.env, `chart ${ticket.projectId}`, 'insight:read', c.var.now)
  return { ...opened, at: new Date(ticket.at) }
}

/**
 * Opens the project of a ticket; undefined if this service did not make the ticket, or its
 * subscription was deleted.
 */
async function openSealed(
  c: Context<AppEnv>,
  ticket: PictureTicket
): Promise<Pick<Opened, 'open' | 'subscription'> | undefined> {
  const open = await openProject(c.env, ticket.projectId, c.var.usage)
  if (!open) {
    return undefined
  }
  const { project, db } = open
  const subscription = await findSubscription({ db, project }, ticket.subscriptionId)
  if (!subscription || subscription.deleted || !(await isSealed(subscription, ticket))) {
    return undefined
  }
  c.set('projectId', project.id)
  return { open, subscription }
}
