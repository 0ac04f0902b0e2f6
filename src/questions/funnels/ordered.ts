import type { TimedEvents } from '../timed-events.ts'
import {
  type Attempts,
  type Delays,
  delaysBefore,
  delaysIn,
  type FunnelRules,
  isLong
} from './rules.ts'

/* The bits that are kept of an actor. */
/** How many steps the best attempt has, and `IS_SPOILT`. */
const BEST = 0
/** A bit for each slot that has an attempt. */
const FILLED = 1
/** A bit for each slot whose attempt has gone on to the next slot. */
const GONE = 2
/** A bit for each slot whose attempt is spoilt. */
const SPOILT = 3

const IS_SPOILT = 0x80

/** Bits, one for each step. */
type StepBits = Uint8Array | Uint32Array

/** Where numbers of actors begin in a list: those of the first actor, and how far on the next. */
type Place = { from: number; stride: number }

/**
 * Where the numbers of an actor are. They lie together, mostly in one line of the processor's cache,
 * because the actors of events are at random places.
 */
type Layout = { begins: Place; delays: Place; groups: Place; bits: Place; bytes: number }

function layoutOf({ steps, window, exclusions, groupStep }: FunnelRules): Layout {
  const [delayWidth, bitsWidth] = [isLong(window) ? 8 : 4, isWide(steps) ? 4 : 1]
  const delays = 8 * (steps - 1 + (exclusions.length > 0 ? 1 : 0))
  const groups = delays + delayWidth * (steps - 1 + delaysBefore(steps - 1))
  const bits = groups + (groupStep === undefined ? 0 : 4 * steps)
  const bytes = Math.ceil((bits + 4 * bitsWidth) / 8) * 8
  const place = (from: number, width: number): Place => ({
    from: from / width,
    stride: bytes / width
  })
  return {
    begins: place(0, 8),
    delays: place(delays, delayWidth),
    groups: place(groups, 4),
    bits: place(bits, bitsWidth),
    bytes
  }
}

