import { describe } from '../http/openapi.ts'
import { KINDS } from '../questions/kinds.ts'
import { MAX_SERIES } from '../trends/query.ts'
import { QueryAnswer } from './schemas.ts'

const names = Object.keys(KINDS)
const list = names.map((name) => `\`${name}\``).join(' ')

export const QUERY = describe({
  id: 'query_create',
  tag: 'Insights',
  summary: 'Ask a question',
  description: `Computes the answer to a node and stores nothing. Kinds: ${list}, alone or as the \`source\` of an \
\`InsightVizNode\` or \`DataTableNode\`. A \`TrendsQuery\` has the same answer as \`POST insights/trend/\`.

A field of a node that is unknown or not supported is a 400 whose \`attr\` is its path, such as \
\`query__series__0__math\`. Fields that only say how an answer is drawn have no effect.`,
  answers: {
    200: { text: 'The answer. Each kind adds members of its own.', schema: QueryAnswer }
  },
  refusals: [
    [
      'invalid_choice',
      `"HogQLQuery" is not a valid choice. Choices: ${names.join(', ')}.`,
      'query__kind'
    ],
    ['invalid_input', '"median_ish" is not a supported math.', 'query__series__0__math'],
    ['query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series']
  ]
})
