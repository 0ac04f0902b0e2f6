import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Incoming, withSize } from '../../../src/capture/changes.ts'
import { byteLength, type Json, type JsonObject } from '../../../src/input/json.ts'
import type { Write } from '../../../src/persons/last-write.ts'
import { loadPerson, newPerson, storePerson, writePerson } from '../../../src/persons/person.ts'
import { copyCost } from '../../../src/persons/version-credit.ts'
import { deep } from '../../support/depth.ts'
import { MemoryStore } from '../../support/memory.ts'
import { numberedUuid } from '../../support/text.ts'

let made = 0

const event = (properties: JsonObject, fields: Partial<Incoming> = {}): Incoming => {
  made += 1
  return withSize({
    uuid: numberedUuid(made),
    event: 'seen',
    distinct_id: 'ada',
    timestamp: made,
    received_at: 1_000_000,
    properties,
    ...fields
  })
}

const events = (count: number, propertiesOf: (n: number) => JsonObject): Incoming[] =>
  Array.from({ length: count }, (_, n) => event(propertiesOf(n)))

const inBatchesOf = (length: number, all: Incoming[]): Incoming[][] =>
  Array.from({ length: Math.ceil(all.length / length) }, (_, n) =>
    all.slice(n * length, (n + 1) * length)
  )

const deliver = (...batches: Incoming[][]): MemoryStore => {
  const store = new MemoryStore()
  for (const batch of batches) {
    store.deliver(batch)
  }
  return store
}

/** Returns the stored properties of the person at each event. */
const propertiesAt = (store: MemoryStore, all: Incoming[]): unknown[] =>
  all.map(({ uuid }) => store.versions.get(store.events.get(uuid)?.version ?? 0))

const bytesOf = (value: unknown): number => JSON.stringify(value).length

const storedBytes = (store: MemoryStore): number =>
  [...store.versions.values()].reduce((sum: number, version) => sum + bytesOf(version), 0)

describe('copies of a person’s properties', () => {
  it.each([1, 20, 1_000])(
    'are up to date at each event if every event of 600 bytes changes a person of 3 kB, in batches of %i',
    (length) => {
      const page = 'x'.repeat(520)
      const all = [
        event({ $set: { about: 'x'.repeat(3_000) } }),
        ...events(300, (n) => ({ page, $set: { visits: n } }))
      ]
      const store = deliver(...inBatchesOf(length, all))

      expect(store.warnings).toEqual([])
      expect(propertiesAt(store, all).slice(1)).toMatchObject(
        all.slice(1).map((_, n) => ({ visits: n }))
      )
    }
  )

  it.each([1, 50, 1_000])(
    'take at most ten times the bytes of their events plus 400 per event, in batches of %i',
    (length) => {
      const all = [
        event({ $set: { large: 'x'.repeat(50_000) } }),
        ...events(400, (n) => ({ $set: { n } }))
      ]
      const store = deliver(...inBatchesOf(length, all))

      const received = all.reduce((sum, { properties }) => sum + bytesOf(properties) + 7, 0)
      expect(storedBytes(store)).toBeLessThanOrEqual(10 * received + 400 * all.length)
      expect(store.personOf('ada')?.properties.n).toBe(399)
      expect(store.events.size).toBe(401)
    }
  )

  it('are reported as missing for each event, and stored again once events have earned enough credit', () => {
    const changes = [
      event({ $set: { large: 'x'.repeat(50_000) } }),
      ...events(200, (n) => ({ $set: { n } }))
    ]
    const store = deliver(changes)
    const last = changes.at(-1)
    const stale = propertiesAt(store, changes).filter((own, n) => n > 0 && !hasN(own, n - 1))

    expect(stale.length).toBeGreaterThan(150)
    expect(store.warnings).toHaveLength(stale.length)
    expect(store.warnings.at(-1)).toEqual({
      type: 'person_version_limit_exceeded',
      event: last?.uuid
    })

    const large = event({ page: 'x'.repeat(6_000) })
    store.deliver([large])
    expect(propertiesAt(store, [large])).toMatchObject([{ n: 199 }])
    expect(store.personOf('ada')?.isVersionStale).toBe(false)
  })

  it('do not become cheaper by merging persons', () => {
    const store = new MemoryStore()
    const all: Incoming[] = []
    const send = (properties: JsonObject, fields: Partial<Incoming>) => {
      const one = event(properties, fields)
      all.push(one)
      store.deliver([one])
    }
    send({ $set: { large: 'x'.repeat(50_000) } }, { distinct_id: 'link 0' })
    for (let n = 1; n < 100; n += 1) {
      send({}, { distinct_id: `link ${n}` })
      send({ alias: `link ${n - 1}` }, { event: '$merge_dangerously', distinct_id: `link ${n}` })
    }

    const received = all.reduce((sum, { properties }) => sum + bytesOf(properties) + 25, 0)
    expect(storedBytes(store)).toBeLessThanOrEqual(10 * received + 400 * all.length)
    expect(store.groups()).toHaveLength(1)
    expect(Object.keys(store.personOf('link 0')?.properties ?? {})).toContain('large')
  })
})

it.each([
  [100, 114],
  [1_000, 1_024],
  [3_000, 4_096],
  [4_048, 4_096],
  [4_049, 6_097],
  [500_000, 502_048]
])('a copy of %i bytes costs %i', (bytes, cost) => {
  expect(copyCost(bytes)).toBe(cost)
})

const hasN = (properties: unknown, n: number): boolean =>
  typeof properties === 'object' && properties !== null && 'n' in properties && properties.n === n

const key = fc.constantFrom('plan', 'ä', '"')
const value = fc.constantFrom<Json>(null, 1, 'é"', ['b', { c: '\u0001' }])
const stamp = fc.record({ at: fc.integer({ min: 1, max: 5 }), id: fc.constantFrom('a', 'b') })
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constantFrom('set', 'once', 'seed'), key, value, stamp }),
  fc.record({ kind: fc.constant('unset' as const), key, stamp })
)

it('the bytes of a person, updated with each write, are never fewer than those of its JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 8 }), (batches) => {
      const person = newPerson(1, 'uuid', 0)
      for (const writes of batches) {
        writePerson(person, writes)
      }
      const { properties, writes, ...row } = JSON.parse(JSON.stringify(storePerson(person)))
      const { bytes } = person.properties
      const isEmpty = Object.keys(properties).length === 0
      expect(bytes.shown).toBe(byteLength(JSON.stringify(properties)) + (isEmpty ? 0 : 1))
      expect(bytes.writes).toBeGreaterThanOrEqual(byteLength(JSON.stringify(writes)))
      expect(loadPerson({ ...row, properties, writes }).properties.bytes.writes).toBe(bytes.writes)
    }),
    deep(2_000)
  )
})
