import { describe } from '../../http/openapi.ts'
import { DeletionCompleted } from './schemas.ts'

export const COMPLETE = describe({
  id: 'persons_complete_deletion',
  tag: 'Persons',
  summary: 'Delete data that earlier deletions kept',
  description:
    'Finds persons that were deleted before, by their UUIDs or by distinct ids that they had, and deletes the events and recordings that were kept. This is possible for `COMPLETION_DAYS` days (30 by default) after a deletion; then the link to the kept data is removed. A deletion that is not completed yet is widened; for a completed one, there is a new task with a receipt of its own, and if that task still keeps data, the days begin again. With `dry_run`, nothing is deleted: `preview` counts the rows that would be deleted and kept, by store.',
  answers: { 200: { text: 'The result for each name.', schema: DeletionCompleted } },
  refusals: [
    ['invalid_input', 'Provide either ids or distinct_ids.'],
    ['invalid_input', 'Delete events, recordings or both.', 'delete_events'],
    ['invalid_input', 'Must be a valid boolean.', 'delete_events']
  ]
})
