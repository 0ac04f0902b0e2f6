import { describe } from '../../http/openapi.ts'
import { DeletionCompleted } from './schemas.ts'

export const COMPLETE = describe({
  id: 'persons_complete_deletion',
  tag: 'Persons',
  summary: 'Delete data that earlier deletions kept',
  description:
    'Finds deleted persons by their UUIDs or by distinct ids that they had, and deletes the events and recordings that their deletions kept. This is possible for `COMPLETION_DAYS` days (30 by default) after a deletion; then the link to the kept data is removed. If a deletion is not completed yet, its own task deletes this data too. If it is completed, a new task with its own receipt deletes the data; if that task still keeps data, the `COMPLETION_DAYS` start over. With `dry_run`, nothing is deleted: `preview` counts the rows that would be deleted and kept, by store.',
  answers: { 200: { text: 'The result for each UUID or distinct id.', schema: DeletionCompleted } },
  refusals: [
    ['invalid_input', 'Provide either ids or distinct_ids.'],
    ['invalid_input', 'Delete events, recordings or both.', 'delete_events'],
    ['invalid_input', 'Must be a valid boolean.', 'delete_events']
  ]
})
