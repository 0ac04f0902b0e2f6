import { AppError } from '../../errors.ts'
import type { SqlValue } from '../types.ts'
import type { Vector } from '../vector.ts'

/** Computes an aggregate for groups of rows. */
export interface GroupAccumulator {
  /**
   * Adds rows. @param groups the group of each row, -1 for a row that does not count @param args
   * the values of the arguments @param weights how many rows each row stands for, for `count()`
   * only; one if undefined @throws StatementError for a value that could not be computed
   */
  add(groups: Int32Array, args: readonly Vector[], weights?: ArrayLike<number>): void
  /** Returns the result of a group. */
  resultOf(group: number): SqlValue
}

/** Returns how many values a text counts as: one, and one more for every 16 characters. */
export const sizeOfText = ({ length }: string): number => 1 + (length >> 4)

/** Returns how many values a value counts as. */
export function sizeOfValue(value: SqlValue): number {
  if (typeof value === 'string') {
    return sizeOfText(value)
  }
  return Array.isArray(value)
    ? value.reduce<number>((sum, item: SqlValue) => sum + sizeOfValue(item), 1)
    : 1
}

/** Returns how many values a value counts as besides itself, where it belongs to a counted group. */
export const excessOf = (value: SqlValue): number => sizeOfValue(value) - 1

/** Values that the aggregates of a statement keep, by `sizeOfValue`; 4,000,000 take some 60 MB. */
const MAX_KEPT = 4_000_000

/** Counts the values that aggregates keep. */
export class Kept {
  #count = 0

  /** @throws query_too_large, attr `values` */
  add(count = 1): void {
    this.#count += count
    if (this.#count > MAX_KEPT) {
      throw new AppError(
        'query_too_large',
        `The statement would keep more than ${MAX_KEPT} values for uniq, quantile, topK and GROUP BY: choose a shorter range, or fewer groups.`,
        'values'
      )
    }
  }
}
