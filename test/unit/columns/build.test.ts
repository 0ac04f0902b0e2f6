import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MINUTE } from '../../../src/calendar/units.ts'
import { SegmentBuilder } from '../../../src/columns/build.ts'
import {
  decodeColumn,
  decodeNames,
  decodeNumbers,
  decodeSlots,
  toSlotCounts
} from '../../../src/columns/codec.ts'
import { placeOfCold, placeOfColumn, placeOfSlots } from '../../../src/columns/places.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'

const range = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

const row = (n: number, properties: JsonObject = {}) => ({
  timestamp: n * MINUTE,
  identity: 10 + n,
  version: n % 2 === 0 ? n : null,
  session_id: `session ${n % 3}`,
  properties: JSON.stringify(properties)
})

function build(rows: ReturnType<typeof row>[]) {
  const builder = new SegmentBuilder()
  for (let at = 0; at < rows.length; at += 500) {
    builder.add(rows.slice(at, at + 500))
  }
  return finish(builder)
}

const SEGMENT = { build: 'b', projectId: 1, eventId: 2, since: 0, until: 1_000 * SLOT }

/** Finishes a segment, and makes all of its columns. */
function finish(builder: SegmentBuilder) {
  const { columns, content } = builder.finish(SEGMENT)
  return { ...content, columns: [...columns] }
}

type Content = ReturnType<typeof build>

const dataOf = ({ columns }: Content, name: string): string =>
  columns.find((column) => column.name === name)?.data ?? ''

const valuesOf = (content: Content, name: string): Json[] => {
  const { codes, values } = decodeColumn(
    dataOf(content, name),
    content.count,
    placeOfColumn(SEGMENT, name)
  )
  return Array.from(codes, (code) => values[code] ?? null)
}

const properties = ({ columns }: Content): string[] =>
  columns
    .filter(({ name }) => name.startsWith('event:'))
    .map(({ name }) => name.slice('event:'.length))

const cold = (content: Content): string[] | null =>
  content.cold === null
    ? null
    : decodeNames(content.cold, placeOfCold(SEGMENT, properties(content)))

/** Builds a segment of 2,000 events with one property. */
const withProperty = (make: (n: number) => Json) =>
  build(range(2_000, (n) => row(n, { asked: make(n) })))

it('times are counted per slot, also before 1970', () => {
  const times = [-SLOT - 1, -1, 0, SLOT - 1, SLOT, SLOT + 5]
  const content = build(times.map((timestamp, n) => ({ ...row(n), timestamp })))

  expect(
    toSlotCounts(decodeSlots(content.slots, placeOfSlots({ ...SEGMENT, count: content.count })))
  ).toEqual([
    { slot: -2, count: 1 },
    { slot: -1, count: 1 },
    { slot: 0, count: 2 },
    { slot: 1, count: 2 }
  ])
  expect([...decodeNumbers(dataOf(content, 'time'), placeOfColumn(SEGMENT, 'time'))]).toEqual([
    SLOT - 1,
    SLOT - 1,
    0,
    SLOT - 1,
    0,
    5
  ])
})

it('identities, versions and sessions have a column', () => {
  const content = build(range(5, (n) => row(n)))

  expect([
    ...decodeNumbers(dataOf(content, 'identity'), placeOfColumn(SEGMENT, 'identity'))
  ]).toEqual([10, 11, 12, 13, 14])
  expect(valuesOf(content, 'version')).toEqual([0, null, 2, null, 4])
  expect(valuesOf(content, 'session')).toEqual(range(5, (n) => `session ${n % 3}`))
})

