import { describe, type Refusal } from '../http/openapi.ts'
import { KINDS } from '../questions/kinds.ts'
import { MAX_SERIES } from '../trends/query.ts'
import { QueryAnswer, QueryRunJson } from './schemas.ts'

const names = Object.keys(KINDS)
const list = names.map((name) => `\`${name}\``).join(' ')

const ANSWERS = {
  200: {
    text: 'The answer. Each kind adds members of its own.',
    schema: QueryAnswer,
    csv: 'event,n\r\n$pageview,412\r\nsigned up,40\r\n'
  }
}

const REFUSALS: Refusal[] = [
  [
    'invalid_choice',
    `"GroupsQuery" is not a valid choice. Choices: ${names.join(', ')}.`,
    'query__kind'
  ],
  ['invalid_input', '"median_ish" is not a supported math.', 'query__series__0__math'],
  ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
]

export const QUERY = describe({
  id: 'query_create',
  tag: 'Insights',
  summary: 'Ask a question',
  description: `Computes the answer to a node and stores nothing. Kinds: ${list}, alone or as the \`source\` of an \
\`InsightVizNode\` or \`DataTableNode\`, and statements of a \`DataVisualizationNode\`. With \`format=csv\`, the answer is returned as a CSV file: \
without a limit of its own, the file has all rows, or the request is refused. A \`TrendsQuery\` has the same answer as \`POST insights/trend/\`.

A field of a node that is unknown or not supported is a 400 whose \`attr\` is its path, such as \
\`query__series__0__math\`. Fields that only say how an answer is drawn have no effect.`,
  answers: ANSWERS,
  refusals: REFUSALS
})

export const QUERY_OF_KIND = describe({
  id: 'query_kind_create',
  tag: 'Insights',
  summary: 'Ask a question of one kind',
  description: 'The same as `POST query/`, for a query whose `kind` is the one in the path.',
  answers: ANSWERS,
  refusals: REFUSALS
})

const NO_RUN: Refusal = ['not_found', 'Not found.']

export const STATUS = describe({
  id: 'query_retrieve',
  tag: 'Insights',
  summary: 'Retrieve the answer to an asynchronous query',
  description:
    'Answers a question again that was asked with `async` or a `refresh` such as `async` in the last ten minutes. The answer is not stored: it is computed as of the time of the question, so it has no data that was deleted since.',
  answers: { 200: { text: 'The status, with the answer.', schema: QueryRunJson } },
  refusals: [NO_RUN]
})

export const CANCEL = describe({
  id: 'query_destroy',
  tag: 'Insights',
  summary: 'Forget an asynchronous query',
  description: 'The query is complete already. After this, its id is unknown.',
  answers: { 204: { text: 'The query is forgotten.' } },
  refusals: [NO_RUN]
})
