import {
  type Attempts,
  BestAttempts,
  bestBytes,
  type Delays,
  delays,
  type FunnelRules,
  type StepBits,
  stepBits
} from './rules.ts'

/**
 * Attempts at a funnel whose steps must be taken in order. Each event that is the first step begins
 * an attempt. For each step but the last, an actor has a slot with the latest attempt that has got
 * there: an event that is the next step takes the attempt of a slot on to the next slot, once, and
 * within the window.
 *
 * In a strict funnel, an event empties the slots of all steps that it is not. So an event that is
 * the same step again interrupts nothing.
 */
export class OrderedAttempts implements Attempts {
  readonly #rules: FunnelRules
  readonly #best: BestAttempts
  /** A bit for each slot that has an attempt. */
  readonly #filled: StepBits
  /** A bit for each slot whose attempt has gone on to the next slot. */
  readonly #gone: StepBits
  /** A bit for each slot whose attempt is spoilt. */
  readonly #spoilt: StepBits
  /** For each slot of each actor, the time of the attempt's first step. */
  readonly #begins: Float64Array
  /** For each slot of each actor, the times from the attempt's first step to each later one. */
  readonly #delays: Delays
  /** For each slot of each actor, the group of its attempt. */
  readonly #groups: Int32Array

  /** @param places the number of actors */
  constructor(rules: FunnelRules, places: number) {
    const { steps, window, groupStep } = rules
    this.#rules = rules
    this.#best = new BestAttempts(rules, places)
    this.#filled = stepBits(steps, places)
    this.#gone = stepBits(steps, places)
    this.#spoilt = stepBits(steps, places)
    this.#begins = new Float64Array(places * (steps - 1))
    this.#delays = delays(window, places * delaysBefore(steps - 1))
    this.#groups = new Int32Array(groupStep === undefined ? 0 : places * (steps - 1)).fill(-1)
  }

  /** Memory that an actor takes, bytes. */
  static bytes(rules: FunnelRules): number {
    const { steps, window, groupStep } = rules
    const perSlot = 8 + (groupStep === undefined ? 0 : 4)
    return (
      bestBytes(rules) +
      3 * stepBits(steps, 0).BYTES_PER_ELEMENT +
      (steps - 1) * perSlot +
      delaysBefore(steps - 1) * delays(window, 0).BYTES_PER_ELEMENT
    )
  }

  add(place: number, time: number, steps: number, exclusions: number, group: number): void {
    if (this.#best.isComplete(place)) {
      return
    }
    // Before the steps: an event does not spoil the attempt that it begins.
    if (exclusions !== 0) {
      this.#exclude(place, time, exclusions)
    }
    // From the last step to the first: an event takes no attempt two steps further.
    for (let step = this.#rules.steps - 1; step > 0; step -= 1) {
      if ((steps & (1 << step)) !== 0) {
        this.#advance(place, step, time, group)
      }
    }
    if ((steps & 1) !== 0) {
      this.#begin(place, time, group)
    }
    if (this.#rules.order === 'strict') {
      this.#filled[place] = (this.#filled[place] ?? 0) & steps
      this.#gone[place] = (this.#gone[place] ?? 0) & (steps >> 1)
    }
  }

  reached(place: number): number {
    return this.#best.reached(place)
  }

  isExcluded(place: number): boolean {
    return this.#best.isSpoilt(place)
  }

  timeTo(place: number, step: number): number {
    return this.#best.delay(place, step)
  }

  groupOf(place: number): number {
    return this.#best.group(place)
  }

  #begin(place: number, time: number, group: number): void {
    const own = this.#rules.groupStep === 0 ? group : -1
    this.#fill(place, 0, { begin: time, isSpoilt: false, group: own })
    if (this.#best.isBetter(place, 1, false)) {
      this.#best.set(place, { reached: 1, isSpoilt: false, begin: time })
      this.#best.setGroup(place, own)
    }
  }

  /** Takes the attempt in the slot before a step on to the step. */
  #advance(place: number, step: number, time: number, group: number): void {
    const { steps, groupStep } = this.#rules
    const before = step - 1
    if (!this.#isOpen(place, before, time)) {
      return
    }
    const bit = 1 << before
    const slot = place * (steps - 1) + before
    const begin = this.#begins[slot] ?? 0
    this.#gone[place] = (this.#gone[place] ?? 0) | bit
    const isSpoilt = ((this.#spoilt[place] ?? 0) & bit) !== 0
    const own = groupStep === step ? group : (this.#groups[slot] ?? -1)
    if (this.#best.isBetter(place, step + 1, isSpoilt)) {
      this.#best.set(place, { reached: step + 1, isSpoilt, begin })
      this.#best.setGroup(place, own)
      for (let earlier = 1; earlier < step; earlier += 1) {
        this.#best.setDelay(place, earlier, this.#delay(place, before, earlier))
      }
      this.#best.setDelay(place, step, time - begin)
    }
    if (step < steps - 1) {
      this.#fill(place, step, { begin, isSpoilt, group: own })
      for (let earlier = 1; earlier < step; earlier += 1) {
        this.#setDelay(place, step, earlier, this.#delay(place, before, earlier))
      }
      this.#setDelay(place, step, step, time - begin)
    }
  }

  #fill(
    place: number,
    step: number,
    { begin, isSpoilt, group }: { begin: number; isSpoilt: boolean; group: number }
  ): void {
    const bit = 1 << step
    const slot = place * (this.#rules.steps - 1) + step
    this.#filled[place] = (this.#filled[place] ?? 0) | bit
    this.#gone[place] = (this.#gone[place] ?? 0) & ~bit
    const others = (this.#spoilt[place] ?? 0) & ~bit
    this.#spoilt[place] = isSpoilt ? others | bit : others
    this.#begins[slot] = begin
    if (this.#groups.length > 0) {
      this.#groups[slot] = group
    }
  }

  /** Spoils the attempts that are between the steps of an exclusion, within their window. */
  #exclude(place: number, time: number, exclusions: number): void {
    const { exclusions: ranges, window } = this.#rules
    for (const [i, { from, to }] of ranges.entries()) {
      if ((exclusions & (1 << i)) === 0) {
        continue
      }
      for (let step = from; step < to; step += 1) {
        if (this.#isOpen(place, step, time)) {
          this.#spoilt[place] = (this.#spoilt[place] ?? 0) | (1 << step)
        }
      }
      const furthest = this.#best.reached(place) - 1
      if (furthest >= from && furthest < to && time - this.#best.begin(place) <= window) {
        this.#best.spoil(place)
      }
    }
  }

  /** Whether the attempt in a slot can still go on at a time. */
  #isOpen(place: number, slot: number, time: number): boolean {
    const isThere = (this.#filled[place] ?? 0) & ~(this.#gone[place] ?? 0) & (1 << slot)
    const begin = this.#begins[place * (this.#rules.steps - 1) + slot] ?? 0
    return isThere !== 0 && time - begin <= this.#rules.window
  }

  #delay(place: number, slot: number, step: number): number {
    return this.#delays[this.#delayIndex(place, slot, step)] ?? 0
  }

  #setDelay(place: number, slot: number, step: number, delay: number): void {
    this.#delays[this.#delayIndex(place, slot, step)] = delay
  }

  #delayIndex(place: number, slot: number, step: number): number {
    return place * delaysBefore(this.#rules.steps - 1) + delaysBefore(slot) + step - 1
  }
}

/** Returns how many delays the slots before one have: none, none, 1, 1 + 2, 1 + 2 + 3… */
const delaysBefore = (slot: number): number => (slot * (slot - 1)) / 2
