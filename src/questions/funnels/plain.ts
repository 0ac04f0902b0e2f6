import type { Stretched, TimedEvents } from '../timed-events.ts'
import {
  type Attempts,
  type Delays,
  delaysBefore,
  delaysIn,
  type FunnelRules,
  isLong
} from './rules.ts'

/** The begin of no attempt. */
const NONE = Number.NEGATIVE_INFINITY

/**
 * Attempts as those of `OrderedAttempts`, by plain rules: no event spoils an attempt, interrupts it
 * or gives it a group. A slot whose attempt has gone on is empty. So a first step, as most events
 * are, takes one write.
 */
export class PlainAttempts implements Attempts {
  readonly #rules: FunnelRules
  /** The slots of an actor: one for each step but the last. */
  readonly #slots: number
  /** For each slot of an actor, the time of the attempt's first step. */
  readonly #begins: Float64Array
  /** The times from the first step to each later one: of the best attempt, then of each slot's. */
  readonly #delays: Delays
  /** How many steps the best attempt of an actor has, if it has more than the first one. */
  readonly #best: Uint8Array

  /** @param places the number of actors */
  constructor(rules: FunnelRules, places: number) {
    this.#rules = rules
    this.#slots = rules.steps - 1
    this.#begins = new Float64Array(places * this.#slots).fill(NONE)
    this.#delays = delaysIn(rules.window, new ArrayBuffer(places * delayBytes(rules)))
    this.#best = new Uint8Array(places)
  }

  /** Memory that an actor takes, bytes. */
  static bytes(rules: FunnelRules): number {
    return 8 * (rules.steps - 1) + delayBytes(rules) + 1
  }

  /** Whether rules are plain. */
  static areRules({ order, exclusions, groupStep }: FunnelRules): boolean {
    return order === 'ordered' && exclusions.length === 0 && groupStep === undefined
  }

  /**
   * Adds events as `add` does, in a loop that is short enough for the processor to read the numbers
   * of several actors at once.
   * @param pages the attempts of `2 ** pageBits` actors each
   * @param places the place of the actor of each event, from the first one on; -1 for none
   */
  static addEach(
    pages: readonly PlainAttempts[],
    pageBits: number,
    places: Int32Array,
    { events, from, until }: Stretched
  ): void {
    const { marks } = events
    const mask = 2 ** pageBits - 1
    for (let i = from; i < until; i += 1) {
      const place = places[i - from] ?? -1
      const page = place < 0 ? undefined : pages[place >> pageBits]
      if (page && marks[i] === 1) {
        page.#begin(place & mask, events, i)
      } else if (page) {
        page.add(place & mask, marks[i] ?? 0, 0, events, i)
      }
    }
  }

  add(place: number, steps: number, _exclusions: number, events: TimedEvents, i: number): void {
    // From the last step to the first: an event takes no attempt two steps further.
    for (let left = steps & ~1; left !== 0; ) {
      const step = 31 - Math.clz32(left)
      left ^= 1 << step
      this.#advance(place, step, events, i)
    }
    if ((steps & 1) !== 0) {
      this.#begin(place, events, i)
    }
  }

  reached(place: number): number {
    const begun = this.#begins[place * this.#slots] === NONE ? 0 : 1
    return Math.max(begun, this.#best[place] ?? 0)
  }

  isExcluded(): boolean {
    return false
  }

  timeTo(place: number, step: number): number {
    return step === 0 ? 0 : (this.#delays[this.#delaysOf(place) + step - 1] ?? 0)
  }

  groupOf(): number {
    return -1
  }

  #begin(place: number, { times }: TimedEvents, i: number): void {
    this.#begins[place * this.#slots] = times[i] ?? 0
  }

  /** Takes the attempt in the slot before a step on to the step, within the window. */
  #advance(place: number, step: number, { times }: TimedEvents, i: number): void {
    const before = step - 1
    const slot = place * this.#slots + before
    const begin = this.#begins[slot] ?? NONE
    const delay = (times[i] ?? 0) - begin
    if (delay > this.#rules.window) {
      return
    }
    this.#begins[slot] = NONE
    const best = this.#delaysOf(place)
    const own = best + this.#slots + delaysBefore(before)
    if ((this.#best[place] ?? 0) <= step) {
      this.#best[place] = step + 1
      this.#note(own, best, before, delay)
    }
    if (step < this.#slots) {
      this.#begins[slot + 1] = begin
      this.#note(own, best + this.#slots + delaysBefore(step), before, delay)
    }
  }

  /** Copies delays, and adds the next one. */
  #note(from: number, to: number, count: number, next: number): void {
    for (let i = 0; i < count; i += 1) {
      this.#delays[to + i] = this.#delays[from + i] ?? 0
    }
    this.#delays[to + count] = next
  }

  #delaysOf(place: number): number {
    return place * delaysFor(this.#rules)
  }
}

/** Returns how many delays are kept of an actor. */
const delaysFor = ({ steps }: FunnelRules): number => steps - 1 + delaysBefore(steps - 1)

const delayBytes = (rules: FunnelRules): number => (isLong(rules.window) ? 8 : 4) * delaysFor(rules)
