import { CompensatedSum } from '../sum.ts'
import { type Accumulator, type Counted, NOTHING, type Rows } from './accumulator.ts'

/** Counts per group. */
export class Counter {
  #counts: (number | undefined)[] = []

  add(group: number, by: number): void {
    this.#counts[group] = (this.#counts[group] ?? 0) + by
  }

  /**
   * Returns the counts of the groups that have one, as the numbers of a point, and forgets them.
   */
  *drain(point: number): Generator<Counted> {
    for (const [group, result] of this.#counts.entries()) {
      if (result !== undefined) {
        yield { point, group, result }
      }
    }
    this.#counts = []
  }
}

/** The number of events. */
export class Total implements Accumulator {
  readonly #counter = new Counter()

  add({ groups }: Rows, from: number, until: number): void {
    if (!groups) {
      this.#counter.add(0, until - from)
      return
    }
    for (let i = from; i < until; i += 1) {
      const group = groups[i] ?? -1
      if (group >= 0) {
        this.#counter.add(group, 1)
      }
    }
  }

  finish = (point: number) => this.#counter.drain(point)

  end = () => NOTHING
}

/** The sum, count, lowest and highest of some numbers. */
export class Moments {
  readonly #sum = new CompensatedSum()
  count = 0
  low = Number.POSITIVE_INFINITY
  high = Number.NEGATIVE_INFINITY

  add(number: number): void {
    this.#sum.add(number)
    this.count += 1
    this.low = Math.min(this.low, number)
    this.high = Math.max(this.high, number)
  }

  get sum(): number {
    return this.#sum.total
  }
}

export function momentsOf(numbers: Iterable<number>): Moments {
  const moments = new Moments()
  for (const number of numbers) {
    moments.add(number)
  }
  return moments
}

/** `sum`, `avg`, `min` and `max` of the numbers of events. */
export class PerEvent implements Accumulator {
  readonly #resultOf: (moments: Moments) => number
  #moments = new Map<number, Moments>()

  constructor(resultOf: (moments: Moments) => number) {
    this.#resultOf = resultOf
  }

  add({ groups, numbers }: Rows, from: number, until: number): void {
    const { codes, values } = numbers
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const number = values[codes[i] ?? 0] ?? Number.NaN
      if (group >= 0 && !Number.isNaN(number)) {
        this.#momentsOf(group).add(number)
      }
    }
  }

  #momentsOf(group: number): Moments {
    let moments = this.#moments.get(group)
    if (!moments) {
      moments = new Moments()
      this.#moments.set(group, moments)
    }
    return moments
  }

  *finish(point: number): Generator<Counted> {
    for (const [group, moments] of this.#moments) {
      yield { point, group, result: this.#resultOf(moments) }
    }
    this.#moments = new Map()
  }

  end = () => NOTHING
}
