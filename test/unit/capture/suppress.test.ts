import { describe, expect, it } from 'vitest'
import type { Suppressed } from '../../../src/barred/suppressions/suppression.ts'
import { type Incoming, withSize } from '../../../src/capture/changes.ts'
import { sortOut } from '../../../src/capture/suppress.ts'
import type { StoredPerson } from '../../../src/persons/person.ts'

const KNOWN = {
  seen: new Set<string>(),
  identities: new Map<string, { key: number; personId: number | null }>(),
  persons: new Map<number, StoredPerson>()
}

const SUPPRESSED: Suppressed = {
  suppressionId: 'one',
  isIdentified: false,
  since: 100,
  liftedAt: null
}

let uuids = 0

/** Returns an event, or a merge of `source` into the distinct id. */
const event = (distinct_id: string, received_at = 100, source?: string): Incoming => {
  uuids += 1
  return withSize({
    uuid: String(uuids),
    event: source === undefined ? '$pageview' : '$merge_dangerously',
    distinct_id,
    timestamp: received_at,
    received_at,
    properties: source === undefined ? {} : { alias: source }
  })
}

/** Returns an event that identifies `source` as the distinct id. */
const identify = (distinct_id: string, source: string): Incoming => ({
  ...event(distinct_id),
  event: '$identify',
  properties: { $anon_distinct_id: source }
})

const suppressing = (id: string, more: Partial<Suppressed> = {}) =>
  new Map([[id, [{ ...SUPPRESSED, ...more }]]])

it.each([
  [99, null, true],
  [100, null, false],
  [199, 200, false],
  [200, 200, true]
])('keeps an event of %i if the suppression was lifted at %s: %s', (at, liftedAt, isKept) => {
  const { kept, dropped } = sortOut([event('ada', at)], KNOWN, suppressing('ada', { liftedAt }))

  expect(kept).toHaveLength(isKept ? 1 : 0)
  expect(dropped).toEqual(isKept ? [] : [{ suppression: 'one', count: 1, lastAt: at }])
})

it('does not count an event that is stored already', () => {
  const stored = event('ada')
  const known = { ...KNOWN, seen: new Set([stored.uuid]) }

  expect(sortOut([stored], known, suppressing('ada'))).toEqual({
    kept: [],
    dropped: [],
    joined: []
  })
})

/** Returns all orders of a list. */
const ordersOf = <T>(items: T[]): T[][] =>
  items.length < 2
    ? [items]
    : items.flatMap((item, i) => ordersOf(items.toSpliced(i, 1)).map((rest) => [item, ...rest]))

it('follows a chain of merges, in whatever order its events are in the batch', () => {
  const chain = [
    event('a', 100, 'ada'),
    event('a', 101, 'b'),
    event('c', 102, 'b'),
    event('c', 102),
    event('c', 101),
    event('other', 103)
  ]
  const names = (events: Incoming[]) =>
    events.map(({ distinct_id, received_at }) => `${distinct_id}@${received_at}`).sort()

  for (const order of ordersOf(chain)) {
    const { kept, dropped, joined } = sortOut(order, KNOWN, suppressing('ada'))

    expect(names(kept)).toEqual(['c@101', 'other@103'])
    expect(dropped).toEqual([{ suppression: 'one', count: 4, lastAt: 102 }])
    expect(joined.map(({ distinctId, since }) => [distinctId, since])).toEqual([
      ['a', 100],
      ['b', 101],
      ['c', 102]
    ])
  }
})

it('lets no id join if both ids of a merge are suppressed already', () => {
  const both = new Map([...suppressing('ada'), ...suppressing('eve', { suppressionId: 'two' })])

  expect(sortOut([event('ada', 100, 'eve')], KNOWN, both)).toMatchObject({
    kept: [],
    dropped: [{ suppression: 'one', count: 1 }],
    joined: []
  })
})

it('lets an id join two suppressions of the same id, one after the other', () => {
  const lifted = { ...SUPPRESSED, liftedAt: 200 }
  const inForce = { ...SUPPRESSED, suppressionId: 'two', since: 300 }
  const events = [
    event('ada', 100, 'x'),
    event('ada', 300, 'x'),
    ...[99, 150, 250, 350].map((at) => event('x', at))
  ]

  const { kept, dropped, joined } = sortOut(events, KNOWN, new Map([['ada', [lifted, inForce]]]))

  expect(kept.map(({ received_at }) => received_at)).toEqual([99, 250])
  expect(dropped).toEqual([
    { suppression: 'one', count: 2, lastAt: 150 },
    { suppression: 'two', count: 2, lastAt: 350 }
  ])
  expect(joined).toEqual([
    { suppression: 'one', distinctId: 'x', since: 100, liftedAt: 200 },
    { suppression: 'two', distinctId: 'x', since: 300, liftedAt: null }
  ])
})

describe('the merge of a stored person into a suppressed one', () => {
  const known = {
    ...KNOWN,
    identities: new Map([
      ['ada', { key: 1, personId: 10 }],
      ['x', { key: 2, personId: 20 }]
    ])
  }

  it('is kept if the stored person was not read, because that person may be identified', () => {
    const merge = identify('ada', 'x')
    const events = [merge, event('ada'), event('x')]

    const { kept, dropped, joined } = sortOut(events, known, suppressing('ada'))

    expect(kept).toEqual([merge, events[2]])
    expect(dropped).toEqual([{ suppression: 'one', count: 1, lastAt: 100 }])
    expect(joined).toEqual([])
  })

  it('joins the suppression without the person if it is $merge_dangerously', () => {
    const { kept, joined } = sortOut([event('ada', 100, 'x')], known, suppressing('ada'))

    expect(kept).toEqual([])
    expect(joined).toMatchObject([{ distinctId: 'x' }])
  })
})
