import { describe, expect, it } from 'vitest'
import type { Rows } from '../../../src/trends/maths/accumulator.ts'
import { MATH_NAMES, MATHS, type MathName } from '../../../src/trends/maths/table.ts'

const PIECE = { since: 0, until: 1, point: 0 }
const NUMBERS = [1, 2, 3, 4, 10]

/** Events whose numbers are `NUMBERS`, each of another actor or session. */
const OF_NUMBERS: Rows = {
  groups: undefined,
  subjects: Int32Array.from(NUMBERS.keys()),
  actors: new Int32Array(),
  numbers: { codes: Uint8Array.from(NUMBERS.keys()), values: Float64Array.from(NUMBERS) }
}

/** Events of actors who have as many events as `NUMBERS` say. */
const OF_COUNTS: Rows = {
  groups: undefined,
  subjects: Int32Array.from(NUMBERS.flatMap((count, actor) => Array(count).fill(actor))),
  actors: new Int32Array(),
  numbers: { codes: new Uint8Array(20), values: Float64Array.of(Number.NaN) }
}

function compute(math: MathName, rows: Rows, type?: 'event' | 'session'): number | undefined {
  const accumulator = MATHS[math].accumulator(type && { type, key: 'n' })
  accumulator.add(rows, 0, rows.subjects.length, PIECE)
  const [counted] = [...accumulator.finish(0)]
  return counted?.result
}

describe.each([
  ['sum', 20],
  ['avg', 4],
  ['min', 1],
  ['max', 10],
  ['median', 3],
  ['p75', 4],
  ['p90', 7.6],
  ['p95', 8.8],
  ['p99', 9.76]
] as const)('%s of 1, 2, 3, 4 and 10', (math, expected) => {
  it('is computed of the numbers of events', () => {
    expect(compute(math, OF_NUMBERS, 'event')).toBeCloseTo(expected, 10)
  })

  it('is computed of the numbers of sessions, each of which counts once', () => {
    const twice = Int32Array.of(...OF_NUMBERS.subjects, ...OF_NUMBERS.subjects)
    const { codes, values } = OF_NUMBERS.numbers
    const repeated = { codes: Uint8Array.of(...codes, ...codes), values }
    const rows = { ...OF_NUMBERS, subjects: twice, numbers: repeated }

    expect(compute(math, rows, 'session')).toBeCloseTo(expected, 10)
  })

  it.skipIf(math === 'sum')('is computed of the numbers of events of each actor', () => {
    // `sum` has no such form: it would be the number of events.
    const perActor = `${math}_count_per_actor` as MathName

    expect(compute(perActor, OF_COUNTS)).toBeCloseTo(expected, 10)
  })
})

it.each<[MathName, number]>([
  ['total', 20],
  ['dau', 5],
  ['unique_session', 5],
  ['first_time_for_user', 5],
  ['first_matching_event_for_user', 5]
])('%s counts 20 events of 5 subjects as %d', (math, expected) => {
  expect(compute(math, OF_COUNTS)).toBe(expected)
})

it('has a math per actor for each math of numbers, except `sum`', () => {
  const ofNumbers = MATH_NAMES.filter((math) => MATHS[math].over === 'numbers' && math !== 'sum')
  const perActor = MATH_NAMES.filter((math) => math.endsWith('_count_per_actor'))

  expect(perActor).toEqual(ofNumbers.map((math) => `${math}_count_per_actor`))
})
