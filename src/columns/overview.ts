import { SLOT } from '../rollups/store.ts'
import { lowerBound } from './batch.ts'
import type { SlotCount, Slots } from './codec.ts'

/** A sealed segment. */
export type Segment = {
  id: number
  /** A token that no other segment has. */
  build: string
  eventId: number
  since: number
  until: number
  count: number
  /** The number of its events in each slot. */
  slots: Slots
  /** The number of late events in each slot; the segment does not contain them. */
  late: SlotCount[]
}

/** The events of one name in a range of time: the segments, and the number of events outside segments in each slot. */
export type Name = { eventId: number; segments: Segment[]; loose: SlotCount[] }

/** Knows in which segments and slots the events of a range are, and counts them. */
export class Overview {
  readonly names: readonly Name[]
  /** The slots that have events, in order, and how many events lie before each of them. */
  readonly #starts: Float64Array
  readonly #before: Float64Array

  constructor(names: readonly Name[]) {
    this.names = names
    const { slots, ends } = mergeSlots(names)
    this.#starts = new Float64Array(slots.length)
    this.#before = new Float64Array(slots.length + 1)
    this.#before.set(ends, 1)
    for (const [i, slot] of slots.entries()) {
      this.#starts[i] = slot * SLOT
    }
  }

  /** Counts the events from `from` up to `until`; exactly if both begin a slot, and else with all of their slots' events. */
  count(from: number, until: number): number {
    const first = lowerBound(this.#starts, Math.floor(from / SLOT) * SLOT)
    const last = lowerBound(this.#starts, until)
    return (this.#before[last] ?? 0) - (this.#before[first] ?? 0)
  }

  /**
   * Cuts a range into steps of about `size` events, which are read and computed one after the other. A step ends where no
   * segment is cut, unless it would become twice as long.
   */
  steps(from: number, until: number, size: number): { since: number; until: number }[] {
    const cuts: number[] = []
    const crossed = this.names.flatMap(({ segments }) => segments)
    let since = lowerBound(this.#starts, from)
    for (let i = since; i < this.#starts.length; i += 1) {
      const at = this.#starts[i] ?? 0
      const events = (this.#before[i] ?? 0) - (this.#before[since] ?? 0)
      if (at <= from || at >= until || events < size) {
        continue
      }
      const isCut = crossed.some((segment) => segment.since < at && segment.until > at)
      if (!isCut || events >= 2 * size) {
        cuts.push(at)
        since = i
      }
    }
    return [from, ...cuts].map((begin, i) => ({ since: begin, until: cuts[i] ?? until }))
  }
}

/** Adds up the events of all names in each slot. */
function mergeSlots(names: readonly Name[]): Slots {
  const places: number[] = []
  const counts: number[] = []
  const add = (slot: number, count: number): void => {
    places.push(slot)
    counts.push(count)
  }
  for (const { segments, loose } of names) {
    for (const { slots, late } of segments) {
      for (let i = 0; i < slots.slots.length; i += 1) {
        add(slots.slots[i] ?? 0, (slots.ends[i] ?? 0) - (slots.ends[i - 1] ?? 0))
      }
      for (const { slot, count } of late) {
        add(slot, count)
      }
    }
    for (const { slot, count } of loose) {
      add(slot, count)
    }
  }
  return sumUp(places, counts)
}

/** Sorts slots, and adds up the counts of a slot that is listed more than once. */
function sumUp(places: readonly number[], counts: readonly number[]): Slots {
  const order = Uint32Array.from({ length: places.length }, (_, i) => i)
  // The slots of segments alone are in order already.
  if (places.some((slot, i) => slot < (places[i - 1] ?? slot))) {
    order.sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))
  }
  const slots = new Int32Array(order.length)
  const ends = new Uint32Array(order.length)
  let length = 0
  let end = 0
  for (const i of order) {
    const slot = places[i] ?? 0
    if (length === 0 || slots[length - 1] !== slot) {
      slots[length] = slot
      length += 1
    }
    end += counts[i] ?? 0
    ends[length - 1] = end
  }
  return { slots: slots.subarray(0, length), ends: ends.subarray(0, length) }
}
