import { NumberMap } from './number-map.ts'

/** Identities there is room for at first. */
const FIRST_SIZE = 4_096

/* States of an identity: not looked up; its key is the number of its actor; its actor has the key of another identity as number. */
const [UNKNOWN, OWN, SHARED] = [0, 1, 2]

/**
 * Numbers actors: the number of an actor is the key of the first of its identities that was seen. Most actors have a single
 * identity, so that looking up millions of events reads a byte per identity, which stays in the processor's cache.
 */
export class ActorNumbers {
  #states = new Uint8Array(FIRST_SIZE)
  /** The numbers of the identities that share one. */
  readonly #shared = new Map<number, number>()
  /** The number of each person. */
  readonly #numbers = new NumberMap()

  isKnown(identity: number): boolean {
    return (this.#states[identity] ?? UNKNOWN) !== UNKNOWN
  }

  /** Writes the number of each identity's actor into `numbers`, at the identity's place. @returns whether all are known */
  list(identities: Uint32Array, numbers: Int32Array): boolean {
    const states = this.#states
    const { length } = states
    for (let i = 0; i < numbers.length; i += 1) {
      const identity = identities[i] ?? 0
      // Reading past the end would make this loop slow from then on.
      const state = identity < length ? states[identity] : UNKNOWN
      if (state === UNKNOWN) {
        return false
      }
      numbers[i] = state === OWN ? identity : (this.#shared.get(identity) ?? 0)
    }
    return true
  }

  /** Notes the actor of an identity, unless it is known: the id of a person or, without a person, a negative number. */
  add(identity: number, actor: number): void {
    if (this.isKnown(identity)) {
      return
    }
    const number = actor > 0 ? this.#numbers.get(actor) : 0
    if (number > 0) {
      this.#shared.set(identity, number)
      this.#setState(identity, SHARED)
      return
    }
    this.#setState(identity, OWN)
    if (actor > 0) {
      this.#numbers.set(actor, identity)
    }
  }

  /** Returns the actor of each number: the id of a person or, for an identity without a person, its negated key. */
  actorsOf(numbers: readonly number[]): number[] {
    const wanted = new Set(numbers)
    const persons = new Map<number, number>()
    for (const [person, number] of this.#numbers.entries()) {
      if (wanted.has(number)) {
        persons.set(number, person)
      }
    }
    return numbers.map((number) => persons.get(number) ?? -number)
  }

  #setState(identity: number, state: number): void {
    if (identity >= this.#states.length) {
      const larger = new Uint8Array(Math.max(identity + 1, this.#states.length * 2))
      larger.set(this.#states)
      this.#states = larger
    }
    this.#states[identity] = state
  }
}
