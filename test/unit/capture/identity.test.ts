import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Incoming, withSize } from '../../../src/capture/changes.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { deep } from '../../support/depth.ts'
import { MemoryStore } from '../../support/memory.ts'
import { numberedUuid } from '../../support/text.ts'

const RECEIVED = 1_000_000

const event = (fields: Partial<Incoming> & { timestamp: number }): Incoming =>
  withSize({
    uuid: numberedUuid(fields.timestamp),
    event: '$pageview',
    distinct_id: 'ada',
    properties: {},
    received_at: RECEIVED,
    ...fields
  })

const deliver = (...batches: Incoming[][]): MemoryStore => {
  const store = new MemoryStore()
  for (const batch of batches) {
    store.deliver(batch)
  }
  return store
}

describe('merging', () => {
  const anonymous = event({
    timestamp: 1,
    distinct_id: 'anon',
    properties: { $set: { theme: 'dark', plan: 'free' } }
  })
  const known = event({ timestamp: 2, distinct_id: 'ada', properties: { $set: { plan: 'pro' } } })
  const identify = event({
    timestamp: 3,
    event: '$identify',
    properties: { $anon_distinct_id: 'anon' }
  })

  it('folds the anonymous person into the identified one, property by property', () => {
    const store = deliver([anonymous], [known], [identify])

    expect(store.groups()).toEqual([['ada', 'anon']])
    expect(store.personOf('ada')?.properties).toMatchObject({ theme: 'dark', plan: 'pro' })
    expect(store.personOf('ada')?.createdAt).toBe(1)
  })

  it.each([
    ['the later request', { received_at: RECEIVED + 1 }, 'last'],
    ['the later place in the request', { position: 1 }, 'last'],
    ['the higher uuid', {}, 'first']
  ])('of two writes at the same event time, keeps the one with %s', (_, later, expected) => {
    const written = (n: number, plan: string, more: Partial<Incoming>) =>
      event({ timestamp: 1, uuid: numberedUuid(n), ...more, properties: { $set: { plan } } })
    const first = written(20, 'first', { distinct_id: 'anon' })
    const last = written(10, 'last', later)

    for (const order of [
      [first, last, identify],
      [last, identify, first],
      [identify, first, last]
    ]) {
      const alone = deliver(...order.map((one) => [one]))
      expect(alone.personOf('ada')?.properties).toMatchObject({ plan: expected })
      expect(deliver(order).personOf('ada')?.properties).toMatchObject({ plan: expected })
    }
  })

  it('attaches an id without a person to the person of the other id', () => {
    expect(deliver([anonymous], [identify]).groups()).toEqual([['ada', 'anon']])
    expect(deliver([known], [identify]).groups()).toEqual([['ada', 'anon']])
  })

  it('creates one person for two ids without a person', () => {
    const store = deliver([identify])

    expect(store.groups()).toEqual([['ada', 'anon']])
    expect(store.personOf('anon')?.isIdentified).toBe(true)
  })

  it('refuses to fold an identified person away, and still writes the event’s properties', () => {
    const other = event({
      timestamp: 4,
      event: '$identify',
      distinct_id: 'bob',
      properties: { $anon_distinct_id: 'anon', $set: { plan: 'team' } }
    })
    const bob = event({ timestamp: 3.5, distinct_id: 'bob' })
    const store = deliver([anonymous, known, identify, bob], [other])

    expect(store.groups()).toEqual([['ada', 'anon'], ['bob']])
    expect(store.personOf('bob')?.properties).toMatchObject({ plan: 'team' })
    expect(store.warnings).toEqual([{ type: 'cannot_merge_already_identified', event: other.uuid }])
  })

  it('folds even an identified person away for $merge_dangerously', () => {
    const bob = event({ timestamp: 4, distinct_id: 'bob' })
    const merge = event({
      timestamp: 5,
      event: '$merge_dangerously',
      distinct_id: 'bob',
      properties: { alias: 'anon' }
    })

    expect(deliver([anonymous, known, identify], [bob], [merge]).groups()).toEqual([
      ['ada', 'anon', 'bob']
    ])
  })

  it.each([
    'anonymous',
    'GUEST',
    'undefined',
    '"null"',
    "'distinct_id'",
    '0',
    'None',
    '[object Object]',
    '  '
  ])('never merges the placeholder %s', (placeholder) => {
    const alias = event({
      timestamp: 2,
      event: '$create_alias',
      properties: { alias: placeholder, $set: { a: 1 } }
    })
    const store = deliver([event({ timestamp: 1 })], [alias])

    expect(store.groups()).toEqual([['ada']])
    expect(store.personOf('ada')?.properties).toMatchObject({ a: 1 })
  })

  it('only updates properties when $identify names no anonymous id', () => {
    const store = deliver([
      event({ timestamp: 1, event: '$identify', properties: { $set: { a: 1 } } })
    ])

    expect(store.personOf('ada')).toMatchObject({ isIdentified: false, properties: { a: 1 } })
  })
})

