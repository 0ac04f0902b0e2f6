import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/input/json.ts'
import { parseInput } from '../../../../src/input/parse.ts'
import { readTimelineQuery, TimelineParameters } from '../../../../src/persons/timelines/query.ts'
import { cutStretches } from '../../../../src/persons/timelines/timeline.ts'

const NOW = new Date('2026-11-21T12:34:56Z')
const read = (parameters: Record<string, string>, properties?: Json, timezone = 'UTC') => {
  const query = readTimelineQuery(
    parseInput(TimelineParameters, parameters),
    properties,
    { timezone, weekStart: 0 },
    NOW
  )
  return {
    ...query,
    from: new Date(query.from).toISOString(),
    until: new Date(query.until).toISOString()
  }
}

describe('the range of a timeline', () => {
  it.each<[Record<string, string>, string, string]>([
    [{}, '2026-11-14T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    [{ date_from: '', date_to: '' }, '2026-11-14T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    [{ date_from: '-30d' }, '2026-10-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    [{ date_from: '-2h' }, '2026-11-21T10:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    [
      { date_from: '2026-10-01', date_to: '2026-10-02' },
      '2026-10-01T00:00:00.000Z',
      '2026-10-03T00:00:00.000Z'
    ],
    [
      { date_from: '2026-10-01', date_to: '2026-10-01' },
      '2026-10-01T00:00:00.000Z',
      '2026-10-02T00:00:00.000Z'
    ],
    [
      { date_from: '2026-10-01T10:00:00Z', date_to: '2026-10-01T12:00:00Z' },
      '2026-10-01T10:00:00.000Z',
      '2026-10-01T12:00:00.001Z'
    ],
    [
      { date_from: '2026-10-01T10:00:00Z', date_to: '2026-10-01T10:00:00Z', interval: 'hour' },
      '2026-10-01T10:00:00.000Z',
      '2026-10-01T11:00:00.000Z'
    ],
    [
      { date_from: '2026-10-01', date_to: '2026-10-01', interval: 'week' },
      '2026-10-01T00:00:00.000Z',
      '2026-10-08T00:00:00.000Z'
    ],
    [
      { date_from: '2026-01-31', date_to: '2026-01-31', interval: 'month' },
      '2026-01-31T00:00:00.000Z',
      '2026-02-28T00:00:00.000Z'
    ]
  ])('of %j', (parameters, from, until) => {
    expect(read(parameters)).toMatchObject({ from, until })
  })

  it('is refused if it ends before it begins', () => {
    const range = { date_from: '2026-10-01T10:00:00Z', date_to: '2026-10-01T10:30:00+02:00' }

    expect(() => read({ ...range, interval: 'day' })).toThrow(
      '`date_from` must be earlier than the end of the range.'
    )
  })

  it("is in the project's time zone", () => {
    expect(
      read({ date_from: '2026-10-01', date_to: '2026-10-01' }, undefined, 'Asia/Kolkata')
    ).toMatchObject({
      from: '2026-09-30T18:30:00.000Z',
      until: '2026-10-01T18:30:00.000Z'
    })
  })
})

describe('the crucial properties', () => {
  const plan = { key: 'plan', value: 'pro', type: 'person' }

  it.each<[string, Record<string, string>, Json | undefined, string[]]>([
    ['none without filters and breakdowns', {}, undefined, []],
    [
      "the keys of persons' filters, each once",
      {},
      [plan, { ...plan, operator: 'is_not' }],
      ['plan']
    ],
    ['the keys in groups', {}, { type: 'OR', values: [{ type: 'AND', values: [plan] }] }, ['plan']],
    [
      "not the keys of events' filters",
      {},
      [
        { key: 'a', value: 1 },
        { key: 'b', value: 1, type: 'event' }
      ],
      []
    ],
    [
      'the keys of the filters of counted events',
      { events: JSON.stringify([{ id: 'x', properties: [plan] }]) },
      undefined,
      ['plan']
    ],
    [
      "a person's breakdown",
      { breakdown: 'tier', breakdown_type: 'person' },
      [plan],
      ['plan', 'tier']
    ],
    [
      'several breakdowns',
      { breakdown: '["tier","plan"]', breakdown_type: 'person' },
      [],
      ['tier', 'plan']
    ],
    ["not an event's breakdown", { breakdown: 'tier' }, undefined, []]
  ])('are %s', (_, parameters, properties, keys) => {
    expect(read(parameters, properties).crucialKeys).toEqual(keys)
  })
})

describe('the counted events', () => {
  it.each<[string, string[] | undefined]>([
    ['[]', undefined],
    ['["$pageview","bought"]', ['$pageview', 'bought']],
    ['[{"id":"bought","name":"bought","type":"events","order":0}]', ['bought']],
    ['[{"id":null},{"id":"bought"}]', undefined]
  ])('%s', (events, names) => {
    expect(read({ events }).events).toEqual(names)
  })
})

describe('errors', () => {
  it.each<[Record<string, string>, Json | undefined, string]>([
    [{ events: '[{' }, undefined, 'events'],
    [{ events: 'bought' }, undefined, 'events'],
    [{ events: '[{"id":5}]' }, undefined, 'events__0__id'],
    [{ events: JSON.stringify(Array(101).fill('x')) }, undefined, 'events'],
    [
      { events: '[{"id":"x","properties":[{"key":"a","operator":"like"}]}]' },
      undefined,
      'events__0__properties'
    ],
    [{ actions: '[{"id":1}]' }, undefined, 'actions'],
    [{ breakdown: '[1]', breakdown_type: 'person' }, undefined, 'breakdown'],
    [{ breakdown: 'x', breakdown_type: 'cohort' }, undefined, 'breakdown_type'],
    [{ date_from: 'soon' }, undefined, 'date_from'],
    [{ date_to: '2026-13-01' }, undefined, 'date_to'],
    [{ interval: 'year' }, undefined, 'interval'],
    [{}, [{ key: 'a', value: 1, type: 'cohort' }], 'properties']
  ])('name the parameter at fault: %j with the properties %j', (parameters, properties, attr) => {
    expect(() => read(parameters, properties)).toThrow(expect.objectContaining({ attr }))
  })

  it('say that actions are not supported', () => {
    expect(() => read({ actions: '[{"id":1}]' })).toThrow(
      'Actions are not supported: use `events`.'
    )
    expect(read({ actions: '[]', display: 'ActionsTable' }).events).toBeUndefined()
  })
})

describe('stretches', () => {
  const version = (key: number, n: number) => key * 2 ** 24 + n
  const plans = new Map([
    [version(9, 1), 'free'],
    [version(9, 2), 'free'],
    [version(5, 3), 'pro'],
    [version(9, 4), 'free']
  ])
  const cut = (...events: [number, number | null][]) =>
    cutStretches(
      events.map(([timestamp, version]) => ({ timestamp, version })),
      (version) => plans.get(version ?? 0) ?? ''
    ).map(({ timestamp, version, count }) => [timestamp, version, count])

  it('do not exist without events', () => {
    expect(cut()).toEqual([])
  })

  it('begin where a crucial value changes, in order of time', () => {
    expect(
      cut(
        [5, version(9, 4)],
        [1, version(9, 1)],
        [2, version(9, 2)],
        [3, version(5, 3)],
        [4, version(5, 3)]
      )
    ).toEqual([
      [1, version(9, 1), 2],
      [3, version(5, 3), 2],
      [5, version(9, 4), 1]
    ])
  })

  it('order events of one millisecond as they were processed', () => {
    expect(cut([1, version(9, 4)], [1, version(5, 3)], [1, version(9, 1)])).toEqual([
      [1, version(9, 1), 1],
      [1, version(5, 3), 1],
      [1, version(9, 4), 1]
    ])
  })

  it('may begin without a person', () => {
    expect(cut([1, null], [2, null], [3, version(9, 1)])).toEqual([
      [1, null, 2],
      [3, version(9, 1), 1]
    ])
  })
})
