import { expect, it } from 'vitest'
import { Work } from '../../../src/properties/work.ts'
import { Kept } from '../../../src/sql/aggregates/accumulator.ts'
import { keyOfField } from '../../../src/sql/expression.ts'
import { Groups } from '../../../src/sql/groups.ts'
import { parseStatement } from '../../../src/sql/parse.ts'
import { planStatement, type SelectPlan } from '../../../src/sql/plan.ts'
import { AnswerRows } from '../../../src/sql/rows.ts'
import type { SqlValue } from '../../../src/sql/types.ts'
import { Evaluation, flat } from '../../../src/sql/vector.ts'

function planOf(statement: string): SelectPlan {
  const { selects } = planStatement(parseStatement(statement), {
    setting: {
      timezone: 'Europe/Berlin',
      weekStart: 1,
      now: new Date('2026-03-04T12:00:00Z'),
      work: new Work(),
      warn: () => {}
    },
    kinds: { event: new Map(), person: new Map() },
    fill: () => {
      throw new Error('There are no placeholders.')
    }
  })
  const [first] = selects
  if (!first) {
    throw new Error('A statement has a SELECT.')
  }
  return first
}

const LENGTH = 1_000

/** Persons, created one after the other, with properties of some characters. */
function personsFrom(first: number, characters: number, isSameTime = false): Evaluation {
  const listed = <Value extends SqlValue>(make: (i: number) => Value) =>
    flat(Array.from({ length: LENGTH }, (_, i) => make(first + i)))
  const body = `{"a":"${'x'.repeat(characters)}`
  return new Evaluation({
    length: LENGTH,
    columns: new Map([
      [keyOfField({ kind: 'actor' }), listed((i) => i)],
      [keyOfField({ kind: 'timestamp' }), listed((i) => (isSameTime ? 0 : i))],
      [keyOfField({ kind: 'properties', of: 'person' }), listed((i) => `${body}${i}"}`)]
    ])
  })
}

/** Adds persons to the rows or the groups of a statement. */
function addPersons(statement: string, count: number, characters: number): void {
  const plan = planOf(statement)
  const gathered = plan.groupBy
    ? new Groups(plan.groupBy, new Kept())
    : new AnswerRows(plan, plan.limit)
  for (let first = 0; first < count; first += LENGTH) {
    gathered.add(personsFrom(first, characters), new Uint8Array(LENGTH).fill(1))
  }
}

it.each([
  'SELECT groupArray(properties) FROM persons',
  'SELECT groupArray((id, upper(properties))) FROM persons',
  'SELECT groupUniqArray(properties) FROM persons',
  'SELECT uniq(properties) FROM persons',
  'SELECT uniq(id, properties) FROM persons',
  'SELECT topK(3)(properties) FROM persons',
  'SELECT any(properties) FROM persons GROUP BY id',
  'SELECT max(properties) FROM persons GROUP BY id',
  'SELECT argMax(id, properties) FROM persons GROUP BY id',
  'SELECT count() FROM persons GROUP BY properties',
  'SELECT count() FROM persons GROUP BY (id, properties)',
  'SELECT upper(properties) FROM persons LIMIT 50000',
  'SELECT (id, properties) FROM persons LIMIT 50000',
  'SELECT id FROM persons ORDER BY upper(properties) LIMIT 50000',
  'SELECT DISTINCT upper(properties) FROM persons ORDER BY created_at LIMIT 1'
])('refuses to keep the long properties of all persons: %s', (statement) => {
  expect(() => addPersons(statement, 9_000, 10_000)).toThrow(
    expect.objectContaining({ code: 'query_too_large' })
  )
})

it.each([
  'SELECT count(), any(properties), max(properties) FROM persons',
  'SELECT uniq(id) FROM persons',
  'SELECT upper(properties) FROM persons ORDER BY created_at LIMIT 10'
])('keeps the few values that it needs: %s', (statement) => {
  expect(() => addPersons(statement, 9_000, 10_000)).not.toThrow()
})

it('refuses to keep the long texts of a function', () => {
  const statement = `SELECT concat(toString(created_at), '${'x'.repeat(9_000)}') FROM persons LIMIT 50000`

  expect(() => addPersons(statement, 9_000, 0)).toThrow(
    expect.objectContaining({ code: 'query_too_large', attr: 'limit' })
  )
})

it('refuses to keep all different rows for an order', () => {
  const numbers = Array.from({ length: 60 }, (_, i) => i).join()
  const statement = `SELECT DISTINCT id, ${numbers} FROM persons ORDER BY created_at LIMIT 1`

  expect(() => addPersons(statement, 70_000, 0)).toThrow(
    expect.objectContaining({ code: 'query_too_large' })
  )
})

it('needs no more of the persons of one time once it has enough', () => {
  const all = new Uint8Array(LENGTH).fill(1)
  const isAwaited = (order: string): boolean =>
    new AnswerRows(planOf(`SELECT id FROM persons ORDER BY ${order}`), 10).add(
      personsFrom(0, 0, true),
      all
    )

  expect(isAwaited('created_at')).toBe(false)
  expect(isAwaited('created_at, id')).toBe(true)
})
