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

it('joins overviews of different names, and leaves out names', () => {
  const named = (name: number, one: Overview) =>
    new Overview({
      segments: one.segments.map((segment) => ({ ...segment, eventId: name })),
      damaged: [],
      loose: { ...one.loose, eventIds: one.loose.eventIds.map(() => name) },
      isCut: one.isCut
    })
  const first = named(1, overview([{ first: 0, last: 1, perSlot: 3 }], [{ slot: 12, count: 5 }]))
  const second = named(2, overview([{ first: 1, last: 2, perSlot: 4 }], [{ slot: 12, count: 7 }]))

  const joined = Overview.join([first, second])

  expect([...joined.eventIds]).toEqual([1, 2])
  expect(joined.count(SLOT, 2 * SLOT)).toBe(7)
  expect(joined.count(0, 13 * SLOT)).toBe(26)
  expect([...joined.without(new Set([1])).eventIds]).toEqual([2])
  expect(joined.without(new Set([1])).count(0, 13 * SLOT)).toBe(15)
})

it('counts the events of segments that are read from rows one by one', () => {
  const events = overview(
    [
      { first: 0, last: 9, perSlot: 10 },
      { first: 10, last: 19, perSlot: 10 }
    ],
    [{ slot: 30, count: 5 }]
  )
  const whole = [{ since: 0, until: 31 * SLOT }]

  expect(events.countReads(whole)).toBe(25)
  expect(events.countReads(whole, new Set([1]))).toBe(115)
  expect(events.countReads([{ since: 0, until: SLOT }], new Set([1]))).toBe(10)
})

it('cuts a range where its first or last events end or begin', () => {
  const events = overview([{ first: 0, last: 9, perSlot: 10 }], [{ slot: 30, count: 5 }])
  const cut = (count: number, isNewest: boolean) => {
    const at = events.cutAt(0, 31 * SLOT, { count, isNewest })
    return at === undefined ? undefined : at / SLOT
  }

  expect([1, 5, 6, 15, 16, 105, 106].map((count) => cut(count, true))).toEqual([
    30,
    30,
    9,
    9,
    8,
    0,
    undefined
  ])
  expect([1, 10, 11, 100, 101, 105, 106].map((count) => cut(count, false))).toEqual([
    1,
    1,
    2,
    30,
    31,
    31,
    undefined
  ])
  expect(events.cutAt(2 * SLOT, 4 * SLOT, { count: 20, isNewest: true })).toBe(2 * SLOT)
  expect(events.cutAt(2 * SLOT, 4 * SLOT, { count: 20, isNewest: false })).toBe(4 * SLOT)
})
