import { expect, it } from 'vitest'
import page from '../../../docs/sql-queries.md?raw'
import { AGGREGATE_NAMES } from '../../../src/sql/aggregates/table.ts'
import { FUNCTION_NAMES } from '../../../src/sql/functions/table.ts'
import { request } from '../../support/project.ts'
import { newExamples } from '../../support/sql.ts'

/** `| expression | result |` */
const expressions = [...page.matchAll(/^\| `(.+)` \| `(.+)` \|$/gm)].map(
  ([, expression = '', result = '']) => ({
    statement: `SELECT ${expression.replaceAll('\\|', '|')} FROM events LIMIT 1`,
    rows: [[JSON.parse(result)]]
  })
)

const statements = [...page.matchAll(/```sql\n([^`]+)```\n\n```json\n([^`]+)```/g)].map(
  ([, statement = '', rows = '']) => ({ statement, rows: JSON.parse(rows) })
)

it('gives the results that docs/sql-queries.md says', async () => {
  const project = await newExamples({ isSealed: true })
  const examples = [...expressions, ...statements]
  expect(examples.length).toBeGreaterThan(150)

  const answers: typeof examples = []
  for (const { statement } of examples) {
    const rows = await project.answer(statement).then(
      ({ results }) => results,
      (error) => error.message
    )
    answers.push({ statement, rows })
  }

  expect(answers).toEqual(examples)
})

/** The functions of operators, which are not called by a name. */
const OPERATORS =
  /^(?:and|or|not|equals|notEquals|less\w*|greaterOr\w*|greater|between|notBetween|in|notIn|like|notLike|ilike|notILike|notMatch|imatch|notIMatch|arrayElement|current_timestamp)$/

it('has every function and every aggregate', () => {
  const names = [...FUNCTION_NAMES, ...AGGREGATE_NAMES.filter((name) => !name.endsWith('If'))]

  expect(
    names.filter(
      (name) =>
        !OPERATORS.test(name) && !/^(?:add|subtract)/.test(name) && !page.includes(`${name}(`)
    )
  ).toEqual([])
})

it('saves and draws the statement of docs/sql-queries.md', async () => {
  const project = await newExamples({ isSealed: false })
  const [, text = ''] =
    /```json\n(\{\n {2}"kind": "DataVisualizationNode"[^`]+)```/.exec(page) ?? []
  const saved = await project.send('POST', 'insights/', { query: JSON.parse(text) })
  const { id } = saved.body
  const { body } = await project.send('PATCH', `insights/${id}/sharing/`, { enabled: true })

  const shown = await request('GET', `/shared/${body.access_token}`)

  expect(saved.status).toBe(201)
  expect(shown.body.tiles[0].chart).toMatchObject({
    kind: 'line',
    days: ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'],
    series: [{ name: 'Events' }, { name: 'u' }]
  })
})
