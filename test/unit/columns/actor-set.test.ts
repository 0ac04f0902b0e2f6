import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ActorSet } from '../../../src/columns/actor-set.ts'

const HIGHEST = 100_000

const numbers = fc.uniqueArray(fc.integer({ min: 0, max: HIGHEST }), { maxLength: 20 })
const described = fc.record({ noted: numbers, isInverted: fc.boolean() })

const setOf = ({ noted, isInverted }: { noted: number[]; isInverted: boolean }): ActorSet => {
  const set = new ActorSet(isInverted)
  for (const number of noted) {
    set.note(number)
  }
  return set
}

it('has the noted numbers or, inverted, all others', () => {
  fc.assert(
    fc.property(described, numbers, (one, probes) => {
      const set = setOf(one)
      for (const number of [...probes, ...one.noted, HIGHEST * 3]) {
        const isIn = one.noted.includes(number) !== one.isInverted
        expect([set.has(number), set.inverse().has(number)]).toEqual([isIn, !isIn])
      }
      expect([...set.noted()]).toEqual(one.noted.toSorted((a, b) => a - b))
    })
  )
})

it('joins sets, inverted or not', () => {
  fc.assert(
    fc.property(
      fc.array(described, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('AND' as const, 'OR' as const),
      numbers,
      (all, type, probes) => {
        const sets = all.map(setOf)
        const joined = ActorSet.join(sets, type)
        for (const number of [...probes, ...all.flatMap(({ noted }) => noted), HIGHEST * 3]) {
          const held = sets.map((set) => set.has(number))
          expect(joined.has(number)).toBe(type === 'AND' ? held.every(Boolean) : held.some(Boolean))
        }
      }
    )
  )
})
