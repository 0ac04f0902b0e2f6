import { describe, type Refusal } from '../http/openapi.ts'
import { pageSchema } from '../http/page.ts'
import { SubscriptionDraftPreview, SubscriptionJson, SubscriptionPreview } from './schemas.ts'

const SubscriptionPage = pageSchema('SubscriptionPage', SubscriptionJson)
const NOT_FOUND: Refusal = ['not_found', 'Not found.']
const WRITE_REFUSALS: Refusal[] = [
  ['does_not_exist', 'Invalid pk "9" - object does not exist.', 'insight'],
  ['max_value', 'Ensure this value is less than or equal to 2147483647.', 'interval']
]

export const LIST = describe({
  id: 'subscriptions_list',
  tag: 'Subscriptions',
  summary: 'List subscriptions',
  answers: { 200: { text: 'A page of subscriptions.', schema: SubscriptionPage } }
})

export const CREATE = describe({
  id: 'subscriptions_create',
  tag: 'Subscriptions',
  summary: 'Create a subscription',
  description: `Delivers insights to e-mail addresses, a Slack channel or a webhook on a schedule: an iCalendar recurrence \
in the local time of \`timezone\`, across clock changes. A time that the clock skips is delivered right after the gap; a time \
that it shows twice is delivered once. For a webhook, the response contains the secret that signs its requests; reading \
the subscription later does not show it.`,
  answers: { 201: { text: 'The subscription.', schema: SubscriptionJson } },
  refusals: [
    ...WRITE_REFUSALS,
    ['invalid_input', 'This address is in a private network.', 'target_value'],
    ['conflict', 'This idempotency key was used for another request.', 'Idempotency-Key']
  ]
})

export const RETRIEVE = describe({
  id: 'subscriptions_retrieve',
  tag: 'Subscriptions',
  summary: 'Retrieve a subscription',
  answers: { 200: { text: 'The subscription, even if it is deleted.', schema: SubscriptionJson } },
  refusals: [NOT_FOUND]
})

export const UPDATE = describe({
  id: 'subscriptions_partial_update',
  tag: 'Subscriptions',
  summary: 'Change a subscription',
  description: `Changes only the fields in the body. \`deleted: true\` or \`enabled: false\` stops deliveries, even those that are due \
but not yet sent; \`deleted: false\` or \`enabled: true\` continues with the next occurrence. After a change of the schedule, occurrences that were already \
due are still delivered.`,
  answers: { 200: { text: 'The subscription.', schema: SubscriptionJson } },
  refusals: [NOT_FOUND, ...WRITE_REFUSALS]
})

export const DESTROY = describe({
  id: 'subscriptions_destroy',
  tag: 'Subscriptions',
  summary: 'Delete a subscription',
  description:
    'Stops all deliveries, except for an attempt that has already begun. PATCH with `deleted: false` restores the subscription.',
  answers: { 204: { text: 'Deleted.' } },
  refusals: [NOT_FOUND]
})

export const PREVIEW = describe({
  id: 'subscriptions_preview',
  tag: 'Subscriptions',
  summary: 'Preview the next deliveries',
  description:
    'Lists the next occurrences of the schedule, also while the subscription is paused or deleted.',
  answers: { 200: { text: 'The next occurrences.', schema: SubscriptionPreview } },
  refusals: [NOT_FOUND, ['min_value', 'Ensure this value is greater than or equal to 1.', 'n']]
})

export const DRAFT = describe({
  id: 'subscriptions_draft_preview',
  tag: 'Subscriptions',
  summary: 'Preview a new subscription',
  description:
    'Takes the body of a new subscription, stores and sends nothing, and shows the next occurrences of its schedule, and its first message with the numbers of now. Links in the message do not work.',
  answers: {
    200: { text: 'The next occurrences, and the message.', schema: SubscriptionDraftPreview }
  },
  refusals: [
    ...WRITE_REFUSALS,
    ['invalid_input', 'This address is in a private network.', 'target_value']
  ]
})
