import { type SqlValue, ValueFailure } from '../types.ts'
import { expectValue, type Vector, valueAt } from '../vector.ts'
import type { GroupAccumulator } from './accumulator.ts'

/** Calls a function with each number of a vector and its group; nulls are skipped. */
export function eachNumber(
  groups: Int32Array,
  vector: Vector,
  note: (group: number, value: number) => void
): void {
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row] ?? -1
    if (group < 0) {
      continue
    }
    const value = valueAt(vector, row)
    if (typeof value === 'number') {
      note(group, value)
    } else if (value instanceof ValueFailure) {
      expectValue(value)
    }
  }
}

/** Counts rows, or the rows in which no argument is null. */
export class Count implements GroupAccumulator {
  readonly #counts: number[] = []

  add(groups: Int32Array, args: readonly Vector[], weights?: ArrayLike<number>): void {
    const isOfRows = args.length === 0
    for (let row = 0; row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      if (
        group >= 0 &&
        (isOfRows || args.every((arg) => expectValue(valueAt(arg, row)) !== null))
      ) {
        this.#counts[group] = (this.#counts[group] ?? 0) + (weights?.[row] ?? 1)
      }
    }
  }

  resultOf(group: number): SqlValue {
    return this.#counts[group] ?? 0
  }
}

/** Adds numbers up. */
export class Sum implements GroupAccumulator {
  readonly #sums: number[] = []
  readonly #ofNone: SqlValue
  readonly #tooLarge: ValueFailure | undefined

  /**
   * @param ofNone the result of a group without a number
   * @param tooLarge the result of a sum that cannot be exact; undefined if it need not be
   */
  constructor(ofNone: SqlValue, tooLarge: ValueFailure | undefined) {
    this.#ofNone = ofNone
    this.#tooLarge = tooLarge
  }

  add(groups: Int32Array, [vector]: readonly Vector[]): void {
    if (vector) {
      eachNumber(groups, vector, (group, value) => {
        this.#sums[group] = (this.#sums[group] ?? 0) + value
      })
    }
  }

  resultOf(group: number): SqlValue {
    const sum = this.#sums[group]
    if (sum === undefined) {
      return this.#ofNone
    }
    return this.#tooLarge && !Number.isSafeInteger(sum) ? this.#tooLarge : sum
  }
}

/** The mean of numbers; NaN for a group without any if numbers cannot be null. */
export class Mean implements GroupAccumulator {
  readonly #sums: number[] = []
  readonly #counts: number[] = []
  readonly #ofNone: SqlValue

  constructor(ofNone: SqlValue) {
    this.#ofNone = ofNone
  }

  add(groups: Int32Array, [vector]: readonly Vector[]): void {
    if (vector) {
      eachNumber(groups, vector, (group, value) => {
        this.#sums[group] = (this.#sums[group] ?? 0) + value
        this.#counts[group] = (this.#counts[group] ?? 0) + 1
      })
    }
  }

  resultOf(group: number): SqlValue {
    const count = this.#counts[group] ?? 0
    return count === 0 ? this.#ofNone : (this.#sums[group] ?? 0) / count
  }
}
