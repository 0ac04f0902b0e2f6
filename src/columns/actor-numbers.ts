import { type ChunkActors, NO_PERSON } from './codec.ts'

const FIRST_SIZE = 4_096

/** Stands for an identity that was not looked up; no actor has this number. */
const UNKNOWN = 0

/**
 * Returns the number under which an actor is counted: person 5 → 10, and identity 5 without a
 * person, -5, → 11.
 * @param actor the id of a person or, without a person, the negated key of the identity
 */
export const numberOfActor = (actor: number): number => (actor > 0 ? 2 * actor : 1 - 2 * actor)

/** Whether the actor that has a number is a person. */
export const isPersonNumber = (number: number): boolean => number % 2 === 0

/** Returns the actor that has a number: the inverse of `numberOfActor`. */
export const actorOfNumber = (number: number): number =>
  isPersonNumber(number) ? number / 2 : (1 - number) / 2

/** The number of each identity's actor, by key: finding one of millions takes about 5 ns. */
export class ActorNumbers {
  #numbers = new Int32Array(FIRST_SIZE)

  isKnown(identity: number): boolean {
    return (this.#numbers[identity] ?? UNKNOWN) !== UNKNOWN
  }

  /** Writes the number of each identity's actor into `numbers`. @returns whether all are known */
  list(identities: Uint32Array, numbers: Int32Array): boolean {
    const known = this.#numbers
    const { length } = known
    for (let i = 0; i < numbers.length; i += 1) {
      const identity = identities[i] ?? 0
      // Reading past the end would make this loop slow from then on.
      const number = identity < length ? (known[identity] ?? UNKNOWN) : UNKNOWN
      if (number === UNKNOWN) {
        return false
      }
      numbers[i] = number
    }
    return true
  }

  /**
   * Notes the actor of an identity, unless it is known: the id of a person or, without a person,
   * the negated key.
   */
  add(identity: number, actor: number): void {
    if (!this.isKnown(identity)) {
      this.makeRoom(identity)
      this.#numbers[identity] = numberOfActor(actor)
    }
  }

  /**
   * Notes the actors of a chunk's identities, except those that are known or have moved.
   * @param first the first key of the chunk
   */
  addChunk(first: number, { offsets, persons }: ChunkActors, moved: ReadonlySet<number>): void {
    this.makeRoom(first + (offsets.at(-1) ?? 0))
    const numbers = this.#numbers
    for (let i = 0; i < offsets.length; i += 1) {
      const identity = first + (offsets[i] ?? 0)
      if (numbers[identity] === UNKNOWN && (moved.size === 0 || !moved.has(identity))) {
        const person = persons[i] ?? NO_PERSON
        numbers[identity] = numberOfActor(person === NO_PERSON ? -identity : person)
      }
    }
  }

  /** Makes room for identities up to this one. */
  makeRoom(identity: number): void {
    if (identity >= this.#numbers.length) {
      const larger = new Int32Array(Math.max(identity + 1, this.#numbers.length * 2))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
  }
}
