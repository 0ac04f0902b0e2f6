import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SlidingCount, segmentsOf } from '../../../src/trends/sliding.ts'
import { deep } from '../../support/depth.ts'

it('cuts windows where any of them begins or ends', () => {
  const windows = [
    { from: 0, until: 7 },
    { from: 1, until: 8 }
  ]

  expect(segmentsOf(windows)).toEqual([
    { from: 0, until: 1 },
    { from: 1, until: 7 },
    { from: 7, until: 8 }
  ])
})

it('counts each actor once in each window, however often and wherever they are seen', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
      fc.array(
        fc.record({
          at: fc.integer({ min: -10, max: 60 }),
          actor: fc.integer({ min: -2, max: 4 })
        }),
        {
          maxLength: 60
        }
      ),
      (width, steps, events) => {
        const ends = steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, step) => sum + step, 0))
        const windows = ends.map((until) => ({ from: until - width, until }))
        const count = new SlidingCount(windows)
        for (const segment of segmentsOf(windows)) {
          const seen = events
            .filter(({ at }) => at >= segment.from && at < segment.until)
            .map(({ actor }) => actor)
          count.add(segment, new Set(seen))
        }

        const expected = windows.map(
          ({ from, until }) =>
            new Set(events.filter(({ at }) => at >= from && at < until).map(({ actor }) => actor))
              .size
        )
        expect(count.counts()).toEqual(expected)
      }
    ),
    deep(100)
  )
})
