import { describe, expect, it } from 'vitest'
import type { AlertRule } from '../../../../src/db/schema.ts'
import {
  type ClosedInterval,
  evaluate,
  judge
} from '../../../../src/subscriptions/alerts/condition.ts'

type Bounds = { lower?: number; upper?: number }

const ruleOf = (
  type: AlertRule['condition']['type'],
  { lower = null, upper = null }: { lower?: number | null; upper?: number | null } = {},
  kind: 'absolute' | 'percentage' = 'absolute'
): AlertRule => ({
  condition: { type, compare_to: 'previous_interval' },
  threshold: {
    id: '',
    name: '',
    created_at: '',
    configuration: { type: kind, bounds: { lower, upper } }
  },
  config: { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: false }
})

const sample = (value: number | null, before: number | null = null) => ({
  label: 'Sign-ups',
  value,
  before
})

describe('a condition', () => {
  // The examples of PostHog: 10 → 20 is an increase of 1.0, 20 → 8 a decrease of 0.6.
  it.each<
    [
      AlertRule['condition']['type'],
      Bounds,
      'absolute' | 'percentage',
      number,
      number,
      number,
      boolean
    ]
  >([
    ['absolute_value', { lower: 20 }, 'absolute', 0, 19, 19, true],
    ['absolute_value', { lower: 20 }, 'absolute', 0, 20, 20, false],
    ['absolute_value', { lower: 1, upper: 20 }, 'absolute', 0, 21, 21, true],
    ['relative_increase', { upper: 0.5 }, 'percentage', 10, 20, 1, true],
    ['relative_decrease', { upper: 0.5 }, 'percentage', 20, 8, 0.6, true],
    ['relative_decrease', { upper: 0.6 }, 'percentage', 20, 8, 0.6, false],
    ['relative_decrease', { upper: 10 }, 'absolute', 20, 8, 12, true],
    ['relative_increase', { lower: 1 }, 'absolute', 5, 5, 0, true],
    ['relative_increase', { upper: 0.5 }, 'percentage', 0, 0, 0, false],
    ['relative_increase', { upper: 9 }, 'percentage', 0, 3, Number.POSITIVE_INFINITY, true]
  ])(
    '%s with %j (%s): from %d to %d is %d',
    (type, bounds, kind, before, value, compared, isBreach) => {
      const judged = judge(ruleOf(type, bounds, kind), sample(value, before))

      expect([judged?.value, judged?.isBreach]).toEqual([compared, isBreach])
    }
  )

  it('is not judged without a number, or without one to compare with', () => {
    expect(judge(ruleOf('absolute_value', { lower: 5 }), sample(null))).toBeUndefined()
    expect(judge(ruleOf('relative_increase', { upper: 5 }), sample(7, null))).toBeUndefined()
  })

  it('says in words what it compares', () => {
    expect(judge(ruleOf('absolute_value', { lower: 20 }), sample(12))?.words).toBe(
      'Sign-ups: 12; below 20'
    )
    expect(
      judge(ruleOf('relative_decrease', { upper: 0.5 }, 'percentage'), sample(8, 20))?.words
    ).toBe('Sign-ups: 8, 20 in the interval before; more than a decrease of 50%')
    expect(judge(ruleOf('no_data'), sample(0))).toMatchObject({
      isBreach: true,
      words: 'Sign-ups: no data'
    })
  })
})

describe('a check', () => {
  const intervals = (...values: (number | null)[]): ClosedInterval[] =>
    values.map((value, i) => ({ from: i, until: i + 1, samples: [sample(value)] }))

  it.each<[boolean, (number | null)[], boolean, 'firing' | 'over' | null]>([
    [false, [30], false, null],
    [false, [10], true, 'firing'],
    [true, [10], true, null],
    [true, [30], false, 'over'],
    // Intervals that one check makes up for.
    [false, [30, 10, 5], true, 'firing'],
    [false, [10, 30], false, 'over'],
    [true, [30, 10], true, 'firing'],
    [true, [30, 10, 40], false, 'over'],
    // Nothing to judge changes nothing.
    [true, [null], true, null],
    [false, [], false, null]
  ])('with firing %s and the numbers %j', (wasFiring, values, isFiring, event) => {
    const found = evaluate(ruleOf('absolute_value', { lower: 20 }), intervals(...values), wasFiring)

    expect([found.isFiring, found.event]).toEqual([isFiring, event])
  })

  it('is about the line that is beyond the bounds', () => {
    const lines = [sample(40), { label: 'Germany', value: 3, before: null }]

    const { words, value, interval } = evaluate(
      ruleOf('absolute_value', { lower: 20 }),
      [{ from: 7, until: 8, samples: lines }],
      false
    )

    expect([words, value, interval]).toEqual(['Germany: 3; below 20', 3, { from: 7, until: 8 }])
  })
})
