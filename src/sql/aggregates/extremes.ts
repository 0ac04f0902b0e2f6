import { compareValues } from '../functions/compare.ts'
import type { Base, Some, SqlValue } from '../types.ts'
import { expectValue, type Vector, valueAt } from '../vector.ts'
import { excessOf, type GroupAccumulator, type Kept } from './accumulator.ts'

/**
 * Keeps the first argument of the row whose other arguments come first, or last: those of `argMin`
 * and `argMax`. Of equal rows, the smallest first argument is kept, so the result does not depend on
 * the order of rows. Rows with a null are skipped.
 */
export class Extreme implements GroupAccumulator {
  readonly #kept: Some[] = []
  readonly #ranks: (readonly Some[])[] = []
  readonly #bases: readonly Base[]
  readonly #signs: readonly number[]
  readonly #ofNone: SqlValue

  readonly #memory: Kept

  /** @param signs 1 for the least value of each further argument, -1 for the greatest */
  constructor(
    bases: readonly Base[],
    signs: readonly number[],
    { ofNone, kept }: { ofNone: SqlValue; kept: Kept }
  ) {
    this.#memory = kept
    this.#bases = bases
    this.#signs = signs
    this.#ofNone = ofNone
  }

  add(groups: Int32Array, args: readonly Vector[]): void {
    for (let row = 0; row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      if (group < 0) {
        continue
      }
      const [value, ...rank] = args.map((arg) => expectValue(valueAt(arg, row)))
      if (value === null || value === undefined || rank.includes(null)) {
        continue
      }
      // The cast is safe: no value is null.
      this.#note(group, value, rank as Some[])
    }
  }

  resultOf(group: number): SqlValue {
    return this.#kept[group] ?? this.#ofNone
  }

  #note(group: number, value: Some, rank: readonly Some[]): void {
    const kept = this.#kept[group]
    if (kept === undefined || this.#compare(value, rank, kept, this.#ranks[group] ?? []) < 0) {
      const before = kept === undefined ? 0 : excessOfRow(kept, this.#ranks[group] ?? [])
      this.#memory.add(excessOfRow(value, rank) - before)
      this.#kept[group] = value
      this.#ranks[group] = rank
    }
  }

  #compare(value: Some, rank: readonly Some[], kept: Some, keptRank: readonly Some[]): number {
    for (const [i, own] of rank.entries()) {
      const other = keptRank[i]
      const base = this.#bases[i + 1] ?? 'int'
      const order = other === undefined ? 0 : compareValues(base, own, other)
      if (order !== 0) {
        return order * (this.#signs[i] ?? 1)
      }
    }
    return compareValues(this.#bases[0] ?? 'int', value, kept)
  }
}

/** Sums up `excessOf` for the values of a row. */
const excessOfRow = (value: Some, rank: readonly Some[]): number =>
  rank.reduce<number>((sum, one) => sum + excessOf(one), excessOf(value))

/** The least or the greatest value. NaN counts only if there is nothing else. */
export class Least implements GroupAccumulator {
  readonly #kept: Some[] = []
  readonly #base: Base
  readonly #sign: 1 | -1
  readonly #ofNone: SqlValue

  readonly #memory: Kept

  constructor(base: Base, sign: 1 | -1, { ofNone, kept }: { ofNone: SqlValue; kept: Kept }) {
    this.#memory = kept
    this.#base = base
    this.#sign = sign
    this.#ofNone = ofNone
  }

  add(groups: Int32Array, [vector]: readonly Vector[]): void {
    for (let row = 0; vector && row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      const value = group < 0 ? null : expectValue(valueAt(vector, row))
      if (value === null) {
        continue
      }
      const kept = this.#kept[group]
      const isFirst = kept === undefined || (Number.isNaN(kept) && !Number.isNaN(value))
      if (
        isFirst ||
        (!Number.isNaN(value) && this.#sign * compareValues(this.#base, value, kept) < 0)
      ) {
        this.#note(group, value)
      }
    }
  }

  #note(group: number, value: Some): void {
    const kept = this.#kept[group]
    this.#memory.add(excessOf(value) - (kept === undefined ? 0 : excessOf(kept)))
    this.#kept[group] = value
  }

  resultOf(group: number): SqlValue {
    return this.#kept[group] ?? this.#ofNone
  }
}
