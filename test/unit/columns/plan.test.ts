import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SlotCount } from '../../../src/columns/codec.ts'
import {
  MAX_SEGMENT_EVENTS,
  MAX_SLOT_EVENTS,
  MIN_EVENTS,
  type Placed,
  planSegments
} from '../../../src/columns/plan.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'

const SLOTS_PER_DAY = 96

const placed = (id: number, since: number, until: number, count: number): Placed => ({
  id,
  since: since * SLOT,
  until: until * SLOT,
  count,
  state: 'sealed'
})

/** Plans segments; returns their ranges in slots, the oldest first. */
const plan = (segments: Placed[], slots: SlotCount[]) =>
  planSegments(segments, slots)
    .map(({ since, until, replaces }) => ({ since: since / SLOT, until: until / SLOT, replaces }))
    .reverse()

const evenly = (since: number, until: number, count: number): SlotCount[] =>
  Array.from({ length: until - since }, (_, i) => ({ slot: since + i, count }))

describe('an event name without segments', () => {
  it('waits for 2,048 events', () => {
    expect(plan([], evenly(0, 10, 200))).toEqual([])
    expect(plan([], evenly(0, 11, 200))).toEqual([{ since: 0, until: 11, replaces: [] }])
  })

  it('is cut into segments of at most 32,768 events, the newest first', () => {
    const plans = planSegments([], evenly(100, 160, 1_000))

    expect(plans).toEqual([
      { since: 132 * SLOT, until: 160 * SLOT, replaces: [] },
      { since: 100 * SLOT, until: 132 * SLOT, replaces: [] }
    ])
  })

  it('has segments without holes between them', () => {
    const slots = [
      { slot: 10, count: 30_000 },
      { slot: 50, count: 30_000 }
    ]

    expect(plan([], slots)).toEqual([
      { since: 10, until: 11, replaces: [] },
      { since: 11, until: 51, replaces: [] }
    ])
  })

  it('has no segment of more than 400 days', () => {
    const slots = [
      { slot: 0, count: 3_000 },
      { slot: 400 * SLOTS_PER_DAY - 1, count: 1 },
      { slot: 400 * SLOTS_PER_DAY, count: 3_000 },
      { slot: 900 * SLOTS_PER_DAY, count: 3_000 }
    ]

    expect(plan([], slots)).toEqual([
      { since: 0, until: 400 * SLOTS_PER_DAY, replaces: [] },
      { since: 400 * SLOTS_PER_DAY, until: 400 * SLOTS_PER_DAY + 1, replaces: [] },
      { since: 900 * SLOTS_PER_DAY, until: 900 * SLOTS_PER_DAY + 1, replaces: [] }
    ])
  })

  it('keeps a slot of up to 65,536 events together, and leaves a larger one out', () => {
    const slots = [
      { slot: 1, count: 5_000 },
      { slot: 2, count: MAX_SLOT_EVENTS },
      { slot: 3, count: MAX_SLOT_EVENTS + 1 },
      { slot: 4, count: 5_000 }
    ]

    expect(plan([], slots)).toEqual([
      { since: 1, until: 2, replaces: [] },
      { since: 2, until: 3, replaces: [] },
      { since: 4, until: 5, replaces: [] }
    ])
  })
})

describe('new events after a segment', () => {
  it('wait until there are 2,048', () => {
    expect(plan([placed(1, 0, 10, 2_048)], evenly(10, 20, 200))).toEqual([])
  })

  it('are sealed together with segments that are no larger', () => {
    const segments = [placed(1, 0, 10, 8_000), placed(2, 10, 20, 5_000), placed(3, 20, 30, 2_100)]

    expect(plan(segments, evenly(30, 41, 200))).toEqual([{ since: 20, until: 41, replaces: [3] }])
    expect(plan(segments, evenly(30, 50, 200))).toEqual([
      { since: 0, until: 50, replaces: [3, 2, 1] }
    ])
  })

  it('are not sealed together with a segment that would become too large or too long', () => {
    expect(plan([placed(1, 0, 10, 20_000)], evenly(20, 50, 1_000))).toEqual([
      { since: 10, until: 50, replaces: [] }
    ])
    expect(
      plan([placed(1, 0, 10, 2_100)], evenly(400 * SLOTS_PER_DAY, 400 * SLOTS_PER_DAY + 3, 1_000))
    ).toEqual([{ since: 10, until: 400 * SLOTS_PER_DAY + 3, replaces: [] }])
  })

  it('leave alone a segment that another run is building', () => {
    const busy: Placed = { ...placed(2, 10, 20, 0), state: 'busy' }

    expect(plan([placed(1, 0, 10, 2_100), busy], evenly(20, 25, 1_000))).toEqual([
      { since: 20, until: 25, replaces: [] }
    ])
  })
})

