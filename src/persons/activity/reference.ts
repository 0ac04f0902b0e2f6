import { TOO_LONG } from '../../http/csv.ts'
import { describe } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { ActivityJson } from './schemas.ts'

const ActivityPage = pageSchema('ActivityPage', ActivityJson)

export const OF_ALL = describe({
  id: 'persons_activity_list',
  tag: 'Persons',
  summary: 'List the activity of all persons',
  description:
    'Newest first. Includes the entries of deleted persons, without their distinct ids and the values of their properties.',
  answers: { 200: { text: 'A page of entries.', schema: ActivityPage } },
  refusals: [['query_too_large', TOO_LONG, 'limit']]
})

export const OF_ONE = describe({
  id: 'persons_activity',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: 'List the activity of a person',
  description:
    'Newest first: changes and suppressions through the API, with the user and the key, and merges caused by events. Includes the entries of persons that were merged into this person.',
  answers: { 200: { text: 'A page of entries.', schema: ActivityPage } },
  refusals: [['query_too_large', TOO_LONG, 'limit']]
})
