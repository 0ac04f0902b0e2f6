import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isFulfilled } from '../../../src/membership/definition.ts'
import { Tallies } from '../../../src/membership/tallies.ts'

it('finds who did something often enough, also those who never did', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 30 }),
      fc.constantFrom(...(['gte', 'gt', 'lte', 'lt', 'exact'] as const)),
      fc.constantFrom(0, 1, 2, 3, 254, 255, 300),
      fc.constantFrom(1, 2, 255, 256, 301),
      (actors, operator, count, each) => {
        const times = { operator, count }
        const tallies = new Tallies(times)
        for (const actor of actors) {
          for (let i = 0; i < each; i += 1) {
            tallies.add(actor)
          }
        }
        const found = tallies.actorsWith((done) => isFulfilled(times, done))
        for (const actor of [...actors, 9_001]) {
          const done = actors.filter((other) => other === actor).length * each
          expect([actor, done, found.has(actor)]).toEqual([actor, done, isFulfilled(times, done)])
        }
      }
    )
  )
})
