import { expect, it } from 'vitest'
import { decodeSlots, encodeSlots } from '../../../src/columns/codec.ts'
import { Overview } from '../../../src/columns/overview.ts'
import { SLOT } from '../../../src/rollups/store.ts'

/** Returns the overview of one event name with these segments and loose slots. */
const overview = (
  segments: { first: number; last: number; perSlot: number }[],
  loose: { slot: number; count: number }[]
) =>
  new Overview([
    {
      eventId: 1,
      loose,
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
    }
  ])

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

it('cuts steps where segments end', () => {
  const events = overview(
    [
      { first: 0, last: 9, perSlot: 10 },
      { first: 10, last: 19, perSlot: 10 }
    ],
    []
  )

  expect(events.steps(0, 20 * SLOT, 90)).toEqual([
    { since: 0, until: 10 * SLOT },
    { since: 10 * SLOT, until: 20 * SLOT }
  ])
})

it('cuts a segment if the step would become twice as long', () => {
  const steps = overview([{ first: 0, last: 99, perSlot: 10 }], []).steps(0, 100 * SLOT, 100)

  expect(steps).toHaveLength(5)
  expect(steps[0]).toEqual({ since: 0, until: 20 * SLOT })
  expect(steps.at(-1)?.until).toBe(100 * SLOT)
})

it('makes one step without events', () => {
  expect(overview([], []).steps(5, 10, 1)).toEqual([{ since: 5, until: 10 }])
})
