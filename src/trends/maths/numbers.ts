import type { Codes } from '../../columns/column.ts'
import type { PropertyMath } from '../query.ts'
import { type Accumulator, type Counted, NOTHING, type Rows } from './accumulator.ts'

/** A number for each row: row i has `values[codes[i]]`, NaN for none. */
export type NumberColumn = { codes: Codes; values: Float64Array }

/** Counts per group. */
export class Counter {
  #counts: (number | undefined)[] = []

  add(group: number, by: number): void {
    this.#counts[group] = (this.#counts[group] ?? 0) + by
  }

  /** Returns the counts of the groups that have one, as the numbers of a point, and forgets them. */
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

/**
 * The sum, count, lowest and highest of some numbers. `lost` collects the rounding errors of `sum` and is added at the end
 * (Neumaier), which makes the total almost exact.
 */
type Sum = { sum: number; lost: number; count: number; low: number; high: number }

/** `sum`, `avg`, `min` and `max` of numbers. */
export class Summary implements Accumulator {
  readonly #math: PropertyMath
  #sums = new Map<number, Sum>()

  constructor(math: PropertyMath) {
    this.#math = math
  }

  add({ groups, numbers }: Rows, from: number, until: number): void {
    const { codes, values } = numbers
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const number = values[codes[i] ?? 0] ?? Number.NaN
      if (group >= 0 && !Number.isNaN(number)) {
        this.#take(group, number)
      }
    }
  }

  #take(group: number, number: number): void {
    const one = this.#sums.get(group)
    if (!one) {
      this.#sums.set(group, { sum: number, lost: 0, count: 1, low: number, high: number })
      return
    }
    const sum = one.sum + number
    one.lost +=
      Math.abs(one.sum) >= Math.abs(number) ? one.sum - sum + number : number - sum + one.sum
    one.sum = sum
    one.count += 1
    one.low = Math.min(one.low, number)
    one.high = Math.max(one.high, number)
  }

  *finish(point: number): Generator<Counted> {
    for (const [group, { sum, lost, count, low, high }] of this.#sums) {
      const total = Number.isFinite(sum) ? sum + lost : sum
      const results = { sum: total, avg: total / count, min: low, max: high }
      yield { point, group, result: results[this.#math as keyof typeof results] }
    }
    this.#sums = new Map()
  }

  end = () => NOTHING
}