/** Whether a byte is too short for the bits of so many steps. */
const isWide = (steps: number): boolean => steps > 8

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
  readonly #layout: Layout
  readonly #bits: StepBits
  /** For each slot of an actor, the time of the attempt's first step; then that of the best one. */
  readonly #begins: Float64Array
  /** The times from the first step to each later one: of the best attempt, then of each slot's. */
  readonly #delays: Delays
  /** The group of an actor's best attempt, then that of each slot's. */
  readonly #groups: Int32Array

  /** @param places the number of actors */
  constructor(rules: FunnelRules, places: number) {
    this.#rules = rules
    this.#layout = layoutOf(rules)
    const memory = new ArrayBuffer(places * this.#layout.bytes)
    this.#bits = isWide(rules.steps) ? new Uint32Array(memory) : new Uint8Array(memory)
    this.#begins = new Float64Array(memory)
    this.#delays = delaysIn(rules.window, memory)
    this.#groups = new Int32Array(memory)
  }

  /** Memory that an actor takes, bytes. */
  static bytes(rules: FunnelRules): number {
    return layoutOf(rules).bytes
  }

  add(place: number, steps: number, exclusions: number, events: TimedEvents, i: number): void {
    const at = startOf(this.#layout.bits, place)
    if (this.#bits[at + BEST] === this.#rules.steps) {
      return
    }
    // Before the steps: an event does not spoil the attempt that it begins.
    if (exclusions !== 0) {
      this.#exclude(place, exclusions, events, i)
    }
    // From the last step to the first: an event takes no attempt two steps further.
    for (let left = steps & ~1; left !== 0; ) {
      const step = 31 - Math.clz32(left)
      left ^= 1 << step
      if (this.#isOpen(place, step - 1, events, i)) {
        this.#advance(place, step, events, i)
      }
    }
    if ((steps & 1) !== 0) {
      this.#begin(place, events, i)
    }
    if (this.#rules.order === 'strict') {
      this.#keepBits(at + FILLED, steps)
      this.#keepBits(at + GONE, steps >> 1)
    }
  }

  reached(place: number): number {
    return (this.#bits[startOf(this.#layout.bits, place) + BEST] ?? 0) & ~IS_SPOILT
  }

  isExcluded(place: number): boolean {
    return ((this.#bits[startOf(this.#layout.bits, place) + BEST] ?? 0) & IS_SPOILT) !== 0
  }

  timeTo(place: number, step: number): number {
    return step === 0 ? 0 : (this.#delays[startOf(this.#layout.delays, place) + step - 1] ?? 0)
  }

  groupOf(place: number): number {
    return this.#groupIn(startOf(this.#layout.groups, place))
  }

  #begin(place: number, { times, groups }: TimedEvents, i: number): void {
    this.#begins[startOf(this.#layout.begins, place)] = times[i] ?? 0
    this.#fill(place, 0, false)
    const group = this.#rules.groupStep === 0 ? (groups?.[i] ?? 0) : NO_GROUP
    this.#setGroup(startOf(this.#layout.groups, place) + 1, group)
    if (this.#isBetter(place, 1, false)) {
      this.#setBest(place, 0, 1, group)
    }
  }

  /** Takes the attempt in the slot before a step on to the step. */
  #advance(place: number, step: number, { times, groups }: TimedEvents, i: number): void {
    const { steps, groupStep } = this.#rules
    const before = step - 1
    const bits = startOf(this.#layout.bits, place)
    this.#setBit(bits + GONE, before)
    const isSpoilt = ((this.#bits[bits + SPOILT] ?? 0) & (1 << before)) !== 0
    const ofGroups = startOf(this.#layout.groups, place)
    const group = groupStep === step ? (groups?.[i] ?? 0) : this.#groupIn(ofGroups + 1 + before)
    const begins = startOf(this.#layout.begins, place)
    const begin = this.#begins[begins + before] ?? 0
    const best = startOf(this.#layout.delays, place)
    const from = best + steps - 1 + delaysBefore(before)
    if (this.#isBetter(place, step + 1, isSpoilt)) {
      this.#setBest(place, before, (step + 1) | (isSpoilt ? IS_SPOILT : 0), group)
      this.#copyDelays(from, best, before)
      this.#delays[best + before] = (times[i] ?? 0) - begin
    }
    if (step < steps - 1) {
      this.#begins[begins + step] = begin
      this.#fill(place, step, isSpoilt)
      this.#setGroup(ofGroups + 1 + step, group)
      const to = best + steps - 1 + delaysBefore(step)
      this.#copyDelays(from, to, before)
      this.#delays[to + before] = (times[i] ?? 0) - begin
    }
  }

  /** Puts an attempt into a slot, but for its times and its group. */
  #fill(place: number, slot: number, isSpoilt: boolean): void {
    const bits = startOf(this.#layout.bits, place)
    this.#setBit(bits + FILLED, slot)
    this.#keepBits(bits + GONE, ~(1 << slot))
    this.#keepBits(bits + SPOILT, ~(1 << slot))
    if (isSpoilt) {
      this.#setBit(bits + SPOILT, slot)
    }
  }

  /** Spoils the attempts that are between the steps of an exclusion, within their window. */
  #exclude(place: number, exclusions: number, events: TimedEvents, i: number): void {
    const { exclusions: ranges, window, steps } = this.#rules
    const bits = startOf(this.#layout.bits, place)
    for (const [n, { from, to }] of ranges.entries()) {
      if ((exclusions & (1 << n)) === 0) {
        continue
      }
      for (let step = from; step < to; step += 1) {
        if (this.#isOpen(place, step, events, i)) {
          this.#setBit(bits + SPOILT, step)
        }
      }
      const furthest = this.reached(place) - 1
      const begin = this.#begins[startOf(this.#layout.begins, place) + steps - 1] ?? 0
      if (furthest >= from && furthest < to && (events.times[i] ?? 0) - begin <= window) {
        this.#bits[bits + BEST] = (this.#bits[bits + BEST] ?? 0) | IS_SPOILT
      }
    }
  }

  /** Whether the attempt in a slot can still go on at the time of an event. */
  #isOpen(place: number, slot: number, { times }: TimedEvents, i: number): boolean {
    const at = startOf(this.#layout.bits, place)
    const isThere = (this.#bits[at + FILLED] ?? 0) & ~(this.#bits[at + GONE] ?? 0) & (1 << slot)
    const begin = this.#begins[startOf(this.#layout.begins, place) + slot] ?? 0
    return isThere !== 0 && (times[i] ?? 0) - begin <= this.#rules.window
  }

  /** Whether an attempt with so many steps takes the place of the best one so far. */
  #isBetter(place: number, reached: number, isSpoilt: boolean): boolean {
    const best = this.reached(place)
    return reached > best || (reached === best && this.isExcluded(place) && !isSpoilt)
  }

  /** Notes the attempt of a slot as a better one, in the form of `BEST`, but for its delays. */
  #setBest(place: number, slot: number, best: number, group: number): void {
    const { exclusions, steps } = this.#rules
    this.#bits[startOf(this.#layout.bits, place) + BEST] = best
    this.#setGroup(startOf(this.#layout.groups, place), group)
    if (exclusions.length > 0) {
      const begins = startOf(this.#layout.begins, place)
      this.#begins[begins + steps - 1] = this.#begins[begins + slot] ?? 0
    }
  }

  #copyDelays(from: number, to: number, count: number): void {
    for (let i = 0; i < count; i += 1) {
      this.#delays[to + i] = this.#delays[from + i] ?? 0
    }
  }

  #setBit(at: number, bit: number): void {
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << bit)
  }

  #keepBits(at: number, kept: number): void {
    this.#bits[at] = (this.#bits[at] ?? 0) & kept
  }

  /** Groups are counted from 1 in memory, where 0 is none. */
  #groupIn(at: number): number {
    return this.#rules.groupStep === undefined ? NO_GROUP : (this.#groups[at] ?? 0) - 1
  }

  #setGroup(at: number, group: number): void {
    if (this.#rules.groupStep !== undefined) {
      this.#groups[at] = group + 1
    }
  }
}

/** Returns where the numbers of an actor begin. */
const startOf = ({ from, stride }: Place, place: number): number => from + place * stride

const NO_GROUP = -1
