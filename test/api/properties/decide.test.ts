import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { query, readBatch } from '../../../src/db/batch.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { compileFilter, numberOf, textOf } from '../../../src/db/filter.ts'
import { AppError } from '../../../src/errors.ts'
import type { Json } from '../../../src/input/json.ts'
import { deciderOf, numberOfValue, textOfValue } from '../../../src/properties/decide.ts'
import {
  leavesOf,
  OPERATORS,
  type Operator,
  type PropertyFilter
} from '../../../src/properties/filter.ts'
import { matcherOf } from '../../../src/properties/match.ts'
import { readFilters } from '../../../src/properties/read-filters.ts'
import { Work } from '../../../src/properties/work.ts'
import { deep } from '../../support/depth.ts'

/*
 * Random values and random filters: JavaScript must decide as SQL does. A failure prints its seed and
 * the smallest failing case.
 */

const NOW = new Date('2026-11-20T10:30:00Z')
const KEY = 'weird "key"'
const { db } = openDb(env.DB, newUsage())

const digits = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 25 })
  .map((some) => some.join(''))
/** A number as text, or a text that is almost a number. */
const numberText = fc
  .tuple(
    fc.constantFrom('', '', '', ' ', '\t\n\r ', '\f', '\u00a0', '\ufeff', '+', '0', '0x'),
    fc.constantFrom('', '', '-'),
    fc.oneof(digits, fc.nat(20).map(String), fc.constantFrom('', '1844674407370955160')),
    fc.oneof(
      fc.constantFrom('', '', '.', '.0', '.5'),
      digits.map((some) => `.${some}`)
    ),
    fc.constantFrom('', '', '', 'e', 'e0', 'e3', 'E+05', 'e-7', 'e-330', 'e308', 'e999', 'n'),
    fc.constantFrom('', '', '', ' ', '\r\n', '\v', '\0', ' \0x', '_', '/**/')
  )
  .map((parts) => parts.join(''))

/** Numbers as texts that SQLite does not read as the nearest double. */
const MISREAD = [
  '1.9912429794377245475',
  '12177950094603733434863',
  '-309396798161428119597.32441567469566495926',
  '\t0.2879263508641353441386847719367195014784885151493111961475289629306285637295830704609690\n'
]

/** Numbers around which integers lose precision, exceed 64 bits, or are written with an exponent. */
const AROUND = [2 ** 53, 2 ** 60, 2 ** 63, 2 ** 64, 1e18, 1e21]
const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc
    .tuple(
      fc.constantFrom(...AROUND),
      fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5_000 })),
      fc.boolean()
    )
    .map(([base, more, isNegative]) => (isNegative ? -1 : 1) * (base + more))
)
/** Whole numbers, as text, that a double may round. */
const integerText = fc
  .tuple(
    fc.constantFrom(2n ** 53n, 2n ** 60n, 2n ** 63n, 10n ** 18n),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(1n, -1n)
  )
  .map(([base, more, sign]) => String(sign * (base + BigInt(more))))

const WORDS = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    'pro',
    'Pro',
    'PROFI',
    'PRO\0FI',
    'Größe',
    'GRÖSSE',
    'ẞ',
    'ſ',
    'Σ',
    'ς'
  ],
  ...['\u212a', 'k', '\u0130stanbul', 'i\u0307', 'ı', 'I', '\ufb01', '😀', '\ufeffpro', '\uffff'],
  ...[
    'true',
    'false',
    'null',
    'undefined',
    'NaN',
    'Infinity',
    '-Infinity',
    '[]',
    '{}',
    '[1]',
    '"5"'
  ],
  ...['%', '_', '\\', '\\u0041', "'", '"', '\u2028', '\u007f', '1_000', '1,5', '٣', '-', '.', '1e']
]
const DATES = [
  ...['2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T02:00:00+02:00', '2026-02-30'],
  ...['2025-12-31T23:59:59.999Z', '2026-10-25T02:30:00', '1 Jan 2026', '1767225600', '-7d', '1w']
]
const VERSIONS = [
  '1.2.3',
  '1.2.3-beta',
  'v1.10.0',
  '2.0.0',
  '0.2.5',
  '1.2',
  '1',
  '1.2.*',
  '*',
  'x.1'
]
const PATTERNS = [
  '^pro$',
  '(?i)pro',
  '[0-9]+',
  '^$',
  '^.$',
  'ü|ö',
  '\\d\\.\\d',
  '^\\[',
  '\\x00',
  '^-?\\d'
]

