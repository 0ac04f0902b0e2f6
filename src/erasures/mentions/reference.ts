import { describe } from '../../http/openapi.ts'
import { NO_ID } from '../../persons/path.ts'
import { BOUNDS, MentionsJson } from './schemas.ts'

export const LIST = describe({
  id: 'persons_mentions',
  tag: 'Persons',
  summary: 'Find what else names a person',
  description: `Looks for the ids and e-mail addresses of a person where the deletion of the person does not reach: in subscriptions, insights, dashboards, annotations, cohorts, other persons, and other persons' events, ${BOUNDS}. A text counts where it stands alone, also in a URL, and not as a part of a longer id. Each mention comes with the request that removes it. What the key's scopes do not show is not looked at.`,
  answers: { 200: { text: 'What was found, and how far the search went.', schema: MentionsJson } },
  refusals: [['invalid_input', NO_ID, 'id']]
})
