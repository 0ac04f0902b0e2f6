import { describe, type Refusal } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { AlertJson, AlertPreview } from './schemas.ts'

const AlertPage = pageSchema('AlertPage', AlertJson)
const NOT_FOUND: Refusal = ['not_found', 'Not found.']
const WRITE_REFUSALS: Refusal[] = [
  ['does_not_exist', 'Invalid pk "9" - object does not exist.', 'insight'],
  [
    'invalid_input',
    'Send `lower`, `upper` or both: without bounds, the alert would never fire.',
    'threshold__configuration__bounds'
  ],
  ['invalid_input', 'This address is in a private network.', 'target_value']
]

export const LIST = describe({
  id: 'alerts_list',
  tag: 'Alerts',
  summary: 'List alerts',
  answers: { 200: { text: 'A page of alerts, newest first.', schema: AlertPage } }
})
export const CREATE = describe({
  id: 'alerts_create',
  tag: 'Alerts',
  summary: 'Create an alert',
  description:
    'Checks each interval of a trend once, two minutes after it is over, and tells by e-mail, Slack or webhook when its number crosses a bound, and when that is over. The first check looks at the last interval that is over.',
  answers: { 201: { text: 'The alert.', schema: AlertJson } },
  refusals: WRITE_REFUSALS
})
export const PREVIEW = describe({
  id: 'alerts_preview',
  tag: 'Alerts',
  summary: 'Say when an alert would have fired',
  description:
    'Takes the body of a new alert, without recipients if they are not known yet, stores nothing, and answers with the moments of the last 30 days at which it would have fired.',
  answers: { 200: { text: 'When the alert would have fired.', schema: AlertPreview } },
  refusals: WRITE_REFUSALS
})
export const RETRIEVE = describe({
  id: 'alerts_retrieve',
  tag: 'Alerts',
  summary: 'Retrieve an alert with its last checks',
  answers: { 200: { text: 'The alert.', schema: AlertJson } },
  refusals: [NOT_FOUND]
})
export const UPDATE = describe({
  id: 'alerts_partial_update',
  tag: 'Alerts',
  summary: 'Change an alert',
  description:
    'Changes only the fields in the body. An alert that compares something else, wakes up or is enabled again begins anew with the last interval that is over.',
  answers: { 200: { text: 'The alert.', schema: AlertJson } },
  refusals: [NOT_FOUND, ...WRITE_REFUSALS]
})
export const DESTROY = describe({
  id: 'alerts_destroy',
  tag: 'Alerts',
  summary: 'Delete an alert',
  answers: { 204: { text: 'The alert is deleted.' } },
  refusals: [NOT_FOUND]
})