const word = fc.oneof(
  fc.constantFrom(...WORDS, ...DATES, ...VERSIONS),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((some) => some.join('')),
  fc.string({ unit: 'binary', maxLength: 8 })
)
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, true, false),
  number,
  word,
  numberText,
  integerText,
  fc.constantFrom(...MISREAD)
)
const value: fc.Arbitrary<Json> = fc
  .oneof(
    { weight: 8, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(word, scalar, { maxKeys: 3 }) }
  )
  // Stored values have been written as JSON, which has no -0.
  .map((one) => JSON.parse(JSON.stringify(one)))

/** A value of a filter: the index of one of the property's values, or another text. */
type Wanted = number | { text: string }
const otherText = (texts: fc.Arbitrary<string>): fc.Arbitrary<Wanted> =>
  texts.map((text) => ({ text }))

const anyNumber = otherText(fc.oneof(number.map(String), integerText, numberText))
/** The limit of a numeric filter; the API accepts most of these limits. */
const limit = otherText(
  fc.oneof(number, fc.constantFrom(...AROUND), fc.constantFrom(...MISREAD).map(Number)).map(String)
)
const VALUES: Record<string, fc.Arbitrary<Wanted>> = {
  regex: otherText(fc.constantFrom(...PATTERNS)),
  date: otherText(fc.constantFrom(...DATES)),
  semver: otherText(fc.constantFrom(...VERSIONS)),
  number: fc.oneof({ weight: 8, arbitrary: limit }, { weight: 1, arbitrary: anyNumber }),
  text: fc.oneof(fc.nat(100), otherText(word), anyNumber)
}

const NUMERIC: readonly Operator[] = [
  'gt',
  'gte',
  'lt',
  'lte',
  'min',
  'max',
  'between',
  'not_between'
]

function kindOf(operator: Operator): string {
  if (NUMERIC.includes(operator)) {
    return 'number'
  }
  return ['regex', 'date', 'semver'].find((kind) => operator.includes(kind)) ?? 'text'
}

/**
 * Returns how many values a filter gets: two for a range, up to eight for texts, up to two otherwise. Eight, because SQL leaves
 * `icontains` with more than five values to JavaScript.
 */
function countsOf(operator: Operator): { minLength: number; maxLength: number } {
  if (operator.endsWith('between')) {
    return { minLength: 2, maxLength: 2 }
  }
  return { minLength: 0, maxLength: kindOf(operator) === 'text' ? 8 : 2 }
}

const asked = fc.constantFrom(...OPERATORS).chain((operator) =>
  fc.record({
    operator: fc.constant(operator),
    wanted: fc.array(VALUES[kindOf(operator)] ?? fc.nat(100), {
      ...countsOf(operator),
      size: 'max'
    })
  })
)
type Asked = { operator: Operator; wanted: Wanted[] }

/** Reads a filter as the API does; undefined if the API refuses it. */
function read({ operator, wanted }: Asked, values: readonly Json[]): PropertyFilter | undefined {
  const texts = wanted.map((one) => {
    if (typeof one !== 'number') {
      return one.text
    }
    return textOfValue(values[one % values.length] ?? null) ?? 'null'
  })
  const ordered = operator.endsWith('between') ? texts.sort((a, b) => Number(a) - Number(b)) : texts
  try {
    const [filter] = leavesOf(
      readFilters([{ key: KEY, operator, value: ordered }], { timezone: 'Europe/Berlin', now: NOW })
    )
    return filter
  } catch (error) {
    if (error instanceof AppError) {
      return undefined
    }
    throw error
  }
}

