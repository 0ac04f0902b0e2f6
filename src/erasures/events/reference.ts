import { DATE_GRAMMAR } from '../../calendar/dates.ts'
import { describe } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { MAX_EXAMINED } from './scan.ts'
import { EventDeletion, EventDeletionPreview } from './schemas.ts'

export const DELETE = describe({
  id: 'events_delete',
  tag: 'Events',
  summary: 'Delete events, or properties of events, by filters',
  description: `Deletes the events that match all filters; with \`properties\`, only these properties are removed from them. \
Persons stay: to delete a person with all data, use \
\`DELETE persons/{id}/?delete_events=true&delete_recordings=true\`.

A deletion takes two requests. With \`dry_run\`, nothing is deleted: the answer counts the events, and has a \`token\` that is \
valid for one hour (null if no event matches). Then send the same request with this \`token\` instead of \`dry_run\`. If other \
events match by then, it is refused with a 409 that says how many matched then and now. Otherwise exactly the events of the \
dry run are deleted, on the next Sunday at 05:00 UTC. Relative dates are relative to the time of the dry run. Sending a token \
again while it is valid returns the deletion that it has already created.

A request that would have to search more than ${MAX_EXAMINED} events is refused. A deleted event stays deleted even if an SDK \
sends it again with the same uuid.

\`after\` and \`before\`: ${DATE_GRAMMAR} Relative dates are rounded down: \`s\`, \`M\` and \`h\` to the second, minute or hour, \
longer units to the start of the day.`,
  answers: {
    200: { text: 'Dry run: nothing is deleted.', schema: EventDeletionPreview },
    201: { text: 'The deletion is queued.', schema: EventDeletion }
  },
  refusals: [
    ['required', 'Give at least one filter, for example `events` or `before`.'],
    ['invalid_input', 'Send either `dry_run` or the `token` from a dry run.', 'token'],
    ['invalid_input', 'The token has expired: send the request with `dry_run` again.', 'token'],
    ['query_too_large', `More than ${MAX_EXAMINED} events would have to be searched.`, 'after'],
    [
      'conflict',
      'The dry run found 120 events, and now 123 match: some have arrived, were deleted or belong to another person or session since. Nothing was deleted. Try a dry run again; with `before` some minutes ago, events that arrive now do not match.'
    ]
  ]
})

export const LIST = describe({
  id: 'events_deletions_list',
  tag: 'Events',
  summary: 'List the deletions of events and their receipts',
  description: 'Lists the deletions requested with `events/delete/`, newest first.',
  answers: {
    200: { text: 'A page of deletions.', schema: pageSchema('EventDeletionPage', EventDeletion) }
  }
})

export const RETRIEVE = describe({
  id: 'events_deletions_retrieve',
  tag: 'Events',
  summary: 'Retrieve a deletion of events and its receipt',
  description:
    'The receipt is signed like that of a deleted person: `scripts/verify-receipt.mjs` and `persons/deletion_receipts/verify/` verify both. `format=html` returns the receipt as a page that can be saved, printed and sent, and that verifies its own signature; it is a 404 if the deletion has no receipt.',
  answers: { 200: { text: 'The deletion.', schema: EventDeletion, type: 'text/html' } }
})
