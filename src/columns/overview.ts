import { SLOT } from '../rollups/store.ts'
import { lowerBound } from './batch.ts'
import type { SlotCount } from './codec.ts'

/** A sealed segment. */
export type Segment = {
  id: number
  eventId: number
  since: number
  until: number
  count: number
  /** How many of its events each slot has. */
  slots: SlotCount[]
  /** The same of late events, which it does not have. */
  late: SlotCount[]
}

/** The events of one name in a range of time: those in segments, and how many others each slot has. */
export type Name = { eventId: number; segments: Segment[]; loose: SlotCount[] }

/** Where the events of a range are, and how many lie in each slot. */
export class Overview {
  readonly names: readonly Name[]
  /** The slots that have events, in order, and how many events lie before each of them. */
  readonly #starts: Float64Array
  readonly #before: Float64Array

  constructor(names: readonly Name[]) {
    this.names = names
    const counts = new Map<number, number>()
    for (const { segments, loose } of names) {
      for (const slots of [
        loose,
        ...segments.flatMap((segment) => [segment.slots, segment.late])
      ]) {
        for (const { slot, count } of slots) {
          counts.set(slot, (counts.get(slot) ?? 0) + count)
        }
      }
    }
    const sorted = [...counts].sort(([a], [b]) => a - b)
    this.#starts = Float64Array.from(sorted, ([slot]) => slot * SLOT)
    this.#before = new Float64Array(sorted.length + 1)
    for (const [i, [, count]] of sorted.entries()) {
      this.#before[i + 1] = (this.#before[i] ?? 0) + count
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
