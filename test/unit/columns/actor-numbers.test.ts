import { expect, it } from 'vitest'
import { ActorNumbers } from '../../../src/columns/actor-numbers.ts'

const list = (numbers: ActorNumbers, ...identities: number[]) =>
  numbers.list(Uint32Array.from(identities))

it('identities of one person have one number, and those without a person a number each', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)
  numbers.add(90_000, 1)
  numbers.add(8, -8)
  numbers.add(9, 2)

  expect(list(numbers, 90_000, 7, 8, 9, 7)).toEqual(Int32Array.of(7, 7, 8, 9, 7))
  expect([7, 8, 9].map((number) => numbers.actorOf(number))).toEqual([1, -8, 2])
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

it('what is known of an identity stays', () => {
  const numbers = new ActorNumbers()
  numbers.add(7, 1)
  numbers.add(7, 2)

  expect(numbers.actorOf(7)).toBe(1)
})
