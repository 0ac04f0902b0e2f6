import { expect, it } from 'vitest'
import { ActorNumbers } from '../../../src/columns/actor-numbers.ts'

function list(numbers: ActorNumbers, ...identities: number[]) {
  const listed = new Int32Array(identities.length)
  return numbers.list(Uint32Array.from(identities), listed) ? listed : undefined
}

it('identities of one person share a number, identities without a person have one each', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)
  numbers.add(90_000, 1)
  numbers.add(8, -8)
  numbers.add(9, 2)

  expect(list(numbers, 90_000, 7, 8, 9, 7)).toEqual(Int32Array.of(7, 7, 8, 9, 7))
  expect(numbers.actorsOf([7, 8, 9])).toEqual([1, -8, 2])
})

it('nothing is listed while an identity is unknown', () => {
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

it('an identity keeps its number', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)
  numbers.add(7, 2)

  expect(numbers.actorsOf([7])).toEqual([1])
})
