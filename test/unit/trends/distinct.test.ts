import { expect, it } from 'vitest'
import { MAX_SUBJECTS } from '../../../src/trends/maths/limits.ts'
import { Distinct } from '../../../src/trends/maths/subjects.ts'

const MANY = MAX_SUBJECTS + 1

/** Counts `MANY` actors at two points, each actor twice per point, with all events in the given group. */
function count(group: number | undefined): number[] {
  const distinct = new Distinct()
  const subjects = Int32Array.from({ length: 2 * MANY }, (_, i) => i % MANY)
  const rows = {
    groups: group === undefined ? undefined : new Int32Array(2 * MANY).fill(group),
    subjects,
    actors: new Int32Array(),
    numbers: { codes: new Uint8Array(), values: new Float64Array() }
  }
  return [0, 1].flatMap((point) => {
    distinct.add(rows, 0, subjects.length)
    return [...distinct.finish(point)].map(({ result }) => result)
  })
}

it.each([undefined, 0])('counts any number of actors without a breakdown: group %s', (group) => {
  expect(count(group)).toEqual([MANY, MANY])
})

it('limits the actors of a breakdown', () => {
  expect(() => count(1)).toThrow('more than 500000 different actors')
})
