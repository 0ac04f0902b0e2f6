import type { Accumulator, Piece, Rows, Sink } from './accumulator.ts'
import { Total } from './numbers.ts'
import { Seen } from './seen.ts'

/** The point of events before the trend: their actors have no first event in the trend. */
export const BEFORE = -1

/** Which event of an actor counts: the first of the name, or the first that matches the filters. */
export type First = 'of name' | 'matching'

/** Gives another sink the first event of each actor. Events have to come in the order of time. */
export class Firsts implements Sink {
  readonly #seen = new Seen()
  readonly #first: First
  readonly #counted: Sink

  /**
   * @param first with `of name`, an actor whose first event does not match the filters has no event
   * @param counted gets the first events
   */
  constructor(first: First, counted: Sink) {
    this.#first = first
    this.#counted = counted
  }

  add(rows: Rows, from: number, until: number, piece: Piece): void {
    const { groups, subjects } = rows
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group < 0 && this.#first === 'matching') {
        continue
      }
      const isFirst = this.#seen.add(subjects[i] ?? 0)
      if (isFirst && piece.point !== BEFORE) {
        this.#counted.add(rows, i, i + 1, piece)
      }
    }
  }
}

/** The number of actors by the point of their first event. */
export class FirstsTotal implements Accumulator {
  readonly #total = new Total()
  readonly #firsts: Firsts

  constructor(first: First) {
    this.#firsts = new Firsts(first, this.#total)
  }

  add(rows: Rows, from: number, until: number, piece: Piece): void {
    this.#firsts.add(rows, from, until, piece)
  }

  finish = (point: number) => this.#total.finish(point)

  end = () => this.#total.end()
}
