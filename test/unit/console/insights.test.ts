import { describe, expect, it } from 'vitest'
import { move } from '../../../console/boards/arrange.ts'
import { describeRule, fromRule, type Rule, toRule } from '../../../console/insights/rule.ts'
import {
  type ApiSchedule,
  fromSchedule,
  type Rhythm,
  toSchedule
} from '../../../console/insights/schedule.ts'

describe('the rule of an alert', () => {
  const CHANGE = { isPercentage: true, compareTo: 'previous_interval' } as const

  it.each<[Rule, string]>([
    [{ ...CHANGE, when: 'below', amount: 20 }, 'is below 20'],
    [{ ...CHANGE, when: 'above', amount: 0 }, 'is above 0'],
    [{ ...CHANGE, when: 'falls', amount: 7 }, 'falls by more than 7%'],
    [
      { when: 'rises', amount: 5, isPercentage: false, compareTo: 'same_weekday' },
      'rises by more than 5 from a week before'
    ],
    [{ ...CHANGE, when: 'none', amount: 0 }, 'has no events']
  ])('is the same after the way through the API: %o', (rule, words) => {
    expect(fromRule(toRule(rule))).toEqual(rule)
    expect(describeRule(rule)).toBe(words)
  })

  it.each([
    { type: 'absolute_value', bounds: { lower: 1, upper: 9 } },
    { type: 'relative_decrease', bounds: { lower: 1, upper: null } }
  ] as const)('is left alone if the form cannot show it: %o', ({ type, bounds }) => {
    const condition = { type, compare_to: 'previous_interval' } as const
    const threshold = { configuration: { type: 'absolute', bounds } } as const

    expect(fromRule({ condition, threshold })).toBeUndefined()
  })
})

describe('the schedule of a subscription', () => {
  const STORED = { count: null, until_date: null, start_date: '2026-11-27T09:30:00Z' }

  it.each<Rhythm>([
    { frequency: 'daily', days: ['monday'], day: 'monday', time: '09:30' },
    { frequency: 'weekly', days: ['tuesday', 'friday'], day: 'monday', time: '09:30' },
    { frequency: 'monthly', days: ['monday'], day: 'last', time: '09:30' }
  ])('is the same after the way through the API: %o', (rhythm) => {
    const sent = toSchedule(rhythm, '2026-11-27')

    expect(sent.start_date).toBe('2026-11-27T09:30')
    expect(fromSchedule({ ...sent, ...STORED } as ApiSchedule, '09:30')).toEqual(rhythm)
  })

  it.each<Partial<ApiSchedule>>([
    { interval: 2 },
    { frequency: 'yearly' },
    { count: 3 },
    { until_date: '2027-01-01T00:00:00Z' },
    { frequency: 'monthly', byweekday: ['friday'], bysetpos: 2 }
  ])('is left alone if the form cannot show it: %o', (other) => {
    const weekly = toSchedule(
      { frequency: 'weekly', days: ['monday'], day: 'monday', time: '09:30' },
      '2026-11-27'
    )

    expect(fromSchedule({ ...weekly, ...STORED, ...other } as ApiSchedule, '09:30')).toBeUndefined()
  })
})

it('a tile is moved to a place, at most to an end', () => {
  expect(move(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  expect(move(['a', 'b', 'c'], 2, -1)).toEqual(['c', 'a', 'b'])
  expect(move(['a', 'b', 'c'], 0, 9)).toEqual(['b', 'c', 'a'])
})
