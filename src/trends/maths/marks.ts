import { NumberMap } from '../../columns/number-map.ts'
import { expectFew, MAX_SUBJECTS } from './limits.ts'

/** More than the largest number of a subject, so that each pair has a key of its own. */
const SUBJECTS = 2 ** 31

const keyOf = (group: number, subject: number): number => group * SUBJECTS + subject

/** Places of a set before it grows; 16 KB. */
const FIRST_PLACES = 2_048

/** Stands in a place for no key. */
const FREE = -1

/** How many pairs several sets may have together. */
export class PairAllowance {
  readonly most: number
  used = 0

  /** @param most pairs; each takes up to 32 bytes */
  constructor(most = MAX_SUBJECTS) {
    this.most = most
  }
}

/** Pairs of a group (a breakdown value) and a subject (an actor or a session). */
export class PairSet {
  readonly #allowance: PairAllowance
  /** Keys, at the place of their hash or after it: at least half of the places are free. */
  #places = new Float64Array(FIRST_PLACES).fill(FREE)
  #size = 0

  constructor(allowance = new PairAllowance()) {
    this.#allowance = allowance
  }

  /** Adds a pair. @returns whether it is new @throws query_too_large, attr `actors` */
  add(group: number, subject: number): boolean {
    const key = keyOf(group, subject)
    const place = placeOf(this.#places, key, hashOf(group, subject))
    if (this.#places[place] === key) {
      return false
    }
    this.#places[place] = key
    this.#size += 1
    this.#allowance.used += 1
    expectFew(this.#allowance.used, this.#allowance.most)
    if (this.#size * 2 > this.#places.length) {
      this.#grow()
    }
    return true
  }

  #grow(): void {
    const larger = new Float64Array(this.#places.length * 2).fill(FREE)
    for (const key of this.#places) {
      if (key !== FREE) {
        const group = Math.floor(key / SUBJECTS)
        larger[placeOf(larger, key, hashOf(group, key - group * SUBJECTS))] = key
      }
    }
    this.#places = larger
  }
}

function hashOf(group: number, subject: number): number {
  const mixed = Math.imul(subject ^ Math.imul(group, 0x85ebca6b), 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/** Returns the place that has a key, or the free place where it belongs. */
function placeOf(places: Float64Array, key: number, hash: number): number {
  const last = places.length - 1
  let place = hash & last
  while (places[place] !== key && places[place] !== FREE) {
    place = (place + 1) & last
  }
  return place
}

/**
 * A number for each pair of a group and a subject, 0 at first. The numbers of group 0, which is the
 * only group of a trend without a breakdown, are in a list, which is quicker than a map. The list
 * takes at most eight bytes for each subject of the project, so only the pairs of other groups are
 * limited.
 */
export class PairMarks {
  readonly #list = new NumberMap()
  readonly #pairs = new Map<number, number>()

  get(group: number, subject: number): number {
    return group === 0 ? this.#list.get(subject) : (this.#pairs.get(keyOf(group, subject)) ?? 0)
  }

  /** Sets the number of a pair. @throws query_too_large, attr `actors` */
  set(group: number, subject: number, mark: number): void {
    if (group === 0) {
      this.#list.set(subject, mark)
      return
    }
    this.#pairs.set(keyOf(group, subject), mark)
    expectFew(this.#pairs.size)
  }
}
