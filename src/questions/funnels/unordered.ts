import type { TimedEvents } from '../timed-events.ts'
import { type Attempts, type Delays, delaysIn, type FunnelRules, isLong } from './rules.ts'

/**
 * Attempts at a funnel whose steps may be taken in any order. An actor's attempt at a moment has
 * the latest event of each step within the window before it. An event is only one step: the one
 * that was taken longest ago. An exclusion begins a new attempt; what was reached before stays.
 */
export class UnorderedAttempts implements Attempts {
  readonly #rules: FunnelRules
  /** The number of steps of each actor's best attempt. */
  readonly #reached: Uint8Array
  /** For each actor, the times from the first step of the best attempt to each later one. */
  readonly #delays: Delays
  /** The group of each actor's best attempt. */
  readonly #bestGroups: Int32Array
  /** For each step of each actor, the time of its latest event, -Infinity for none. */
  readonly #latest: Float64Array
  /** For each step of each actor, the group of its latest event. */
  readonly #groups: Int32Array

  /** @param places the number of actors */
  constructor(rules: FunnelRules, places: number) {
    const { steps, window, groupStep } = rules
    this.#rules = rules
    this.#reached = new Uint8Array(places)
    this.#delays = delaysIn(window, new ArrayBuffer(places * delayBytes(rules)))
    this.#bestGroups = new Int32Array(groupStep === undefined ? 0 : places)
    this.#latest = new Float64Array(places * steps).fill(Number.NEGATIVE_INFINITY)
    this.#groups = new Int32Array(groupStep === undefined ? 0 : places * steps)
  }

  /** Memory that an actor takes, bytes. */
  static bytes(rules: FunnelRules): number {
    const { steps, groupStep } = rules
    return 1 + delayBytes(rules) + 8 * steps + (groupStep === undefined ? 0 : 4 * (steps + 1))
  }

  add(
    place: number,
    steps: number,
    exclusions: number,
    { times, groups }: TimedEvents,
    i: number
  ): void {
    if (this.#reached[place] === this.#rules.steps) {
      return
    }
    const time = times[i] ?? 0
    const first = place * this.#rules.steps
    const end = first + this.#rules.steps
    if (exclusions !== 0) {
      this.#latest.fill(Number.NEGATIVE_INFINITY, first, end)
    }
    const step = this.#oldestOf(first, steps, time)
    if (step < 0) {
      return
    }
    this.#latest[first + step] = time
    if (this.#groups.length > 0) {
      this.#groups[first + step] = groups?.[i] ?? 0
    }
    this.#note(place, time)
  }

  reached(place: number): number {
    return this.#reached[place] ?? 0
  }

  isExcluded(): boolean {
    return false
  }

  timeTo(place: number, step: number): number {
    return step === 0 ? 0 : (this.#delays[this.#delayAt(place, step)] ?? 0)
  }

  groupOf(place: number): number {
    return this.#bestGroups[place] ?? -1
  }

  /**
   * Returns the step, among those of an event, that was taken longest ago; -1 if the event is none.
   */
  #oldestOf(first: number, steps: number, time: number): number {
    let [oldest, at] = [Number.POSITIVE_INFINITY, -1]
    for (let step = 0; step < this.#rules.steps; step += 1) {
      if ((steps & (1 << step)) === 0) {
        continue
      }
      const latest = this.#latest[first + step] ?? 0
      const counted = time - latest > this.#rules.window ? Number.NEGATIVE_INFINITY : latest
      if (counted < oldest) {
        oldest = counted
        at = step
      }
    }
    return at
  }

  /** Notes the present attempt if it is better than all before. */
  #note(place: number, time: number): void {
    const { steps, window } = this.#rules
    const first = place * steps
    let count = 0
    for (let step = 0; step < steps; step += 1) {
      count += time - (this.#latest[first + step] ?? 0) <= window ? 1 : 0
    }
    if (count <= (this.#reached[place] ?? 0)) {
      return
    }
    const taken = [...this.#latest.subarray(first, first + steps)]
      .map((at, step) => ({ at, step }))
      .filter(({ at }) => time - at <= window)
      .sort((a, b) => a.at - b.at || a.step - b.step)
    const [begin] = taken
    if (!begin) {
      return
    }
    this.#reached[place] = count
    if (this.#groups.length > 0) {
      this.#bestGroups[place] = this.#groups[first + begin.step] ?? 0
    }
    for (const [i, { at }] of taken.entries()) {
      if (i > 0) {
        this.#delays[this.#delayAt(place, i)] = at - begin.at
      }
    }
  }

  #delayAt(place: number, step: number): number {
    return place * (this.#rules.steps - 1) + step - 1
  }
}

/** Memory that the times of an actor's best attempt take, bytes. */
const delayBytes = ({ steps, window }: FunnelRules): number =>
  (steps - 1) * (isLong(window) ? 8 : 4)
