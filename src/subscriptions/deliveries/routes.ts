import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { answerList, NO_CURSOR, PageQuery, pageSchema, readPage } from '../../http/page.ts'
import { expectNoBody, validatePath, validateQuery } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import { queueDeliveries } from '../due.ts'
import { DeliveryJson, deliveryToJson } from '../schemas.ts'
import { getSubscription } from '../store.ts'
import { DELIVERY_DAYS, insertTest, listDeliveries } from './store.ts'

const SubscriptionPath = z.object({ id: KnownId })
const DeliveryPage = pageSchema('SubscriptionDeliveryPage', DeliveryJson)

const DELIVERIES = describe({
  id: 'subscriptions_deliveries_list',
  tag: 'Subscriptions',
  summary: 'List the deliveries of a subscription',
  description: `Lists scheduled occurrences (delivered or not), test deliveries and notices, newest first. Of several missed occurrences, only the last is listed; \`missed\` counts the others. Deliveries are removed after ${DELIVERY_DAYS} days, except for the last successful occurrence.`,
  answers: { 200: { text: 'A page of deliveries.', schema: DeliveryPage } },
  refusals: [['not_found', 'Not found.']]
})
const TEST = describe({
  id: 'subscriptions_test',
  tag: 'Subscriptions',
  summary: 'Send a test delivery now',
  description:
    'Sends a delivery, marked as a test, to the recipients of the subscription. The schedule does not change.',
  answers: { 201: { text: 'The delivery, which is queued.', schema: DeliveryJson } },
  refusals: [['not_found', 'Not found.']]
})

export const deliveryRoutes = createRouter()
  .get(
    '/subscriptions/:id/deliveries',
    DELIVERIES,
    allow('subscription:read'),
    validatePath(SubscriptionPath),
    validateQuery(PageQuery.omit({ cursor: true })),
    async (c) => {
      const page = readPage(c.req.url, NO_CURSOR, c.req.valid('query'))
      const { id } = await getSubscription(c.var, c.req.valid('param').id)
      const found = await listDeliveries(c.var, id, page.rows)
      return answerList(c, page, found, { toJson: deliveryToJson })
    }
  )
  .post(
    '/subscriptions/:id/test',
    TEST,
    allow('subscription:write'),
    validatePath(SubscriptionPath),
    expectNoBody,
    async (c) => {
      const { db, project, now } = c.var
      const subscription = await getSubscription({ db, project }, c.req.valid('param').id)
      if (subscription.deleted) {
        throw new NotFoundError()
      }
      const row = await insertTest(db, subscription, now.getTime())
      await queueDeliveries(c.env.DELIVERY_QUEUE, [{ id: row.id, project_id: project.id }])
      return c.json(deliveryToJson(row), 201)
    }
  )
