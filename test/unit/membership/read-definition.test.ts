import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import { readDefinition } from '../../../src/membership/read-definition.ts'

const NOW = new Date('2026-03-31T10:00:00Z')

const read = (...values: JsonObject[]) =>
  readDefinition(
    { properties: { type: 'OR', values } },
    { timezone: 'Europe/Berlin', weekStart: 1, now: NOW }
  )

const did = (more: JsonObject): JsonObject => ({
  type: 'behavioral',
  value: 'performed_event',
  key: 'a',
  ...more
})

const END = '2026-03-31T10:00:00.001Z'

it.each([
  // Noon in Berlin, by the clock: on March 29, the clock went forward.
  [{ time_value: 3, time_interval: 'day' }, '2026-03-28T11:00:00.000Z', END],
  [{ time_value: '72', time_interval: 'hour' }, '2026-03-28T10:00:00.000Z', END],
  [{ time_value: 1, time_interval: 'month' }, '2026-02-28T11:00:00.000Z', END],
  [{ time_value: 1, time_interval: 'year' }, '2025-03-31T10:00:00.000Z', END],
  [{ time_value: 90, time_interval: 'minute' }, '2026-03-31T08:30:00.000Z', END],
  [{ explicit_datetime: '-7d' }, '2026-03-23T23:00:00.000Z', END],
  // From Monday to Sunday, the day of the change.
  [
    { explicit_datetime: '-1wStart', explicit_datetime_to: '-1wEnd' },
    '2026-03-22T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z'
  ],
  [
    { explicit_datetime: '2026-03-01', explicit_datetime_to: '2026-03-02' },
    '2026-02-28T23:00:00.000Z',
    '2026-03-02T23:00:00.000Z'
  ],
  [
    { explicit_datetime: '2026-03-01', explicit_datetime_to: '2027-01-01' },
    '2026-02-28T23:00:00.000Z',
    END
  ]
])('reads the time of %j', (more, since, until) => {
  const definition = read(did(more))
  const [leaf] = definition.kind === 'group' ? definition.nodes : []
  const span = leaf?.kind === 'behavior' ? leaf : undefined

  expect(new Date(span?.since ?? 0).toISOString()).toBe(since)
  expect(new Date(span?.until ?? 0).toISOString()).toBe(until)
})

it('reads groups, negations and other cohorts', () => {
  expect(
    read(
      { type: 'cohort', key: 'id', value: 12, operator: 'not_in', negation: true },
      { type: 'AND', values: [{ type: 'person', key: 'plan', value: 'pro', negation: true }] }
    )
  ).toMatchObject({
    kind: 'group',
    type: 'OR',
    nodes: [
      { kind: 'not', node: { kind: 'not', node: { kind: 'cohort', id: '12' } } },
      { kind: 'group', type: 'AND', nodes: [{ kind: 'not', node: { kind: 'person' } }] }
    ]
  })
})

it('limits the number and the depth of filters', () => {
  const one = { type: 'person', key: 'plan', value: 'pro' }
  const nest = (depth: number): JsonObject =>
    depth === 0 ? one : { type: 'AND', values: [nest(depth - 1)] }

  expect(() => read(...new Array<JsonObject>(40).fill(one))).not.toThrow()
  expect(() => read(...new Array<JsonObject>(41).fill(one))).toThrow('at most 40 filters')
  expect(() => read(nest(4))).not.toThrow()
  expect(() => read(nest(5))).toThrow('at most 5 deep')
})