describe('events without a person', () => {
  const personless = event({
    timestamp: 1,
    distinct_id: 'anon',
    properties: { $process_person_profile: false, $browser: 'Firefox' }
  })

  it('create an identity but no person', () => {
    const store = deliver([personless])

    expect(store.groups()).toEqual([])
    expect(store.events.get(personless.uuid)).toMatchObject({
      version: null,
      identity: store.identities.get('anon')?.key
    })
  })

  it('belong to the person to whom $identify assigns their id, whichever comes first', () => {
    const identify = event({
      timestamp: 2,
      event: '$identify',
      properties: { $anon_distinct_id: 'anon' }
    })

    expect(deliver([personless], [identify]).groups()).toEqual([['ada', 'anon']])
    expect(deliver([identify], [personless]).groups()).toEqual([['ada', 'anon']])
    expect(deliver([identify], [personless]).personOf('anon')?.properties).not.toHaveProperty(
      '$browser'
    )
  })
})

describe('versions', () => {
  it('give each event the properties in force when it was processed', () => {
    const events = [
      event({ timestamp: 1, properties: { $set: { plan: 'free' } } }),
      event({ timestamp: 2 }),
      event({ timestamp: 3, properties: { $set: { plan: 'pro' } } }),
      event({ timestamp: 4 })
    ]
    const store = deliver(events)
    const plans = events.map(({ uuid }) => store.versions.get(store.events.get(uuid)?.version ?? 0))

    expect(plans).toMatchObject([
      { plan: 'free' },
      { plan: 'free' },
      { plan: 'pro' },
      { plan: 'pro' }
    ])
    expect(store.versions.size).toBe(2)
  })
})

/**
 * Events of clients, each with its own id; some have the same time, and some of these come with the
 * same request. Merges fold only ids that are never a target. A
 * merge of an id that is already part of an identified person may be refused.
 */
const history = fc
  .array(
    fc.record({
      kind: fc.constantFrom(
        'set',
        'once',
        'other',
        'unset',
        'plain',
        'personless',
        'identify',
        'alias',
        'merge'
      ),
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      other: fc.constantFrom('x', 'y', 'z'),
      key: fc.constantFrom('p', 'q', '__proto__'),
      value: fc.constantFrom<Json>(null, 1, 'one', ['list'], { nested: true }),
      timestamp: fc.integer({ min: 1, max: 4 }),
      received_at: fc.integer({ min: RECEIVED, max: RECEIVED + 2 }),
      position: fc.integer({ min: 0, max: 2 })
    }),
    { minLength: 1, maxLength: 8 }
  )
  .map((steps) => steps.map(toEvent))

type Step = { kind: string; id: string; other: string; key: string; value: Json } & Pick<
  Incoming,
  'timestamp' | 'received_at' | 'position'
>

