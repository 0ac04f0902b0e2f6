import type { Context } from 'hono'
import * as z from 'zod'
import { type OpenProject, openProject } from '../../access/open.ts'
import { throttle } from '../../access/throttle.ts'
import { NotFoundError } from '../../errors.ts'
import { chartResponse } from '../../http/chart.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { validatePath } from '../../http/validation.ts'
import { findSubscription } from '../store.ts'
import { computePicture, drawPicture } from './picture.ts'
import { isExpired, isSealed, PICTURE_DAYS, type PictureTicket, readTicket } from './ticket.ts'

const TicketPath = z.object({
  ticket: z.string().meta({ description: 'The ticket from the address in a message.' })
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

export const pictureRoutes = createRouter().get(
  '/charts/:ticket',
  CHART,
  validatePath(TicketPath),
  async (c) => {
    const ticket = readTicket(c.req.valid('param').ticket)
    const open = ticket && (await openSealed(c, ticket))
    if (!open) {
      throw new NotFoundError(NO_CHART)
    }
    if (isExpired(ticket, c.var.now)) {
      throw new NotFoundError(EXPIRED)
    }
    await throttle(c.env, `chart ${ticket.projectId}`, 'insight:read', c.var.now)
    const chart = await computePicture(open, ticket)
    if (!chart) {
      throw new NotFoundError(NO_CHART)
    }
    c.header('Cache-Control', 'no-store')
    return chartResponse(c, drawPicture(chart), 'png')
  }
)

/** Opens the project of a ticket; undefined if the ticket is forged or its subscription deleted. */
async function openSealed(
  c: Context<AppEnv>,
  ticket: PictureTicket
): Promise<OpenProject | undefined> {
  const open = await openProject(c.env, ticket.projectId, c.var.usage)
  if (!open) {
    return undefined
  }
  const { project, db } = open
  const subscription = await findSubscription(db, project.id, ticket.subscriptionId)
  if (!subscription || subscription.deleted || !(await isSealed(subscription, ticket))) {
    return undefined
  }
  c.set('projectId', project.id)
  return open
}
