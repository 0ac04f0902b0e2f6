import type { Context } from 'hono'
import * as z from 'zod'
import { openProject } from '../../access/open.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { NotFoundError } from '../../errors.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { answerNotice, behindLink } from '../../http/notice.ts'
import { describe, type Refusal } from '../../http/openapi.ts'
import { validatePath } from '../../http/validation.ts'
import { findSubscription, type SubscriptionRow, updateSubscription } from '../store.ts'
import { recipientsOf } from '../terms.ts'
import { isSealed, readTicket, withoutAddress } from './ticket.ts'

const TicketPath = z.object({
  ticket: z.string().meta({ description: 'The ticket from the link in an e-mail.' })
})

const REFUSALS: Refusal[] = [
  ['not_found', 'Not found.'],
  ['unavailable', 'The database cannot take the request now.']
]

const ASK = describe({
  id: 'unsubscribe_page',
  tag: 'Subscriptions',
  takesAnyQuery: true,
  summary: 'Ask whether to unsubscribe',
  description:
    'The page that the link in an e-mail opens. It changes nothing, because mail filters open links, too.',
  answers: { 200: { text: 'A page.', type: 'text/html' } },
  refusals: REFUSALS
})
const UNSUBSCRIBE = describe({
  id: 'unsubscribe',
  tag: 'Subscriptions',
  takesAnyQuery: true,
  summary: 'Unsubscribe',
  description:
    'Removes the address of the link from its subscription, without a key; removing the last address deletes the subscription, or stops the alert. Mail programs offer it as one-click unsubscribe (RFC 8058). Repeating it has no further effect.',
  answers: { 200: { text: 'A page.', type: 'text/html' } },
  refusals: REFUSALS
})

const DONE = {
  title: 'Unsubscribed',
  words: 'This address gets no more e-mails from here.'
}
const BROKEN = {
  title: 'This link does not work',
  words:
    'Nothing has been changed. The link may have been cut off on the way: open it again from the e-mail, or copy it in full.'
}

export const unsubscribeRoutes = createRouter()
  .get('/unsubscribe/:ticket', ASK, behindLink(BROKEN), validatePath(TicketPath), async (c) => {
    const subscribed = await findSubscribed(c, c.req.valid('param').ticket)
    if (!subscribed) {
      return answerNotice(c, DONE)
    }
    const name = subscribed.row.title
      ? `“${subscribed.row.title}”`
      : `this ${subscribed.row.checks ? 'alert' : 'subscription'}`
    return answerNotice(c, {
      title: 'Unsubscribe',
      words: `Stop the e-mails from ${name} to this address?`,
      button: 'Unsubscribe'
    })
  })
  .post(
    '/unsubscribe/:ticket',
    UNSUBSCRIBE,
    behindLink(BROKEN),
    validatePath(TicketPath),
    async (c) => {
      await retryConflicts(async () => {
        const subscribed = await findSubscribed(c, c.req.valid('param').ticket)
        if (!subscribed) {
          return
        }
        const { db, row, others } = subscribed
        const isLast = others.length === 0
        await updateSubscription(db, row, {
          targetValue: others.join(', '),
          ...(isLast && { deleted: true, nextDeliveryDate: null })
        })
      })
      return answerNotice(c, DONE)
    }
  )

type Subscribed = { db: Db; row: SubscriptionRow; others: string[] }

/**
 * Finds the subscription of a link, also a deleted one, which may be restored.
 * @returns undefined when the link's address is no longer subscribed
 * @throws not_found for a link that this service did not make
 */
async function findSubscribed(c: Context<AppEnv>, token: string): Promise<Subscribed | undefined> {
  const ticket = readTicket(token)
  if (!ticket) {
    throw new NotFoundError()
  }
  const open = await openProject(c.env, ticket.projectId, c.var.usage)
  if (!open) {
    throw new NotFoundError()
  }
  const { project, db } = open
  c.set('projectId', project.id)
  const row = await findSubscription({ db, project }, ticket.subscriptionId)
  if (!row || !(await isSealed(row, ticket))) {
    throw new NotFoundError()
  }
  const addresses = row.targetType === 'email' ? recipientsOf(row.targetValue) : []
  const others = await withoutAddress(row, addresses, ticket)
  return others && { db, row, others }
}
