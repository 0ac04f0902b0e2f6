import { expect, it } from 'vitest'
import {
  ActiveIntervals,
  type Criteria,
  IntervalCounts
} from '../../../src/questions/stickiness/intervals.ts'
import { feed, type Run } from '../../support/runs.ts'

const [ADA, BO, CY, DI] = [2, 4, 6, 7]

function count(criteria: Criteria, runs: Run[]) {
  const counts = new IntervalCounts(3)
  feed(new ActiveIntervals(criteria, counts.note), runs)
  return counts
}

const THREE_DAYS = [
  { point: 0, actors: [ADA, ADA, CY] },
  { point: 1, actors: [BO, ADA, DI, BO, BO] },
  { point: 2, actors: [ADA, BO, ADA] }
]

it('counts actors as in the worked example', () => {
  const counts = count({ operator: 'gte', value: 1 }, THREE_DAYS)

  expect(counts.numbers(false)).toEqual([2, 1, 1])
  expect(counts.numbers(true)).toEqual([4, 2, 1])
})

it.each([
  // Ada on the first and the third day, Bo on the second.
  ['gte', 2, [1, 1, 0]],
  ['gte', 3, [1, 0, 0]],
  // Ada on the second day, Bo on the third, Cy and Di on one.
  ['lte', 1, [4, 0, 0]],
  // All but Bo's second day.
  ['lte', 2, [3, 0, 1]],
  ['exact', 2, [0, 1, 0]],
  ['exact', 3, [1, 0, 0]]
] as const)('counts intervals with %s %i events', (operator, value, expected) => {
  expect(count({ operator, value }, THREE_DAYS).numbers(false)).toEqual(expected)
})

it('leaves out events that the filters leave out', () => {
  const runs = [{ point: 0, actors: [ADA, BO], groups: [-1, 0] }]

  expect(count({ operator: 'gte', value: 1 }, runs).numbers(false)).toEqual([1, 0, 0])
})
