import type { Accumulator, Piece, Rows } from './accumulator.ts'
import { Seen } from './seen.ts'

/** The point of the piece of events before the trend. An actor who has one of them has no first event in the trend. */
export const BEFORE = -1

/** Gives another accumulator the first event of each actor. Events have to come in the order of time. */
export class Firsts implements Accumulator {
  readonly #seen = new Seen()
  readonly #isMatching: boolean
  readonly #counted: Accumulator

  /**
   * @param isMatching whether an actor's first event is the first one that the filters keep. Otherwise it is the first of all,
   * and the actor does not count if the filters leave it out
   * @param counted gets the first events
   */
  constructor(isMatching: boolean, counted: Accumulator) {
    this.#isMatching = isMatching
    this.#counted = counted
  }

  add(rows: Rows, from: number, until: number, piece: Piece): void {
    const { groups, subjects } = rows
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group < 0 && this.#isMatching) {
        continue
      }
      const isFirst = this.#seen.add(subjects[i] ?? 0)
      if (isFirst && piece.point !== BEFORE) {
        this.#counted.add(rows, i, i + 1, piece)
      }
    }
  }

  finish = (point: number) => this.#counted.finish(point)

  end = () => this.#counted.end()
}
