import { NumberMap } from '../../columns/number-map.ts'
import { expectFew } from './limits.ts'

/** More than the largest number of a subject, so that each pair has a key of its own. */
const SUBJECTS = 2 ** 31

const keyOf = (group: number, subject: number): number => group * SUBJECTS + subject

/** Pairs of a group (a breakdown value) and a subject (an actor or a session). */
export class PairSet {
  readonly #keys = new Set<number>()

  /** Adds a pair. @returns whether it is new @throws query_too_large, attr `actors` */
  add(group: number, subject: number): boolean {
    const before = this.#keys.size
    this.#keys.add(keyOf(group, subject))
    if (this.#keys.size === before) {
      return false
    }
    expectFew(before + 1)
    return true
  }
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
