import { NumberMap } from '../../columns/number-map.ts'
import type { Piece, Rows, Sink } from '../../trends/maths/accumulator.ts'

export const CRITERION_OPERATORS = ['gte', 'lte', 'exact'] as const

/** How many events an actor needs in an interval for the interval to count. */
export type Criteria = { operator: (typeof CRITERION_OPERATORS)[number]; value: number }

/** Whether a number, which is 0 for none, fulfils a criterion. */
export function meets({ operator, value }: Criteria, number: number): boolean {
  switch (operator) {
    case 'gte':
      return number >= value
    case 'lte':
      return number > 0 && number <= value
    case 'exact':
      return number === value
  }
}

/** Gets each change of the number of intervals that count for an actor. */
export type NoteChange = (actor: number, before: number, after: number) => void

/* The numbers of an actor, which lie together: actors are looked up at random places. */
/** The last interval in which the actor was active, counted from 1. */
const LAST = 0
/** The events of the actor in that interval, up to `#settled`. */
const EVENTS = 1
/** The intervals that count. */
const INTERVALS = 2
const WIDTH = 3

/** Counts the intervals in which each actor was active often enough. */
export class ActiveIntervals implements Sink {
  readonly #criteria: Criteria
  readonly #note: NoteChange
  /** An interval with this many events counts or does not, whatever follows. */
  readonly #settled: number
  readonly #numbers = new NumberMap()

  constructor(criteria: Criteria, note: NoteChange) {
    const { operator, value } = criteria
    this.#criteria = criteria
    this.#note = note
    this.#settled = operator === 'gte' ? value : value + 1
  }

  add({ groups, subjects }: Rows, from: number, until: number, { point }: Piece): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0) {
        this.#see(subjects[i] ?? 0, point)
      }
    }
  }

  #see(actor: number, interval: number): void {
    const numbers = this.#numbers
    const at = actor * WIDTH
    const isKnown = numbers.get(at + LAST) === interval + 1
    const events = isKnown ? numbers.get(at + EVENTS) : 0
    if (events >= this.#settled) {
      return
    }
    numbers.set(at + LAST, interval + 1)
    numbers.set(at + EVENTS, events + 1)
    const [before, after] = [meets(this.#criteria, events), meets(this.#criteria, events + 1)]
    if (before !== after) {
      const intervals = numbers.get(at + INTERVALS)
      const changed = intervals + (after ? 1 : -1)
      numbers.set(at + INTERVALS, changed)
      this.#note(actor, intervals, changed)
    }
  }
}

/** Counts the actors that were active in each number of intervals. */
export class IntervalCounts {
  /** The number of actors with i intervals. */
  readonly #actors: Int32Array

  constructor(intervals: number) {
    this.#actors = new Int32Array(intervals + 1)
  }

  readonly note: NoteChange = (_, before, after) => {
    this.#actors[before] = (this.#actors[before] ?? 0) - 1
    this.#actors[after] = (this.#actors[after] ?? 0) + 1
  }

  /**
   * Returns the number of actors with exactly 1, 2, 3… intervals; if cumulative, with at least so
   * many.
   */
  numbers(isCumulative: boolean): number[] {
    const numbers = [...this.#actors.subarray(1)]
    if (isCumulative) {
      for (let i = numbers.length - 2; i >= 0; i -= 1) {
        numbers[i] = (numbers[i] ?? 0) + (numbers[i + 1] ?? 0)
      }
    }
    return numbers
  }
}
