import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Range } from '../../../src/calendar/buckets.ts'
import { piecesOf, Sliding } from '../../../src/trends/maths/sliding.ts'
import { deep } from '../../support/depth.ts'

it('cuts time where a window begins or ends', () => {
  const windows = [
    { from: 0, until: 7 },
    { from: 1, until: 8 }
  ]

  expect(piecesOf(windows)).toEqual([
    { since: 0, until: 1, point: 0 },
    { since: 1, until: 7, point: 1 },
    { since: 7, until: 8, point: 2 }
  ])
})

const history = {
  width: fc.integer({ min: 1, max: 9 }),
  steps: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
  events: fc.array(
    fc.record({
      at: fc.integer({ min: -10, max: 60 }),
      actor: fc.integer({ min: 0, max: 6 }),
      group: fc.integer({ min: -1, max: 2 })
    }),
    { maxLength: 60 }
  )
}

/** Counts the actors in each window, by `<window> <group>`. Without `isGrouped`, all events are in group 0. */
function count(
  windows: readonly Range[],
  events: readonly { at: number; actor: number; group: number }[],
  isGrouped: boolean
): Map<string, number> {
  const sliding = new Sliding(windows, false)
  for (const piece of piecesOf(windows)) {
    const seen = events.filter(({ at }) => at >= piece.since && at < piece.until)
    const rows = {
      groups: isGrouped ? Int32Array.from(seen, ({ group }) => group) : undefined,
      subjects: Int32Array.from(seen, ({ actor }) => actor),
      actors: new Int32Array(),
      numbers: { codes: new Uint8Array(), values: new Float64Array() }
    }
    sliding.add(rows, 0, seen.length, piece)
  }
  const counted = [...sliding.end()].filter(({ result }) => result > 0)
  return new Map(counted.map(({ point, group, result }) => [`${point} ${group}`, result]))
}

it.each([false, true])('counts each actor once in each window, by groups: %s', (isGrouped) => {
  fc.assert(
    fc.property(fc.record(history), ({ width, steps, events }) => {
      const ends = steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, step) => sum + step, 0))
      const windows = ends.map((until) => ({ from: until - width, until }))

      const expected = new Map<string, number>()
      for (const [point, { from, until }] of windows.entries()) {
        for (const group of isGrouped ? [0, 1, 2] : [0]) {
          const own = events.filter((event) => {
            const isInside = event.at >= from && event.at < until
            return isInside && (!isGrouped || event.group === group)
          })
          const actors = new Set(own.map(({ actor }) => actor)).size
          if (actors > 0) {
            expected.set(`${point} ${group}`, actors)
          }
        }
      }
      expect(count(windows, events, isGrouped)).toEqual(expected)
    }),
    deep(100)
  )
})

it.each([
  [1, 100_000],
  [8_000, 1_250]
])('counts %i windows for at most %i values of a breakdown', (length, most) => {
  const windows = Array.from({ length }, (_, i) => ({ from: i, until: i + 7 }))
  const sliding = new Sliding(windows, false)
  const rows = {
    groups: Int32Array.from({ length: most + 1 }, (_, group) => group),
    subjects: new Int32Array(most + 1),
    actors: new Int32Array(),
    numbers: { codes: new Uint8Array(), values: new Float64Array() }
  }
  const piece = { since: 0, until: 1, point: 0 }

  sliding.add(rows, 0, most, piece)
  expect(() => sliding.add(rows, most, most + 1, piece)).toThrow(
    `The breakdown has more than ${most} distinct values in this range`
  )
})
