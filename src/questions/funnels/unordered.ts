import { type Attempts, BestAttempts, bestBytes, type FunnelRules } from './rules.ts'

/**
 * Attempts at a funnel whose steps may be taken in any order. An actor's attempt at a moment has
 * the latest event of each step within the window before it. An event is only one step: the one
 * that was taken longest ago. An exclusion begins a new attempt; what was reached before stays.
 */
export class UnorderedAttempts implements Attempts {
  readonly #rules: FunnelRules
  readonly #best: BestAttempts
  /** For each step of each actor, the time of its latest event, -Infinity for none. */
  readonly #latest: Float64Array
  /** For each step of each actor, the group of its latest event. */
  readonly #groups: Int32Array

  /** @param places the number of actors */
  constructor(rules: FunnelRules, places: number) {
    const { steps, groupStep } = rules
    this.#rules = rules
    this.#best = new BestAttempts(rules, places)
    this.#latest = new Float64Array(places * steps).fill(Number.NEGATIVE_INFINITY)
    this.#groups = new Int32Array(groupStep === undefined ? 0 : places * steps)
  }

  /** Memory that an actor takes, bytes. */
  static bytes(rules: FunnelRules): number {
    return bestBytes(rules) + rules.steps * (rules.groupStep === undefined ? 8 : 12)
  }

  add(place: number, time: number, steps: number, exclusions: number, group: number): void {
    if (this.#best.isComplete(place)) {
      return
    }
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
      this.#groups[first + step] = group
    }
    this.#note(place, time)
  }

  reached(place: number): number {
    return this.#best.reached(place)
  }

  isExcluded(): boolean {
    return false
  }

  timeTo(place: number, step: number): number {
    return this.#best.delay(place, step)
  }

  groupOf(place: number): number {
    return this.#best.group(place)
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
    if (!this.#best.isBetter(place, count, false)) {
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
    this.#best.set(place, { reached: count, isSpoilt: false, begin: begin.at })
    this.#best.setGroup(place, this.#groups[first + begin.step] ?? -1)
    for (const [i, { at }] of taken.entries()) {
      if (i > 0) {
        this.#best.setDelay(place, i, at - begin.at)
      }
    }
  }
}
