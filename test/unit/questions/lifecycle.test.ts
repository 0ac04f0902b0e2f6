import { expect, it } from 'vitest'
import { NumberMap } from '../../../src/columns/number-map.ts'
import { StatusCounts, Statuses } from '../../../src/questions/lifecycle/statuses.ts'
import { feed, type Run } from '../../support/runs.ts'

// Persons have even numbers.
const [ADA, BO, CY, ANONYMOUS] = [2, 4, 6, 7]

/** Counts the statuses in five buckets, the first of which is 28 February: 1, 2, 3 and 4 March follow. */
function count(created: [number, number][], runs: Run[]) {
  const creations = new NumberMap()
  for (const [actor, bucket] of created) {
    creations.set(actor, bucket + 1)
  }
  const counts = new StatusCounts(5)
  feed(new Statuses(creations, counts.note), runs)
  return counts
}

it('counts persons as in the worked example', () => {
  const counts = count(
    [
      [ADA, 1],
      [BO, 2]
    ],
    [
      { point: 1, actors: [ADA] },
      { point: 2, actors: [ADA, BO, ADA] },
      { point: 3, actors: [BO, CY] },
      { point: 4, actors: [ADA] }
    ]
  )

  expect(counts.from(2)).toEqual({
    new: [1, 0, 0],
    returning: [1, 1, 0],
    resurrecting: [0, 1, 1],
    dormant: [0, -1, -2]
  })
})

it('counts a person as new once, in the bucket of the first event', () => {
  const runs = [
    { point: 1, actors: [ADA] },
    { point: 3, actors: [ADA] }
  ]

  // The person was created in bucket 3, by an event after those that were sent without a person.
  expect(count([[ADA, 3]], runs).from(1)).toEqual({
    new: [1, 0, 0, 0],
    returning: [0, 0, 0, 0],
    resurrecting: [0, 0, 1, 0],
    dormant: [0, -1, 0, -1]
  })
  // Another event created the person, a bucket before the first event of the series.
  expect(count([[ADA, 0]], runs).from(1)).toMatchObject({
    new: [0, 0, 0, 0],
    resurrecting: [1, 0, 1, 0]
  })
})

it('leaves out actors without a person, and events that the filters leave out', () => {
  const counts = count([[ADA, 1]], [{ point: 1, actors: [ANONYMOUS, ADA, BO], groups: [0, 0, -1] }])

  expect(counts.from(1)).toMatchObject({ new: [1, 0, 0, 0], resurrecting: [0, 0, 0, 0] })
})
