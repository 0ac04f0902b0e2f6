import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Seen } from '../../../src/trends/maths/seen.ts'

/** Subjects of one point; -1 stands for none. Some are large, so that the list grows. */
const Subjects = fc.array(fc.oneof(fc.integer({ min: -1, max: 20 }), fc.nat(100_000)))

/** Points without events between two points. After 254 of them, a mark of one byte comes round again. */
const Gap = fc.oneof(fc.nat(2), fc.integer({ min: 253, max: 256 }))

it('tells which subjects are new at each of many points, one by one and together', () => {
  fc.assert(
    fc.property(fc.array(Subjects, { minLength: 1, maxLength: 5 }), Gap, (points, gap) => {
      const [single, together] = [new Seen(), new Seen()]
      for (const subjects of points) {
        const expected = new Set(subjects.filter((subject) => subject >= 0))
        expect(subjects.filter((subject) => subject >= 0 && single.add(subject))).toEqual([
          ...expected
        ])
        const list = Int32Array.from([7, ...subjects, 7])
        expect(together.addEach(list, 1, list.length - 1)).toBe(expected.size)
        expect(together.addEach(list, 1, list.length - 1)).toBe(0)
        for (let point = 0; point <= gap; point += 1) {
          single.clear()
          together.clear()
        }
      }
    })
  )
})