function toEvent({ kind, id, other, key, value, ...order }: Step, i: number): Incoming {
  const entry: JsonObject = Object.fromEntries([[key, value]])
  const by: Record<string, Partial<Incoming>> = {
    set: { properties: { $set: entry } },
    once: { distinct_id: other, properties: { $set_once: entry } },
    other: { distinct_id: other, properties: { $set: entry } },
    unset: { properties: { $unset: [key] } },
    plain: { properties: { $browser: String(i), utm_source: String(value) } },
    personless: { distinct_id: other, properties: { $process_person_profile: false } },
    identify: { event: '$identify', properties: { $anon_distinct_id: other, $set: entry } },
    alias: { event: '$create_alias', properties: { alias: other } },
    merge: { event: '$merge_dangerously', properties: { alias: other } }
  }
  return event({ ...order, uuid: numberedUuid(i), distinct_id: id, ...by[kind] })
}

const byOrder = (a: Incoming, b: Incoming): number =>
  a.timestamp - b.timestamp ||
  a.received_at - b.received_at ||
  (a.position ?? 0) - (b.position ?? 0) ||
  a.uuid.localeCompare(b.uuid)

const arrivals = history.chain((events) =>
  fc.record({
    events: fc.constant(events),
    order: fc.shuffledSubarray(events, { minLength: events.length }),
    repeated: fc.subarray(events),
    cuts: fc.array(fc.boolean(), { minLength: events.length * 2, maxLength: events.length * 2 })
  })
)

function inBatches(events: Incoming[], cuts: boolean[]): Incoming[][] {
  const batches: Incoming[][] = [[]]
  events.forEach((one, i) => {
    if (cuts[i]) {
      batches.push([])
    }
    batches.at(-1)?.push(one)
  })
  return batches
}

/** Applies PostHog's rules to the writes of one person in order of time, independently of the product. */
function replay(events: Incoming[]): Map<string, Json> {
  const properties = new Map<string, Json>()
  for (const { properties: sent } of events.toSorted(byOrder)) {
    if (sent.$process_person_profile !== false) {
      applyWrites(properties, sent)
    }
  }
  return properties
}

/** Applies the writes of one event: `$set_once`, then `$set`, then `$unset`. */
function applyWrites(properties: Map<string, Json>, sent: JsonObject): void {
  for (const [key, value] of Object.entries((sent.$set_once ?? {}) as JsonObject)) {
    if (!properties.has(key) || (properties.get(key) === null && value !== null)) {
      properties.set(key, value)
    }
  }
  for (const [key, value] of Object.entries((sent.$set ?? {}) as JsonObject)) {
    properties.set(key, value)
  }
  for (const key of (sent.$unset ?? []) as string[]) {
    properties.delete(key)
  }
}

describe('whatever the order of arrival, the batches and the repetitions', () => {
  const hasNoRefusal = (store: MemoryStore) => store.warnings.length === 0

  it('persons have the same ids, properties and creation time', () => {
    fc.assert(
      fc.property(arrivals, ({ events, order, repeated, cuts }) => {
        const straight = deliver(events)
        const shuffled = deliver(...inBatches([...order, ...repeated], cuts))
        fc.pre(hasNoRefusal(straight) && hasNoRefusal(shuffled))

        expect(shuffled.groups()).toEqual(straight.groups())
        for (const [id = ''] of straight.groups()) {
          const [one, other] = [shuffled.personOf(id), straight.personOf(id)]
          expect(one?.properties).toEqual(other?.properties)
          expect(one?.createdAt).toBe(other?.createdAt)
        }
        expect(shuffled.events.size).toBe(events.length)
      }),
      deep(3_000)
    )
  })

  it('explicitly written properties follow PostHog’s rules in order of time', () => {
    fc.assert(
      fc.property(arrivals, ({ order, repeated, cuts }) => {
        const store = deliver(...inBatches([...order, ...repeated], cuts))
        fc.pre(hasNoRefusal(store))
        for (const group of store.groups()) {
          const expected = replay(order.filter(({ distinct_id }) => group.includes(distinct_id)))
          const shown = new Map(Object.entries(store.personOf(group[0] ?? '')?.properties ?? {}))
          for (const key of ['p', 'q', '__proto__']) {
            expect(shown.get(key)).toEqual(expected.get(key))
          }
        }
      }),
      deep(3_000)
    )
  })
})
