import { compareValues } from '../functions/compare.ts'
import { type Base, isSome, keyOfValue, type Some, type SqlValue } from '../types.ts'
import { expectValue, type Vector, valueAt } from '../vector.ts'
import { type GroupAccumulator, type Kept, sizeOfValue } from './accumulator.ts'

/** Lists values in the order of time; those of one moment come in their own order. */
export class Listed implements GroupAccumulator {
  readonly #rows: { value: Some; time: number }[][] = []
  readonly #base: Base
  readonly #limit: number | undefined
  readonly #kept: Kept

  constructor(base: Base, limit: number | undefined, kept: Kept) {
    this.#base = base
    this.#limit = limit
    this.#kept = kept
  }

  add(groups: Int32Array, [vector, times]: readonly Vector[]): void {
    for (let row = 0; vector && times && row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      const value = group < 0 ? null : expectValue(valueAt(vector, row))
      if (!isSome(value)) {
        continue
      }
      const rows = this.#rows[group] ?? []
      this.#rows[group] = rows
      this.#kept.add(sizeOfValue(value))
      rows.push({ value, time: Number(valueAt(times, row)) })
    }
  }

  resultOf(group: number): SqlValue {
    return (this.#rows[group] ?? [])
      .toSorted((a, b) => a.time - b.time || compareValues(this.#base, a.value, b.value))
      .slice(0, this.#limit)
      .map(({ value }) => value)
  }
}

/** Lists the different values, in their own order. */
export class DistinctList implements GroupAccumulator {
  readonly #sets: Map<unknown, Some>[] = []
  readonly #base: Base
  readonly #limit: number | undefined
  readonly #kept: Kept

  constructor(base: Base, limit: number | undefined, kept: Kept) {
    this.#base = base
    this.#limit = limit
    this.#kept = kept
  }

  add(groups: Int32Array, [vector]: readonly Vector[]): void {
    for (let row = 0; vector && row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      const value = group < 0 ? null : expectValue(valueAt(vector, row))
      if (!isSome(value)) {
        continue
      }
      const set = this.#sets[group] ?? new Map<unknown, Some>()
      this.#sets[group] = set
      const key = keyOfValue(value)
      if (!set.has(key)) {
        this.#kept.add(sizeOfValue(value))
        set.set(key, value)
      }
    }
  }

  resultOf(group: number): SqlValue {
    return [...(this.#sets[group]?.values() ?? [])]
      .sort((a, b) => compareValues(this.#base, a, b))
      .slice(0, this.#limit)
  }
}