describe('a property gets a column', () => {
  it.each<[string, (n: number) => Json]>([
    ['if it repeats', (n) => `https://example.org/${n % 500}`],
    ['if it is a number, even one that never repeats', (n) => n * 1_000_003],
    ['if it is the same in all events', () => 'web'],
    ['if only some have it', (n) => (n % 50 === 0 ? 'sale' : null)],
    ['if it is an array or an object', (n) => [{ size: n % 4 }, 'x']],
    [
      'if its values have different types',
      (n) => [1, '1', true, null, [1], { 1: 1 }][n % 6] ?? null
    ]
  ])('%s', (_, make) => {
    const content = withProperty(make)

    expect(valuesOf(content, 'event:asked')).toEqual(range(2_000, make))
    expect(cold(content)).toEqual([])
  })
})

describe('a property gets no column, and is listed,', () => {
  it.each<[string, (n: number) => Json]>([
    ['if its text differs in nearly every event', (n) => `id-${n * 1_000_003}`],
    ['if fewer than 1 % of the events have it', (n) => (n % 200 === 0 ? 1 : null)],
    ['if its values are too long', (n) => `${n % 1_000} `.repeat(150)]
  ])('%s', (_, make) => {
    const content = withProperty(make)

    expect(properties(content)).toEqual([])
    expect(cold(content)).toEqual(['asked'])
  })
})

it('the 64 properties that most events have get a column', () => {
  const content = build(
    range(1_000, (n) =>
      row(n, Object.fromEntries(range(80, (key) => [`key ${key}`, n % 10]).slice(0, 80 - (n % 50))))
    )
  )

  expect(properties(content)).toEqual(range(64, (key) => `key ${key}`))
  expect(cold(content)).toEqual(range(16, (key) => `key ${64 + key}`))
})

it('properties without a column are not listed if they are too many or too long', () => {
  const many = build(range(1_000, (n) => row(n, { plan: 'pro', [`key ${n}`]: 1 })))
  const long = build(range(100, (n) => row(n, { plan: 'pro', ['x'.repeat(201)]: 1 })))

  expect([many.cold, long.cold]).toEqual([null, null])
  expect([properties(many), properties(long)]).toEqual([['plan'], ['plan']])
})

it('properties that are left out are neither in columns nor listed', () => {
  const builder = new SegmentBuilder()
  builder.add([row(0, { plan: 'pro' })])
  builder.leaveOutProperties()
  builder.add([{ ...row(1), properties: null }])
  const content = finish(builder)

  expect({ count: content.count, cold: content.cold, properties: properties(content) }).toEqual({
    count: 2,
    cold: null,
    properties: []
  })
  expect([
    ...decodeNumbers(dataOf(content, 'identity'), placeOfColumn(SEGMENT, 'identity'))
  ]).toEqual([10, 11])
})

it('sessions too long for one value of the database have no column', () => {
  const content = build(range(32_000, (n) => ({ ...row(n), session_id: `${n} ${'x'.repeat(60)}` })))

  expect(content.columns.map(({ name }) => name)).toEqual(['identity', 'time', 'version'])
})

it('whatever the properties are, each is in its column, or listed, or unknown', () => {
  const value = fc.jsonValue().map((json): Json => JSON.parse(JSON.stringify(json)))
  const key = fc.oneof(fc.constantFrom('plan', '__proto__', 'constructor', ''), fc.string())
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(key, value, { maxKeys: 5 }), { minLength: 1, maxLength: 40 }),
      (events) => {
        // As stored: `__proto__` is a property like any other.
        const stored = events.map((event): JsonObject => JSON.parse(JSON.stringify(event)))
        const content = build(stored.map((event, n) => row(n, event)))
        const listed = cold(content)
        const names = new Set(stored.flatMap((event) => Object.keys(event)))

        for (const name of names) {
          if (properties(content).includes(name)) {
            expect(valuesOf(content, `event:${name}`)).toEqual(
              stored.map((event) => (Object.hasOwn(event, name) ? (event[name] ?? null) : null))
            )
          } else {
            expect(listed === null || listed.includes(name)).toBe(true)
          }
        }
        expect(new Set([...properties(content), ...(listed ?? [])])).toEqual(names)
      }
    ),
    { numRuns: 200 }
  )
})
