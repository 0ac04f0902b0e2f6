import { describe } from '../http/openapi.ts'
import { pageSchema } from '../http/page.ts'
import { PropertyParameters } from '../properties/parameters.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { TOO_LARGE } from './change.ts'
import { NO_ID } from './path.ts'
import { PersonJson, SplitJson, SuccessJson } from './schemas.ts'

export const PersonPage = pageSchema('PersonPage', PersonJson)

export const LIST = describe({
  id: 'persons_list',
  tag: 'Persons',
  summary: 'List persons',
  description:
    'Newest first. A person must match all given filters. CSV has a column for each property that any of the persons has, and lists every distinct id.',
  query: PropertyParameters,
  answers: { 200: { text: 'A page of persons.', schema: PersonPage } },
  refusals: [
    ['invalid_input', 'The operator "like" is not supported.', 'properties'],
    ['query_too_large', TOO_MUCH_WORK, 'properties']
  ]
})

export const LIST_MEMBERS = describe({
  id: 'cohorts_persons_list',
  tag: 'Cohorts',
  summary: 'List the persons in a cohort',
  description:
    'Lists who is in the cohort now, newest persons first, like `GET persons/?cohort=…`.',
  query: PropertyParameters,
  answers: { 200: { text: 'A page of persons.', schema: PersonPage } },
  refusals: [
    ['not_found', 'Not found.'],
    ['query_too_large', TOO_MUCH_WORK, 'properties']
  ]
})

export const RETRIEVE = describe({
  id: 'persons_retrieve',
  tag: 'Persons',
  summary: 'Retrieve a person',
  answers: { 200: { text: 'The person, with every distinct id.', schema: PersonJson } },
  refusals: [['invalid_input', NO_ID, 'id']]
})

export const UPDATE = describe({
  id: 'persons_update',
  tag: 'Persons',
  summary: 'Update a person',
  description:
    'Sets the given properties and keeps all others; null is a value like any other. The new values also win over events that happened earlier and arrive later.',
  answers: { 200: { text: 'The updated person.', schema: PersonJson } },
  refusals: [
    ['required', 'This field is required.', 'properties'],
    ['invalid_input', TOO_LARGE, 'properties']
  ]
})

export const DELETE_PROPERTY = describe({
  id: 'persons_delete_property',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: 'Delete a property of a person',
  description:
    'Send the key as `$unset`, in the body or in the query; if it is in both, the two must be the same. A key that the person does not have changes nothing.',
  answers: { 200: { text: 'The person no longer has the property.', schema: SuccessJson } },
  refusals: [
    ['required', 'This field is required.', '$unset'],
    ['blank', 'This field may not be blank.', '$unset']
  ]
})

export const SPLIT = describe({
  id: 'persons_split',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: 'Split a person',
  description:
    'Makes new persons of distinct ids of this person. By default, the distinct id that was seen first, which may be an anonymous one, stays, and all others leave. Each distinct id that leaves becomes a new person without properties and takes its past events along; this person keeps its properties. A person with a single distinct id stays as it is.',
  answers: { 200: { text: 'The new persons.', schema: SplitJson } },
  refusals: [['invalid_input', '"eve" is not a distinct id of this person.', 'main_distinct_id']]
})