/**
 * Returns the source `held` with a row for each value: its index `n`, and `properties` with the value under `KEY`. For null,
 * the property is missing.
 */
const sourceOf = (values: readonly Json[], isBinary: boolean) => {
  const documents = values.map((one) => JSON.stringify(one === null ? {} : { [KEY]: one }))
  const properties = isBinary ? sql`jsonb(value)` : sql`value`
  return sql`(select key as n, ${properties} as properties from json_each(${JSON.stringify(documents)}) limit -1) held`
}

const PROPERTIES = sql`held.properties`

/** Decides the filters in SQL, as lists of persons do. */
async function selectBySql(values: readonly Json[], filters: PropertyFilter[], isBinary: boolean) {
  const from = sourceOf(values, isBinary)
  const [rows] = await readBatch(
    db,
    query<{ text: string | null; number: number | null }>(
      sql`select ${textOf(PROPERTIES, KEY)} as text, ${numberOf(PROPERTIES, KEY)} as number from ${from} order by n`
    )
  )
  const texts = [...new Set(rows.flatMap(({ text }) => text ?? []))]
  const matching = new Map<PropertyFilter, string[]>()
  for (const filter of filters) {
    const match = matcherOf(filter, 'Europe/Berlin', NOW)
    if (match) {
      matching.set(filter, await match(texts, new Work()))
    }
  }
  const selected = await readBatch(
    db,
    ...filters.map((filter) =>
      query<{ n: number }>(
        sql`select n from ${from} where ${compileFilter(() => PROPERTIES, { type: 'AND', values: [filter] }, matching)}`
      )
    )
  )
  return { rows, selected: selected.map((found) => new Set(found.map(({ n }) => n))) }
}

it('JavaScript decides filters for values exactly as SQL does for rows', async () => {
  const decidedValues = new Map<Operator, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { minLength: 1, maxLength: 40, size: 'max' }),
      fc.array(asked, { minLength: 1, maxLength: 16, size: 'max' }),
      fc.boolean(),
      async (values, requests, isBinary) => {
        const filters = requests.flatMap((one) => read(one, values) ?? [])
        const { rows, selected } = await selectBySql(values, filters, isBinary)
        for (const [i, { text, number }] of rows.entries()) {
          const one = values[i] ?? null
          expect(textOfValue(one), JSON.stringify(one)).toBe(text)
          // `+ 0` turns -0, for a text such as `-0`, into 0, which SQL returns.
          expect(numberOfValue(one) + 0, JSON.stringify(one)).toBe(number ?? Number.NaN)
        }
        for (const [f, filter] of filters.entries()) {
          const decide = deciderOf(filter, 'Europe/Berlin', NOW)
          const half = values.length >> 1
          const work = new Work()
          // Decides the values in two calls, so that the second call knows the answers of the first half.
          const decided = [
            ...(await decide(values.slice(0, half), work)),
            ...(await decide(values, work)).slice(half)
          ]
          for (const [n, one] of values.entries()) {
            expect(decided[n], `${JSON.stringify(one)} ${JSON.stringify(filter)}`).toBe(
              selected[f]?.has(n) ? 1 : 0
            )
          }
          const before = decidedValues.get(filter.operator) ?? 0
          decidedValues.set(filter.operator, before + values.length)
        }
      }
    ),
    deep(500)
  )

  // Every operator was compared: the API did not refuse all filters of any operator.
  expect(Object.fromEntries(decidedValues)).toEqual(
    Object.fromEntries(OPERATORS.map((operator) => [operator, expect.any(Number)]))
  )
})
