import { describe, type Refusal } from '../http/openapi.ts'
import { pageSchema } from '../http/page.ts'
import { AnnotationJson } from './schemas.ts'

const AnnotationPage = pageSchema('AnnotationPage', AnnotationJson)

const NOT_FOUND: Refusal = ['not_found', 'Not found.']

const WRITE_REFUSALS: Refusal[] = [
  [
    'required',
    'This field is required: it names the insight of the annotation. For an annotation on all insights, send `scope` as `project`.',
    'dashboard_item'
  ],
  ['does_not_exist', 'Invalid pk "9" - object does not exist.', 'dashboard_item']
]

export const LIST = describe({
  id: 'annotations_list',
  tag: 'Annotations',
  summary: 'List annotations',
  description:
    'Lists annotations, the latest `date_marker` first, without deleted annotations and without those of deleted insights and dashboards.',
  answers: { 200: { text: 'A page of annotations.', schema: AnnotationPage } },
  refusals: [
    [
      'invalid_input',
      '`date_from` must be an ISO date or a relative date such as `-7d`; got "tomorow".',
      'date_from'
    ]
  ]
})
export const CREATE = describe({
  id: 'annotations_create',
  tag: 'Annotations',
  summary: 'Create an annotation',
  description:
    'Charts show the text above a dotted line at `date_marker`: those of the API, of shared pages and of subscriptions. Anyone who can see such a chart can read the text.',
  answers: { 201: { text: 'The annotation.', schema: AnnotationJson } },
  refusals: WRITE_REFUSALS
})
export const RETRIEVE = describe({
  id: 'annotations_retrieve',
  tag: 'Annotations',
  summary: 'Retrieve an annotation',
  answers: { 200: { text: 'The annotation.', schema: AnnotationJson } },
  refusals: [NOT_FOUND]
})
export const UPDATE = describe({
  id: 'annotations_partial_update',
  tag: 'Annotations',
  summary: 'Change an annotation',
  description:
    'Changes only the fields in the body. `deleted: true` hides the annotation, `false` restores it.',
  answers: { 200: { text: 'The annotation.', schema: AnnotationJson } },
  refusals: [NOT_FOUND, ...WRITE_REFUSALS]
})
