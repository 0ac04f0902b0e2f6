export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number]

/** When an actor has taken the steps of a funnel. Steps are counted from 0. */
export type FunnelRules = {
  order: FunnelOrder
  /** The number of steps. */
  steps: number
  /** Time within which all steps must follow the first one, ms; the end belongs to it. */
  window: number
  /** Events that spoil an attempt that has reached step `from`, and not yet step `to`. */
  exclusions: readonly { from: number; to: number }[]
  /** The step whose event gives an attempt its group; undefined if attempts have no group. */
  groupStep: number | undefined
}

/**
 * The attempts of some actors to get through a funnel. An actor's best attempt is the first one
 * that got furthest.
 */
export interface Attempts {
  /**
   * Adds an event of the actor at a place. The events of an actor come in the order of time.
   * @param time ms
   * @param steps a bit for each step that the event is
   * @param exclusions a bit for each exclusion that the event is
   */
  add(place: number, time: number, steps: number, exclusions: number, group: number): void
  /** Returns how many steps the actor's best attempt has; 0 for none. */
  reached(place: number): number
  /** Whether the actor's best attempt is spoilt by an exclusion. */
  isExcluded(place: number): boolean
  /** Returns the time from the first step of the actor's best attempt to another step, ms. */
  timeTo(place: number, step: number): number
  /** Returns the group of the actor's best attempt, -1 for none. */
  groupOf(place: number): number
}

/** Bits, one for each step. */
export type StepBits = Uint8Array | Uint32Array

/** Returns lists of bits for as many steps in as little memory as they need. */
export const stepBits = (steps: number, length: number): StepBits =>
  steps <= 8 ? new Uint8Array(length) : new Uint32Array(length)

/** Times within a window, ms. */
export type Delays = Uint32Array | Float64Array

/** Returns a list of times within a window; 49 days have 2³² ms. */
export const delays = (window: number, length: number): Delays =>
  window < 2 ** 32 ? new Uint32Array(length) : new Float64Array(length)

const NO_GROUP = -1

/** The best attempt of each actor so far. */
export class BestAttempts {
  readonly #steps: number
  readonly #groups: Int32Array
  readonly #reached: Uint8Array
  readonly #spoilt: Uint8Array
  readonly #begins: Float64Array
  /** For each actor, the time from the first step to each later one. */
  readonly #delays: Delays

  constructor({ steps, window, groupStep }: FunnelRules, places: number) {
    this.#steps = steps
    this.#groups = new Int32Array(groupStep === undefined ? 0 : places).fill(NO_GROUP)
    this.#reached = new Uint8Array(places)
    this.#spoilt = new Uint8Array(places)
    this.#begins = new Float64Array(places)
    this.#delays = delays(window, places * (steps - 1))
  }

  reached(place: number): number {
    return this.#reached[place] ?? 0
  }

  isSpoilt(place: number): boolean {
    return this.#spoilt[place] === 1
  }

  isComplete(place: number): boolean {
    return this.#reached[place] === this.#steps && this.#spoilt[place] === 0
  }

  begin(place: number): number {
    return this.#begins[place] ?? 0
  }

  spoil(place: number): void {
    this.#spoilt[place] = 1
  }

  /** Whether an attempt with so many steps takes the place of the best one so far. */
  isBetter(place: number, reached: number, isSpoilt: boolean): boolean {
    const best = this.#reached[place] ?? 0
    return reached > best || (reached === best && this.#spoilt[place] === 1 && !isSpoilt)
  }

  /** Notes a better attempt, whose later steps are noted by `setDelay`. */
  set(place: number, attempt: { reached: number; isSpoilt: boolean; begin: number }): void {
    this.#reached[place] = attempt.reached
    this.#spoilt[place] = attempt.isSpoilt ? 1 : 0
    this.#begins[place] = attempt.begin
  }

  setDelay(place: number, step: number, delay: number): void {
    this.#delays[place * (this.#steps - 1) + step - 1] = delay
  }

  setGroup(place: number, group: number): void {
    if (this.#groups.length > 0) {
      this.#groups[place] = group
    }
  }

  delay(place: number, step: number): number {
    return step === 0 ? 0 : (this.#delays[place * (this.#steps - 1) + step - 1] ?? 0)
  }

  group(place: number): number {
    return this.#groups[place] ?? NO_GROUP
  }
}

/** Memory that the best attempt of an actor takes, bytes. */
export const bestBytes = ({ steps, window, groupStep }: FunnelRules): number =>
  10 + (steps - 1) * delays(window, 0).BYTES_PER_ELEMENT + (groupStep === undefined ? 0 : 4)
