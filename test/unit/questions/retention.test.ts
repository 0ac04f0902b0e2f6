import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../../src/questions/retention/columns.ts'
import { Members } from '../../../src/questions/retention/members.ts'
import { countTables } from '../../../src/questions/retention/tables.ts'
import { Firsts } from '../../../src/trends/maths/firsts.ts'
import { feed, type Run } from '../../support/runs.ts'

const [ADA, BO, CY] = [2, 4, 7]

type Options = {
  rows?: number
  lengths?: number[]
  minimum?: number
  isCumulative?: boolean
  first?: 'matching' | 'of name'
  returns?: Run[]
}

/** Returns the tables of runs that make members, and by which they come back unless there are `returns`. */
function tables(runs: Run[], options: Options = {}) {
  const { rows = 3, lengths = [1, 1], minimum = 1, isCumulative = false, first } = options
  const columns = columnsOf('Day', lengths)
  const members = new Members({
    rows,
    periods: rows,
    minimumOccurrences: minimum,
    isFirstOnly: first !== undefined,
    isSameEvents: !options.returns
  })
  const targets = { add: members.addTargets.bind(members) }
  const returns = { add: members.addReturns.bind(members) }
  const both = { add: members.addBoth.bind(members) }
  const joining = first ? new Firsts(first, targets) : targets
  if (options.returns) {
    feed(joining, runs)
    feed(returns, options.returns)
  } else if (!first) {
    feed(both, runs)
  } else {
    for (const run of runs) {
      feed(joining, [run])
      feed(returns, [run])
    }
  }
  const width = columns.labels.length
  return Object.fromEntries(
    [...countTables(members, { columns, isCumulative })].map(([group, table]) => [
      group,
      Array.from({ length: rows }, (_, row) => [...table.subarray(row * width, (row + 1) * width)])
    ])
  )
}

const tableOf = (runs: Run[], options?: Options) => tables(runs, options)[0]

describe('the worked example', () => {
  const THREE_DAYS = [
    { point: 0, actors: [ADA, BO] },
    { point: 1, actors: [ADA, CY] },
    { point: 2, actors: [ADA, BO] }
  ]

  it.each<[string, Options, number[][]]>([
    [
      'recurring',
      {},
      [
        [2, 1, 2],
        [2, 1, 0],
        [2, 0, 0]
      ]
    ],
    [
      'first time',
      { first: 'matching' },
      [
        [2, 1, 2],
        [1, 0, 0],
        [0, 0, 0]
      ]
    ],
    [
      'cumulative',
      { isCumulative: true },
      [
        [2, 2, 2],
        [2, 1, 0],
        [2, 0, 0]
      ]
    ]
  ])('%s', (_, options, expected) => {
    expect(tableOf(THREE_DAYS, options)).toEqual(expected)
    // Also if the two kinds of events are read one after the other.
    expect(tableOf(THREE_DAYS, { ...options, returns: THREE_DAYS })).toEqual(expected)
  })

  it('minimum of two occurrences', () => {
    const runs = [...THREE_DAYS.slice(0, 2), { point: 2, actors: [ADA, BO, ADA] }]

    expect(tableOf(runs, { minimum: 2 })).toEqual([
      [2, 0, 1],
      [2, 1, 0],
      [2, 0, 0]
    ])
  })

  it('first ever occurrence', () => {
    // Ada's view on the first day was with another browser.
    const runs = [{ point: 0, actors: [ADA, BO], groups: [-1, 0] }, ...THREE_DAYS.slice(1)]

    expect(tableOf(runs, { first: 'of name' })).toEqual([
      [1, 0, 1],
      [1, 0, 0],
      [0, 0, 0]
    ])
  })
})

it('knows no member by an event before the rows', () => {
  const runs = [
    { point: -1, actors: [ADA] },
    { point: 0, actors: [ADA, BO] },
    { point: 1, actors: [ADA, BO] }
  ]

  expect(tableOf(runs, { first: 'matching' })?.[0]).toEqual([1, 1, 0])
})

it('counts brackets of periods, each once, by the distance from the row', () => {
  expect(columnsOf('Week', [1, 3]).labels).toEqual(['Week 0', 'Week 1', 'Week 2-4'])
  const runs = [0, 2, 3, 5].map((point) => ({ point, actors: [ADA] }))

  expect(tableOf(runs, { rows: 6, lengths: [1, 3] })).toEqual([
    [1, 0, 1],
    [0, 0, 0],
    [1, 1, 1],
    [1, 0, 1],
    [0, 0, 0],
    [1, 0, 0]
  ])
  expect(tableOf(runs, { rows: 6, lengths: [1, 3], isCumulative: true })?.[0]).toEqual([1, 1, 1])
})

it('has members in more rows than a word has bits', () => {
  const points = Array.from({ length: 100 }, (_, point) => point)
  const runs = points.map((point) => ({ point, actors: [ADA] }))

  expect(tableOf(runs, { rows: 100, lengths: [1, 1] })).toEqual(
    points.map((point) => [1, point < 99 ? 1 : 0, point < 98 ? 1 : 0])
  )
})

it('has more members than a chunk has places', () => {
  const actors = Array.from({ length: 10_000 }, (_, i) => i)
  const runs = [
    { point: 0, actors },
    { point: 1, actors: actors.slice(0, 5_000) }
  ]

  expect(tableOf(runs)?.[0]).toEqual([10_000, 5_000, 0])
})

describe('with groups', () => {
  const runs = [
    { point: 0, actors: [ADA, ADA, BO], groups: [0, 1, 0] },
    { point: 1, actors: [ADA, BO], groups: [0, 1] }
  ]

  it('needs the same group to come back', () => {
    expect(tables(runs, { rows: 2 })).toEqual({
      0: [
        [2, 1, 0],
        [1, 0, 0]
      ],
      1: [
        [1, 0, 0],
        [1, 0, 0]
      ]
    })
  })

  it('needs any group, if the first event decides the table', () => {
    expect(tables(runs, { rows: 2, first: 'matching' })).toEqual({
      0: [
        [2, 2, 0],
        [0, 0, 0]
      ]
    })
  })
})

it('leaves out events that the filters leave out', () => {
  const runs = [
    { point: 0, actors: [ADA, BO], groups: [0, -1] },
    { point: 1, actors: [ADA], groups: [-1] }
  ]

  expect(tableOf(runs)?.[0]).toEqual([1, 0, 0])
})

it('refuses more members than memory has room for', () => {
  const actors = Array.from({ length: 50_000 }, (_, i) => i)

  expect(() => tableOf([{ point: 0, actors }], { rows: 10_000, lengths: [1] })).toThrow(
    'more than 47468 different actors'
  )
})
