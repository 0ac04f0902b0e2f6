import { expect, it } from 'vitest'
import { decodeSlots, encodeSlots } from '../../../src/columns/codec.ts'
import { Overview } from '../../../src/columns/overview.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'

/** Returns the overview of one event name with these segments and loose slots. */
const overview = (
  segments: { first: number; last: number; perSlot: number }[],
  loose: { slot: number; count: number }[]
) =>
  new Overview({
    isCut: false,
    damaged: [],
    loose: {
      eventIds: Uint32Array.from(loose, () => 1),
      slots: Int32Array.from(loose, ({ slot }) => slot),
      counts: Uint32Array.from(loose, ({ count }) => count)
    },
    segments: segments.map(({ first, last, perSlot }, id) => ({
      id,
      build: String(id),
      eventId: 1,
      since: first * SLOT,
      until: (last + 1) * SLOT,
      count: (last - first + 1) * perSlot,
      slots: decodeSlots(
        encodeSlots(
          Array.from({ length: last - first + 1 }, (_, i) => ({
            slot: first + i,
            count: perSlot
          })),
          'a place'
        ),
        'a place'
      ),
      late: []
    }))
  })

it('counts the events of whole slots, in segments and outside', () => {
  const events = overview([{ first: 0, last: 9, perSlot: 3 }], [{ slot: 12, count: 5 }])

  expect(events.count(0, 10 * SLOT)).toBe(30)
  expect(events.count(2 * SLOT, 4 * SLOT)).toBe(6)
  expect(events.count(0, 13 * SLOT)).toBe(35)
  expect(events.count(-SLOT, 0)).toBe(0)
})

it('counts all events of a slot that the range cuts', () => {
  expect(overview([], [{ slot: 1, count: 7 }]).count(SLOT + 5, SLOT + 6)).toBe(7)
})

it('cuts a range into steps of about the wanted size', () => {
  const events = overview([{ first: 0, last: 99, perSlot: 10 }], [{ slot: 100, count: 1 }])

  const steps = events.steps(0, 101 * SLOT, 95)

  expect(steps).toHaveLength(11)
  expect(steps[0]).toEqual({ since: 0, until: 10 * SLOT })
  expect(steps.at(-1)).toEqual({ since: 100 * SLOT, until: 101 * SLOT })
})

it('makes one step without events', () => {
  expect(overview([], []).steps(5, 10, 1)).toEqual([{ since: 5, until: 10 }])
})
