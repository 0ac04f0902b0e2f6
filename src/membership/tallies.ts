import { ActorSet } from '../columns/actor-set.ts'
import type { Times } from './definition.ts'

/** Actors for which there is room before the counts grow. */
const FIRST_SIZE = 4_096

/** Counts what actors did, as far as a condition has to know: no further than one beyond it. */
export class Tallies {
  readonly #most: number
  readonly #seen = new ActorSet()
  #counts: Uint8Array | Uint32Array

  constructor({ count }: Times) {
    this.#most = count + 1
    this.#counts = this.#most > 255 ? new Uint32Array(FIRST_SIZE) : new Uint8Array(FIRST_SIZE)
  }

  /** Counts one more for an actor, by its number. */
  add(number: number): void {
    if (number >= this.#counts.length) {
      this.#grow(number)
    }
    const count = this.#counts[number] ?? 0
    if (count === 0) {
      this.#seen.note(number)
    }
    if (count < this.#most) {
      this.#counts[number] = count + 1
    }
  }

  /** Returns the actors whose count fulfils a condition, also those who were never added: 0. */
  actorsWith(isFulfilled: (count: number) => boolean): ActorSet {
    const isInverted = isFulfilled(0)
    const actors = new ActorSet(isInverted)
    for (const number of this.#seen.noted()) {
      if (isFulfilled(this.#counts[number] ?? 0) !== isInverted) {
        actors.note(number)
      }
    }
    return actors
  }

  #grow(number: number): void {
    const length = Math.max(number + 1, this.#counts.length * 2)
    const larger =
      this.#counts instanceof Uint8Array ? new Uint8Array(length) : new Uint32Array(length)
    larger.set(this.#counts)
    this.#counts = larger
  }
}
