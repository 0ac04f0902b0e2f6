import { describe } from '../../http/openapi.ts'
import { pageSchema } from '../../http/page.ts'
import { MAX_PERSONS } from '../persons/schemas.ts'
import { SuppressAnswer, Suppression, SuppressionReceipt } from './schemas.ts'

export const SUPPRESS = describe({
  id: 'persons_suppress',
  tag: 'Persons',
  summary: 'Drop new data about persons',
  description: `Name at most ${MAX_PERSONS} persons. From now on, requests with their events and recordings still succeed, but the data is dropped and counted. A suppression belongs to distinct ids: to all that the person has, or to a distinct id that no person has. It stays in force when the person is deleted, merged or split. Events that would merge a suppressed id with another id are dropped, too: the other id, with all ids of its person, then joins the suppression. Data that was stored before stays; delete it with \`persons/bulk_delete/\`.`,
  answers: { 200: { text: 'The result for each name.', schema: SuppressAnswer } },
  refusals: [
    ['invalid_input', 'Provide either ids or distinct_ids.'],
    ['blank', 'This field may not be blank.', 'distinct_ids__0']
  ]
})

export const LIST = describe({
  id: 'persons_suppressions_list',
  tag: 'Persons',
  summary: 'List suppressions',
  description:
    'Lists the suppressions, newest first, with the numbers of dropped events and recording parts. A message that the queue delivers twice may be counted twice.',
  answers: {
    200: { text: 'A page of suppressions.', schema: pageSchema('SuppressionPage', Suppression) }
  },
  refusals: [
    ['invalid_choice', '"done" is not a valid choice. Choices: all, in_force, lifted.', 'status']
  ]
})

export const LIFT = describe({
  id: 'persons_suppressions_lift',
  tag: 'Persons',
  summary: 'Lift a suppression',
  description:
    'Data received from now on is stored again, unless another suppression covers the distinct id. Dropped data is not restored. Lifting a suppression twice changes nothing.',
  answers: { 200: { text: 'The suppression.', schema: Suppression } }
})

export const RECEIPT = describe({
  id: 'persons_suppressions_receipt',
  tag: 'Persons',
  summary: 'Retrieve the receipt of a suppression',
  description:
    'States, as of now, since when and until when the suppression is in force, and how much it has dropped. Each request signs a new receipt, like those of deletions: `scripts/verify-receipt.mjs` and `persons/deletion_receipts/verify/` verify it.',
  answers: { 200: { text: 'The receipt.', schema: SuppressionReceipt } }
})
