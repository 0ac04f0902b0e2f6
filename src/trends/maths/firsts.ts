import { Pages } from '../../columns/pages.ts'
import { type Accumulator, NOTHING, type Piece, type Rows } from './accumulator.ts'
import { Counter } from './numbers.ts'

/** The point of events before the trend: an actor with one of them has no first event later. */
export const BEFORE = -1

/** The number of actors whose first event lies at a point. Events have to come in the order of time. */
export class Firsts implements Accumulator {
  readonly #seen = new Pages()
  readonly #isMatching: boolean
  readonly #counter = new Counter()

  /** @param isMatching whether the first event that counts is meant, and not the first of all, which may not count */
  constructor(isMatching: boolean) {
    this.#isMatching = isMatching
  }

  add({ groups, subjects }: Rows, from: number, until: number, { point }: Piece): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group < 0 && this.#isMatching) {
        continue
      }
      const subject = subjects[i] ?? 0
      const isFirst = this.#seen.get(subject) === 0
      this.#seen.set(subject, 1)
      if (isFirst && group >= 0 && point !== BEFORE) {
        this.#counter.add(group, 1)
      }
    }
  }

  finish = (point: number) => this.#counter.drain(point)

  end = () => NOTHING
}