describe('a hole between segments', () => {
  it('goes into a neighbour with room, whatever its size', () => {
    const slots = [{ slot: 15, count: 3 }]

    expect(plan([placed(1, 0, 10, 30_000), placed(2, 20, 30, 32_768)], slots)).toEqual([
      { since: 0, until: 20, replaces: [1] }
    ])
    expect(plan([placed(1, 0, 10, 32_768), placed(2, 20, 30, 30_000)], slots)).toEqual([
      { since: 10, until: 30, replaces: [2] }
    ])
  })

  it('becomes a small segment if neither neighbour has room', () => {
    const slots = [{ slot: 15, count: 3 }]

    expect(plan([placed(1, 0, 10, 32_768), placed(2, 20, 30, 32_768)], slots)).toEqual([
      { since: 10, until: 20, replaces: [] }
    ])
  })
})

it('a segment with many late events is replaced by new ones', () => {
  const stale: Placed = { ...placed(2, 10, 20, 32_000), state: 'stale' }
  const segments = [placed(1, 0, 10, 30_000), stale, placed(3, 20, 30, 30_000)]

  expect(plan(segments, evenly(10, 20, 4_000))).toEqual([
    { since: 10, until: 18, replaces: [2] },
    { since: 18, until: 20, replaces: [2] }
  ])
})

const slots = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 40_000 })), {
    minLength: 1,
    maxLength: 60
  })
  .map((steps) => {
    let slot = 0
    return steps.map(([step, count]) => {
      slot += step
      return { slot, count }
    })
  })

const total = (parts: readonly { count: number }[]): number =>
  parts.reduce((sum, { count }) => sum + count, 0)

/** A segment that is sealed, with its number of slots that have events. */
type Sealed = Placed & { slots: number }

/** Seals the planned segments each time `batch` more slots have arrived; counts the writes of each slot. */
function sealAsTheyCome(all: SlotCount[], batch: number) {
  let segments: Sealed[] = []
  let id = 0
  const writes = new Map<number, number>()
  for (let arrived = batch; arrived < all.length + batch; arrived += batch) {
    const known = all.slice(0, arrived)
    const isFree = ({ slot }: SlotCount) =>
      !segments.some(({ since, until }) => since <= slot * SLOT && slot * SLOT < until)
    for (const { since, until, replaces } of planSegments(segments, known.filter(isFree))) {
      const inside = known.filter(({ slot }) => since <= slot * SLOT && slot * SLOT < until)
      for (const { slot } of inside) {
        writes.set(slot, (writes.get(slot) ?? 0) + 1)
      }
      id += 1
      const count = total(inside)
      segments = [
        ...segments.filter((segment) => !replaces.includes(segment.id)),
        { id, since, until, count, state: 'sealed' as const, slots: inside.length }
      ].sort((a, b) => a.since - b.since)
    }
  }
  return { segments, writes }
}

/** Returns how many events a segment may have: more if it has a single slot. */
const mostEvents = ({ slots }: Sealed): number =>
  slots === 1 ? MAX_SLOT_EVENTS : MAX_SEGMENT_EVENTS

it('segments never overlap, keep their limits, leave few events at either end, and write no event more than five times', () => {
  fc.assert(
    fc.property(slots, fc.integer({ min: 1, max: 20 }), (all, batch) => {
      const { segments, writes } = sealAsTheyCome(all, batch)

      for (const [i, segment] of segments.entries()) {
        const { since, until, count } = segment
        const previous = segments[i - 1]
        expect(since).toBeGreaterThanOrEqual(previous?.until ?? since)
        expect(until - since).toBeLessThanOrEqual(400 * SLOTS_PER_DAY * SLOT)
        expect(count).toBeLessThanOrEqual(mostEvents(segment))
      }
      const isLongRunning = (all.at(-1)?.slot ?? 0) - (all[0]?.slot ?? 0) > 400 * SLOTS_PER_DAY
      if (!isLongRunning) {
        const first = segments[0]?.since ?? Number.POSITIVE_INFINITY
        const last = segments.at(-1)?.until ?? Number.POSITIVE_INFINITY
        const before = total(all.filter(({ slot }) => slot * SLOT < first))
        const after = total(all.filter(({ slot }) => slot * SLOT >= last))
        expect(Math.max(before, after)).toBeLessThan(MIN_EVENTS)
        expect(before + total(segments) + after).toBe(total(all))
      }
      expect(Math.max(0, ...writes.values())).toBeLessThanOrEqual(5)
    }),
    { numRuns: 300 }
  )
})
