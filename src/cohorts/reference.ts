import { describe, type Refusal } from '../http/openapi.ts'
import { pageSchema } from '../http/page.ts'
import { SuccessJson } from '../persons/schemas.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { AddedJson, CohortJson } from './schemas.ts'

const CohortPage = pageSchema('CohortPage', CohortJson)

const NOT_FOUND: Refusal = ['not_found', 'Not found.']

export const NOT_STATIC =
  'The members of this cohort cannot be edited: its filters say who is in it. Only a static cohort has members of its own.'

const FILTER_REFUSALS: Refusal[] = [
  ['required', 'This field is required.', 'filters'],
  [
    'invalid_input',
    '`performed_event_sequence` is not supported: a cohort is by whether, how often or when first somebody did something. Supported: performed_event, performed_event_multiple, performed_event_first_time.',
    'filters__properties__values__0__value'
  ],
  ['invalid_input', 'The cohort 9 does not exist, or was deleted.', 'filters']
]

export const LIST = describe({
  id: 'cohorts_list',
  tag: 'Cohorts',
  summary: 'List cohorts',
  description: 'Newest first.',
  answers: { 200: { text: 'A page of cohorts.', schema: CohortPage } }
})
export const CREATE = describe({
  id: 'cohorts_create',
  tag: 'Cohorts',
  summary: 'Create a cohort',
  description:
    'A cohort has filters, which say who is in it whenever it is used, or it is static and has members of its own: those with the given UUIDs, those that a CSV file names, or those that an `ActorsQuery` finds.',
  answers: { 201: { text: 'The cohort.', schema: CohortJson } },
  refusals: [
    ...FILTER_REFUSALS,
    ['query_too_large', TOO_MUCH_WORK, 'query__properties'],
    ['invalid_input', 'The first line must name a column person_id, distinct_id or email.', 'csv']
  ]
})
export const RETRIEVE = describe({
  id: 'cohorts_retrieve',
  tag: 'Cohorts',
  summary: 'Retrieve a cohort',
  description: 'Counts the persons who are in the cohort now.',
  answers: { 200: { text: 'The cohort.', schema: CohortJson } },
  refusals: [NOT_FOUND]
})
export const UPDATE = describe({
  id: 'cohorts_partial_update',
  tag: 'Cohorts',
  summary: 'Change a cohort',
  description:
    'Changes only the fields in the body. `deleted: true` deletes the cohort, like `DELETE`. Filters that name a deleted cohort are refused from then on, also those of insights.',
  answers: { 200: { text: 'The cohort.', schema: CohortJson } },
  refusals: [NOT_FOUND, ...FILTER_REFUSALS]
})
export const DESTROY = describe({
  id: 'cohorts_destroy',
  tag: 'Cohorts',
  summary: 'Delete a cohort',
  description:
    'Deletes the cohort and the list of its members, not the persons. Filters that name it are refused from then on, also those of insights.',
  answers: { 204: { text: 'The cohort is deleted.' } },
  refusals: [NOT_FOUND]
})
export const ADD_MEMBERS = describe({
  id: 'cohorts_add_persons',
  tag: 'Cohorts',
  summary: 'Add persons to a static cohort',
  answers: { 200: { text: 'What was found.', schema: AddedJson } },
  refusals: [NOT_FOUND, ['invalid_input', NOT_STATIC]]
})
export const REMOVE_MEMBER = describe({
  id: 'cohorts_remove_person',
  tag: 'Cohorts',
  summary: 'Remove a person from a static cohort',
  answers: { 200: { text: 'The person is no longer a member.', schema: SuccessJson } },
  refusals: [NOT_FOUND, ['invalid_input', NOT_STATIC]]
})
