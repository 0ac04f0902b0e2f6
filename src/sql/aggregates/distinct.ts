import { compareValues } from '../functions/compare.ts'
import {
  type Base,
  isSome,
  keyOfValue,
  type Some,
  type SqlValue,
  type ValueFailure
} from '../types.ts'
import { expectValue, type Vector, valueAt } from '../vector.ts'
import { type GroupAccumulator, type Kept, sizeOfValue } from './accumulator.ts'
import { NumberSet } from './number-set.ts'

/** Numbers the values of rows; -1 stands for null. */
class ValueNumbers {
  readonly #numbers = new Map<SqlValue, number>()
  readonly #isNumbered: boolean
  readonly #kept: Kept

  /** @param isNumbered whether the values are numbers already, from 0 on with few gaps */
  constructor(isNumbered: boolean, kept: Kept) {
    this.#isNumbered = isNumbered
    this.#kept = kept
  }

  /** Returns the numbers of the rows that have a group; -1 for null. */
  list(args: readonly Vector[], groups: Int32Array): Int32Array {
    const [vector, ...others] = args
    if (!vector || others.length > 0) {
      const tupleAt = (row: number) => args.map((arg) => expectValue(valueAt(arg, row)))
      return groups.map((group, row) => (group < 0 ? -1 : this.#ofTuple(tupleAt(row))))
    }
    const { codes, values } = vector
    if (this.#isNumbered && !codes && values instanceof Int32Array) {
      return values
    }
    if (!codes || this.#isNumbered) {
      return groups.map((group, row) => (group < 0 ? -1 : this.#ofValue(valueAt(vector, row))))
    }
    // -2: the value was not numbered yet.
    const known = new Int32Array(values.length).fill(-2)
    return groups.map((group, row) => {
      const code = codes[row] ?? 0
      if (group >= 0 && known[code] === -2) {
        known[code] = this.#ofValue(values[code])
      }
      return group < 0 ? -1 : (known[code] ?? -1)
    })
  }

  #ofTuple(values: readonly Exclude<SqlValue, ValueFailure>[]): number {
    return values.includes(null) ? -1 : this.#ofKey(JSON.stringify(values))
  }

  #ofValue(given: SqlValue | undefined): number {
    const value = expectValue(given)
    if (value === null) {
      return -1
    }
    if (this.#isNumbered && typeof value === 'number') {
      return value
    }
    return this.#ofKey(keyOfValue(value))
  }

  #ofKey(key: SqlValue): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      return known
    }
    this.#kept.add(sizeOfValue(key))
    const number = this.#numbers.size
    this.#numbers.set(key, number)
    return number
  }
}

/** Counts different values. */
export class CountDistinct implements GroupAccumulator {
  readonly #numbers: ValueNumbers
  readonly #sets: NumberSet[] = []
  readonly #kept: Kept

  constructor(base: Base, kept: Kept) {
    this.#numbers = new ValueNumbers(base === 'actor' || base === 'identity', kept)
    this.#kept = kept
  }

  add(groups: Int32Array, args: readonly Vector[]): void {
    const numbers = this.#numbers.list(args, groups)
    for (let row = 0; row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      const number = group < 0 ? -1 : (numbers[row] ?? -1)
      if (number < 0) {
        continue
      }
      const set = this.#sets[group] ?? new NumberSet()
      this.#sets[group] = set
      if (set.add(number)) {
        this.#kept.add()
      }
    }
  }

  resultOf(group: number): SqlValue {
    return this.#sets[group]?.size ?? 0
  }
}

/** Drops rows that repeat an earlier row of their group: `sum(DISTINCT x)`. */
export class OnlyDistinct implements GroupAccumulator {
  readonly #numbers: ValueNumbers
  readonly #sets: NumberSet[] = []
  readonly #inner: GroupAccumulator

  constructor(base: Base, inner: GroupAccumulator, kept: Kept) {
    this.#numbers = new ValueNumbers(base === 'actor' || base === 'identity', kept)
    this.#inner = inner
  }

  add(groups: Int32Array, args: readonly Vector[]): void {
    const numbers = this.#numbers.list(args, groups)
    const kept = groups.slice()
    for (let row = 0; row < kept.length; row += 1) {
      const group = kept[row] ?? -1
      const number = group < 0 ? -1 : (numbers[row] ?? -1)
      const set = group < 0 ? undefined : (this.#sets[group] ?? new NumberSet())
      if (set) {
        this.#sets[group] = set
      }
      if (number < 0 || !set?.add(number)) {
        kept[row] = -1
      }
    }
    this.#inner.add(kept, args)
  }

  resultOf(group: number): SqlValue {
    return this.#inner.resultOf(group)
  }
}

/** Lists the values that occur most often. Equally frequent ones come in their own order. */
export class Frequent implements GroupAccumulator {
  readonly #counts: Map<SqlValue, { value: Some; count: number }>[] = []
  readonly #base: Base
  readonly #limit: number
  readonly #kept: Kept

  constructor(base: Base, limit: number, kept: Kept) {
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
      const counts = this.#counts[group] ?? new Map<SqlValue, { value: Some; count: number }>()
      this.#counts[group] = counts
      const key = keyOfValue(value)
      const known = counts.get(key)
      if (known) {
        known.count += 1
      } else {
        this.#kept.add(sizeOfValue(value))
        counts.set(key, { value, count: 1 })
      }
    }
  }

  resultOf(group: number): SqlValue {
    return [...(this.#counts[group]?.values() ?? [])]
      .sort((a, b) => b.count - a.count || compareValues(this.#base, a.value, b.value))
      .slice(0, this.#limit)
      .map(({ value }) => value)
  }
}
