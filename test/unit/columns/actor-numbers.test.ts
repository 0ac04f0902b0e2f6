import { expect, it } from 'vitest'
import { ActorNumbers, actorOfNumber } from '../../../src/columns/actor-numbers.ts'

function list(numbers: ActorNumbers, ...identities: number[]) {
  const listed = new Int32Array(identities.length)
  return numbers.list(Uint32Array.from(identities), listed) ? [...listed] : undefined
}

const actors = (numbers: ActorNumbers, ...identities: number[]) =>
  list(numbers, ...identities)?.map(actorOfNumber)

it('identities of one person share a number, identities without a person have one each', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)
  numbers.add(90_000, 1)
  numbers.add(8, -8)
  numbers.add(9, 8)

  expect(actors(numbers, 90_000, 7, 8, 9, 7)).toEqual([1, 1, -8, 8, 1])
  expect(new Set(list(numbers, 7, 8, 9)).size).toBe(3)
})

it('no identities are listed while one of them is unknown', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)

  expect(list(numbers, 7, 8)).toBeUndefined()
  expect(list(numbers, 7, 1_000_000)).toBeUndefined()
  expect([7, 8, 1_000_000].map((identity) => numbers.isKnown(identity))).toEqual([
    true,
    false,
    false
  ])
})

it('adding a chunk keeps known actors, and skips identities whose person has changed since it was built', () => {
  const numbers = new ActorNumbers()
  numbers.add(4_097, 1)

  numbers.addChunk(
    4_096,
    { offsets: Uint16Array.of(1, 2, 5, 4_095), persons: Int32Array.of(2, 3, 0, 4) },
    new Set([4_098])
  )

  expect(actors(numbers, 4_097, 4_101, 8_191)).toEqual([1, -4_101, 4])
  expect([4_096, 4_098, 4_099].some((identity) => numbers.isKnown(identity))).toBe(false)
})

it('an identity keeps its number', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)
  numbers.add(7, 2)

  expect(actors(numbers, 7)).toEqual([1])
})
