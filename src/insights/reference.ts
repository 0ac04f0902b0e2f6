import { describe, type Refusal } from '../http/openapi.ts'
import { pageSchema } from '../http/page.ts'
import { MAX_SERIES } from '../trends/query.ts'
import { InsightJson } from './schemas.ts'

const InsightPage = pageSchema('InsightPage', InsightJson)

const NOT_FOUND: Refusal = ['not_found', 'Not found.']

const WRITE_REFUSALS: Refusal[] = [
  ['required', 'This field is required.', 'filters__events__0__math_property'],
  ['min_value', 'Ensure this value is greater than or equal to 1.', 'filters__breakdown_limit'],
  ['max_value', 'Ensure this value is less than or equal to 9007199254740991.', 'order'],
  ['null', 'This field may not be null.', 'saved'],
  ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series'],
  ['does_not_exist', 'Invalid pk "9" - object does not exist.', 'dashboards__0']
]

export const LIST = describe({
  id: 'insights_list',
  tag: 'Insights',
  summary: 'List insights',
  description: 'Lists insights, newest first, without deleted insights.',
  answers: { 200: { text: 'A page of insights.', schema: InsightPage } }
})
export const CREATE = describe({
  id: 'insights_create',
  tag: 'Insights',
  summary: 'Save an insight',
  description:
    'Send a valid trend as `filters` or `query`, another kind of `query` that answers with numbers, or neither for an empty insight.',
  answers: { 201: { text: 'The insight.', schema: InsightJson } },
  refusals: WRITE_REFUSALS
})
export const RETRIEVE = describe({
  id: 'insights_retrieve',
  tag: 'Insights',
  summary: 'Retrieve an insight',
  answers: { 200: { text: 'The insight.', schema: InsightJson } },
  refusals: [NOT_FOUND, ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']]
})
export const UPDATE = describe({
  id: 'insights_partial_update',
  tag: 'Insights',
  summary: 'Change an insight',
  description:
    'Changes only the fields in the body. `deleted: true` hides the insight, `false` restores it.',
  answers: { 200: { text: 'The insight.', schema: InsightJson } },
  refusals: [NOT_FOUND, ...WRITE_REFUSALS]
})
export const DESTROY = describe({
  id: 'insights_destroy',
  tag: 'Insights',
  summary: 'Delete an insight',
  description: 'Hides the insight. PATCH with `deleted: false` restores it.',
  answers: { 204: { text: 'The insight is deleted.' } },
  refusals: [NOT_FOUND]
})
