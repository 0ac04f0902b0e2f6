import { describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { deciderOf, numberOfValue, textOfValue } from '../../../src/properties/decide.ts'
import type { Operator } from '../../../src/properties/filter.ts'
import { Work } from '../../../src/properties/work.ts'
import { randomText } from '../../support/text.ts'

const NOW = new Date('2026-11-20T00:00:00Z')

const decider = (operator: Operator, values: string[]) =>
  deciderOf({ key: 'url', operator, values, type: 'event' }, 'Europe/Berlin', NOW)

/** Returns whether a value fulfils a filter. */
async function isFulfilled(value: Json, operator: Operator, ...values: string[]): Promise<boolean> {
  const [decided] = await decider(operator, values)([value], new Work())
  return decided === 1
}

const many = (count: number, textOf: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => textOf(i))

it.each([
  ['a', 'a'],
  ['', ''],
  [5, '5'],
  [1e21, '1e+21'],
  [true, 'true'],
  [['a', null], '["a",null]'],
  [{ a: 1 }, '{"a":1}'],
  [null, null]
])('writes %j as the text %j', (value, text) => {
  expect(textOfValue(value)).toBe(text)
})

it.each([
  [5, 5],
  ['5', 5],
  [' \t5.50\r\n', 5.5],
  ['-1E+3', -1000],
  ['1e-400', 0],
  ['9007199254740993', 9007199254740992],
  // SQLite reads 19 or 20 digits, and ends a text at a null character.
  ['1.9912429794377245475', 1.9912429794377244],
  ['5\0a', 5],
  ...[true, false, null, [5], '', ' ', '+5', '05', '.5', '5.', '0x10', '1_000', '5 a'].map(
    (value): [Json, number] => [value, Number.NaN]
  ),
  ...['\f5', '\u00a05', 'NaN', 'Infinity', '1e400', '-1e400'].map((value): [Json, number] => [
    value,
    Number.NaN
  ])
])('reads %j as the number %d', (value, number) => {
  expect(numberOfValue(value)).toBe(number)
})

describe('a filter', () => {
  it('compares whole numbers in texts exactly up to 64 bits, and longer numbers not at all', async () => {
    expect(await isFulfilled('9007199254740993', 'gt', '9007199254740992')).toBe(true)
    expect(await isFulfilled('9007199254740992', 'gt', '9007199254740992')).toBe(false)
    expect(await isFulfilled('9223372036854775807', 'gt', '0')).toBe(true)
    expect(await isFulfilled('9223372036854775808', 'gt', '0')).toBe(false)
    expect(await isFulfilled('-9223372036854775808', 'lt', '0')).toBe(true)
    expect(await isFulfilled('-9223372036854775809', 'not_between', '0', '1')).toBe(false)
  })

  it('compares with the limit that is easiest to meet, if there are several', async () => {
    expect(await isFulfilled(6, 'gt', '10', '5')).toBe(true)
    expect(await isFulfilled(6, 'lte', '5', '10')).toBe(true)
    expect(await isFulfilled(6, 'min', '10', '7')).toBe(false)
  })

  it.each([
    ['exact', 1],
    ['in', 1],
    ['is_not', 1],
    ['not_in', 1],
    ['icontains', 0],
    ['not_icontains', 1]
  ] as const)('with an empty list, %s decides %i for every value', async (operator, decided) => {
    const values = ['a', 5, null]

    expect([...(await decider(operator, [])(values, new Work()))]).toEqual(
      values.map(() => decided)
    )
  })

  it.each([
    ['exact', ['-']],
    ['icontains', ['K']],
    ['regex', ['.']],
    ['is_date_before', ['2030-01-01']],
    ['semver_neq', ['1.0.0']],
    ['not_between', ['0', '1']]
  ] as const)('%s is not fulfilled by a missing value', async (operator, values) => {
    expect(await isFulfilled(null, operator, ...values)).toBe(false)
  })
})

describe('an expensive operator', () => {
  it('compares each different text once', async () => {
    const work = new Work()
    const plan = vi.spyOn(work, 'plan')
    const decide = decider('not_regex', ['^1'])

    expect([...(await decide(['12', 12, '2', null, '12'], work))]).toEqual([0, 0, 1, 1, 0])
    expect([...(await decide([null, '2', 12, [1]], work))]).toEqual([1, 1, 0, 1])
    expect([...(await decide(['[1]', '12'], work))]).toEqual([1, 0])
    expect(plan.mock.calls.map(([, , texts]) => texts)).toEqual([2, 1])
  })

  it('computes each step of a regular expression once, even if texts come in many batches', async () => {
    const work = new Work()
    const decide = decider('regex', ['a[ab]{60}b[ab]*-[0-9]*7$'])
    // Computing the steps of this text in each batch would exceed the limit of steps.
    const start = randomText(400)

    let count = 0
    for (let i = 0; i < 200; i += 1) {
      const decided = await decide([`${start}-${2 * i}`, `${start}-${2 * i + 1}`], work)
      count += decided.filter((one) => one === 1).length
    }

    expect(count).toBe(40)
  })

  it('accepts 100,000 distinct texts in all', async () => {
    const decide = decider('semver_eq', ['1.0.0'])
    await decide(many(60_000, String), new Work())
    await decide(many(100_000, String), new Work())

    await expect(decide(['more'], new Work())).rejects.toMatchObject({
      code: 'query_too_large',
      attr: 'properties',
      message:
        'The operator semver_eq compares at most 100000 distinct values of "url" with at most 8000000 characters in all, but this range has more. Choose a shorter range, or use an operator such as exact.'
    })
    expect(await decide(['99999', null], new Work())).toEqual(new Uint8Array(2))
  })

  it('accepts 8,000,000 characters of distinct texts in all', async () => {
    const decide = decider('semver_eq', ['1.0.0'])
    const long = many(8, (i) => String(i).repeat(1_000_000))
    await decide(long, new Work())
    await decide(long, new Work())

    await expect(decide(['x'], new Work())).rejects.toMatchObject({
      code: 'query_too_large',
      attr: 'properties'
    })
  })
})
