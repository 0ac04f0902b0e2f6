import { describe } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { BulkDeleted, DeletionPreview, DeletionTask, MAX_PERSONS } from './schemas.ts'

export const DELETE = describe({
  id: 'persons_delete',
  tag: 'Persons',
  summary: 'Delete a person',
  description:
    'The person and its distinct ids are deleted at once, the history of its properties within seconds. Events that were accepted before the deletion and are processed after it do not recreate the person: they are dropped, or deleted with the others. Without `delete_events`, the events are kept and attributed to one anonymous person; their own properties are unchanged. Without `delete_recordings`, the recordings are kept and belong to no person. Kept events and recordings can be deleted later with `persons/complete_deletion/`, for `COMPLETION_DAYS` days (30 by default). A distinct id that is used again starts a new person. `delete_events`, `delete_recordings` and `dry_run` may also be sent in a JSON body; a field that is in the URL and in the body must have the same value in both. With `dry_run`, nothing is deleted: the answer counts the rows that would be deleted and kept, by store, and shows what else names the person. With `search_mentions`, the receipt says how much that is.',
  answers: {
    200: { text: 'Dry run: nothing is deleted.', schema: DeletionPreview },
    204: { text: 'Deleted.' }
  },
  refusals: [['invalid_input', 'Must be a valid boolean.', 'delete_events']]
})

export const BULK_DELETE = describe({
  id: 'persons_bulk_delete',
  tag: 'Persons',
  summary: 'Delete many persons',
  description: `Deletes up to ${MAX_PERSONS} persons, named by \`ids\` or by \`distinct_ids\`, in one transaction, with the same effect as deleting each person separately. A distinct id also finds a visitor without a person, whose events were sent with \`$process_person_profile: false\`: this visitor is deleted in the same way, with a task and a receipt under a new UUID, and counts as a person in the answer. Ids that do not exist are reported as \`not_found\`, not as an error. Send \`delete_events\`, \`delete_recordings\` and \`dry_run\` in the body or in the query; a field that is in both must have the same value. With \`dry_run\`, nothing is deleted: \`preview\` counts the rows that would be deleted and kept, by store.`,
  answers: { 200: { text: 'The result for each person.', schema: BulkDeleted } },
  refusals: [
    ['invalid_input', 'Provide either ids or distinct_ids.'],
    ['blank', 'This field may not be blank.', 'distinct_ids__0'],
    ['max_length', 'Ensure this field has no more than 1000 characters.', 'distinct_ids__0'],
    ['invalid_input', 'Must be a valid boolean.', 'delete_events']
  ]
})

export const STATUS = describe({
  id: 'persons_deletion_status',
  tag: 'Persons',
  summary: 'List deletion tasks and their receipts',
  description:
    'Lists a task for every deleted person, newest first. If a later request deletes what a completed task kept, it has a task of its own. Everything but events is deleted at once, and a task that keeps the events is usually completed within seconds. Events are deleted on the next Sunday at 05:00 UTC. The receipt of a completed task states which data was deleted and which data is kept.',
  answers: {
    200: { text: 'A page of tasks.', schema: pageSchema('DeletionTaskPage', DeletionTask) }
  },
  refusals: [
    [
      'invalid_choice',
      '"done" is not a valid choice. Choices: all, pending, queued, running, completed, failed.',
      'status'
    ]
  ]
})
