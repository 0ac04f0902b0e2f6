import { SLOT } from '../rollups/store.ts'
import { lowerBound } from './batch.ts'
import type { SlotCount, Slots } from './codec.ts'

/** The id of a segment, and a token that no other segment has. */
export type SegmentKey = { id: number; build: string }

/** A sealed segment. */
export type Segment = SegmentKey & {
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
  /** Segments that are not among those of `names`, because the list of their slots is damaged. Their events are not counted. */
  readonly damaged: readonly SegmentKey[]
  /** The beginnings of the slots that have events, ms UTC, in order. */
  readonly #starts: Float64Array
  /** How many events lie before each of these slots; the last element counts all events. */
  readonly #before: Float64Array

  constructor(names: readonly Name[], damaged: readonly SegmentKey[] = []) {
    this.names = names
    this.damaged = damaged
    const { slots, ends } = mergeSlots(names)
    // `Float64Array.from` with a mapping function takes ten times as long.
    this.#starts = new Float64Array(slots.length)
    for (let i = 0; i < slots.length; i += 1) {
      this.#starts[i] = (slots[i] ?? 0) * SLOT
    }
    this.#before = new Float64Array(slots.length + 1)
    this.#before.set(ends, 1)
  }

  /** The beginning of the first slot that has events; undefined without any. */
  get first(): number | undefined {
    return this.#starts[0]
  }

  /** Counts the events from `from` up to `until`. A slot that either of them cuts is counted as a whole. */
  count(from: number, until: number): number {
    const first = lowerBound(this.#starts, Math.floor(from / SLOT) * SLOT)
    const last = lowerBound(this.#starts, until)
    return (this.#before[last] ?? 0) - (this.#before[first] ?? 0)
  }

  /**
   * Cuts a range into steps of about `size` events, which are read and computed one after the other. A step ends where no
   * segment is cut, unless the step already has twice `size` events.
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
  const sealed = names.flatMap(({ segments }) => segments)
  const others = names.flatMap(({ segments, loose }) => [
    ...segments.flatMap(({ late }) => late),
    ...loose
  ])
  const length = others.length + sealed.reduce((sum, { slots }) => sum + slots.slots.length, 0)
  const places = new Int32Array(length)
  const counts = new Uint32Array(length)
  let at = 0
  for (const { slots, ends } of sealed.map((segment) => segment.slots)) {
    places.set(slots, at)
    for (let i = 0; i < ends.length; i += 1) {
      counts[at + i] = (ends[i] ?? 0) - (ends[i - 1] ?? 0)
    }
    at += slots.length
  }
  for (const { slot, count } of others) {
    places[at] = slot
    counts[at] = count
    at += 1
  }
  return sumUp(places, counts)
}

/** Sorts slots, and adds up the counts of a slot that is listed more than once. */
function sumUp(places: Int32Array, counts: Uint32Array): Slots {
  // The slots of segments alone are in order already.
  const order = isSorted(places)
    ? undefined
    : Uint32Array.from(places.keys()).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))
  const slots = new Int32Array(places.length)
  const ends = new Uint32Array(places.length)
  let length = 0
  let end = 0
  for (let i = 0; i < places.length; i += 1) {
    const next = order?.[i] ?? i
    const slot = places[next] ?? 0
    if (length === 0 || slots[length - 1] !== slot) {
      slots[length] = slot
      length += 1
    }
    end += counts[next] ?? 0
    ends[length - 1] = end
  }
  return { slots: slots.subarray(0, length), ends: ends.subarray(0, length) }
}

function isSorted(numbers: Int32Array): boolean {
  for (let i = 1; i < numbers.length; i += 1) {
    if ((numbers[i - 1] ?? 0) > (numbers[i] ?? 0)) {
      return false
    }
  }
  return true
}
