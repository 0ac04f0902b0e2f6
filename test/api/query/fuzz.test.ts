import fc from 'fast-check'
import { expect, it } from 'vitest'
import page from '../../../docs/sql-queries.md?raw'
import { AppError } from '../../../src/errors.ts'
import { isObject, type Json } from '../../../src/input/json.ts'
import { deep, seed, times } from '../../support/depth.ts'
import { mutated } from '../../support/mutated.ts'
import type { TestEvent } from '../../support/project.ts'
import { newAnswering } from '../../support/sql.ts'
import { ASKED, BESIDE } from '../../support/statements/asked.ts'
import { makeShop, toSent } from '../../support/statements/shop.ts'

/** What all texts and numbers of the other project have in them. */
const MARKER = 'marker'
const MARKED = 987_654_321

/** Longest time of a statement, ms: several hundred events take less than a tenth of it. */
const MOST = 10_000

/** Returns a project's events with other texts and numbers, but the same names of properties. */
const toMarked = (events: readonly TestEvent[]): TestEvent[] =>
  events.map((event, i) => ({
    ...event,
    event: i % 2 === 0 ? (event.event ?? '') : `${MARKER} event`,
    distinct_id: `${MARKER} ${event.distinct_id}`,
    properties: mark(event.properties ?? {})
  }))

const mark = (properties: Readonly<Record<string, Json>>): Record<string, Json> =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, markedOf(value)]))

function markedOf(value: Json): Json {
  if (isObject(value)) {
    return mark(value)
  }
  return typeof value === 'number' ? MARKED : `${MARKER} ${String(value)}`
}

const examples = [...page.matchAll(/^\| `(.+)` \| `.+` \|$/gm)].map(
  ([, expression = '']) => `SELECT ${expression.replaceAll('\\|', '|')} FROM events`
)

const statements = [...ASKED.map(([statement]) => statement), ...examples]

it('answers or refuses mutated statements, and shows nothing of another project', {
  timeout: 180_000 * times
}, async () => {
  const sent = toSent(makeShop(seed, 120))
  const other = await newAnswering(toMarked(sent), { isSealed: true })
  const project = await newAnswering(sent, { isSealed: true })
  const own = JSON.stringify(
    await other.answer(
      'SELECT event, distinct_id, properties.$browser, properties.price FROM events LIMIT 1000'
    )
  )
  expect(own).toContain(MARKER)
  expect(own).toContain(String(MARKED))

  const beside = { ...BESIDE, values: { ...BESIDE.values, a: ['x', 1, null] } }
  const counts = { answered: 0, refused: 0 }
  const ask = async (query: string): Promise<string> => {
    try {
      const answer = await project.answer(query, beside)
      counts.answered += 1
      return JSON.stringify({ ...answer, query: '' })
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'error' || error.code === 'unavailable') {
        throw error
      }
      counts.refused += 1
      return error.message
    }
  }
  const askOverHttp = async (query: string): Promise<string> => {
    const node = { kind: 'HogQLQuery', query, ...beside }
    const { status, body } = await project.send('POST', 'query/', { query: node })
    expect(status, query).toBeLessThan(500)
    return JSON.stringify(status === 200 ? { ...body, query: '' } : body)
  }

  await fc.assert(
    fc.asyncProperty(mutated(statements), fc.nat(49), async (query, place) => {
      const begun = Date.now()
      const text = await (place === 0 ? askOverHttp(query) : ask(query))

      expect(text).not.toContain(MARKER)
      expect(text).not.toContain(String(MARKED))
      expect(Date.now() - begun).toBeLessThan(MOST)
    }),
    deep(5_000)
  )
  expect(counts.answered).toBeGreaterThan(counts.refused / 20)
})
