import { AppError } from '../errors.ts'
import { excessOf, type GroupAccumulator, type Kept } from './aggregates/accumulator.ts'
import { accumulatorOf } from './aggregates/table.ts'
import type { Expression } from './expression.ts'
import type { GroupBy } from './plan.ts'
import { keyOfValue, type SqlValue } from './types.ts'
import { type Chunk, type Evaluation, expectValue, flat, type Vector, valueAt } from './vector.ts'

/** Groups of a statement; 500,000 with a text and a count each take some 60 MB. */
const MAX_GROUPS = 500_000

/** The number of a pair of groups: those of the keys before, and of the next key. */
const GROUP_LIMIT = 2 ** 26

/** Groups rows by keys, and computes aggregates of the groups. */
export class Groups {
  readonly #keys: readonly Expression[]
  readonly #numbers: KeyNumbers[]
  /** The group of each pair of the group of the keys before and the number of the next key. */
  readonly #pairs: Map<number, number>[]
  readonly #aggregates: { of: GroupBy['aggregates'][number]; accumulator: GroupAccumulator }[]
  /** The values of each key, by group. */
  readonly #values: SqlValue[][]
  readonly #kept: Kept
  #size: number

  constructor({ keys, aggregates }: GroupBy, kept: Kept) {
    this.#keys = keys
    this.#kept = kept
    this.#numbers = keys.map(() => new KeyNumbers())
    this.#pairs = keys.slice(1).map(() => new Map())
    this.#values = keys.map(() => [])
    this.#aggregates = aggregates.map((of) => ({ of, accumulator: accumulatorOf(of, kept) }))
    // Without keys, there is one group, even without rows.
    this.#size = keys.length === 0 ? 1 : 0
  }

  /** Adds the rows of a mask. @throws query_too_large; StatementError for a failed value */
  add(evaluation: Evaluation, mask: Uint8Array): void {
    const groups = this.#groupsOf(evaluation, mask)
    for (const { of, accumulator } of this.#aggregates) {
      const counted = of.condition ? only(groups, evaluation.maskOf(of.condition)) : groups
      const args = of.args.map((arg) => evaluation.of(arg))
      accumulator.add(counted, args, evaluation.weights)
    }
  }

  /** Returns the groups as rows: the keys, then the results of the aggregates. */
  toChunk(): Chunk {
    const groups = Array.from({ length: this.#size }, (_, group) => group)
    const results = this.#aggregates.map(({ accumulator }) =>
      groups.map((group) => accumulator.resultOf(group))
    )
    const columns = [...this.#values, ...results].map(
      (values, place) => [JSON.stringify({ kind: 'row', place }), flat(values)] as const
    )
    return { length: this.#size, columns: new Map(columns) }
  }

  /** Returns the group of each row of a mask; -1 for the others. */
  #groupsOf(evaluation: Evaluation, mask: Uint8Array): Int32Array {
    const vectors = this.#keys.map((key) => evaluation.of(key))
    const groups = new Int32Array(mask.length)
    for (let row = 0; row < groups.length; row += 1) {
      groups[row] = mask[row] === 0 ? -1 : 0
    }
    for (const [i, vector] of vectors.entries()) {
      const numbers = this.#numbers[i]?.list(vector, groups) ?? groups
      const pairs = this.#pairs[i - 1]
      if (pairs) {
        pairUp(groups, numbers, pairs)
      } else {
        groups.set(numbers)
      }
    }
    for (let row = 0; row < groups.length; row += 1) {
      const group = groups[row] ?? -1
      if (group >= this.#size) {
        this.#note(group, vectors, row)
      }
    }
    return groups
  }

  /** Notes the keys of a new group. */
  #note(group: number, vectors: readonly Vector[], row: number): void {
    this.#size = group + 1
    this.#kept.add()
    if (this.#size > MAX_GROUPS) {
      throw new AppError(
        'query_too_large',
        `The statement has more than ${MAX_GROUPS} groups: choose a shorter range, or another GROUP BY.`,
        'groups'
      )
    }
    for (const [i, vector] of vectors.entries()) {
      const values = this.#values[i]
      const value = valueAt(vector, row)
      this.#kept.add(excessOf(value))
      if (values) {
        values[group] = value
      }
    }
  }
}

/** Returns the groups of the rows in a mask; the other rows do not count. */
function only(groups: Int32Array, mask: Uint8Array): Int32Array {
  const kept = groups.slice()
  for (let row = 0; row < kept.length; row += 1) {
    if (mask[row] === 0) {
      kept[row] = -1
    }
  }
  return kept
}

/** Places of a table of pairs, which is faster than a map, if they are at most so many. */
const MAX_TABLE = 2 ** 18

/** Replaces groups with those of the pairs of them and of the numbers of the next key. */
function pairUp(groups: Int32Array, numbers: Int32Array, pairs: Map<number, number>): void {
  const [height, width] = [1 + greatestOf(groups), 1 + greatestOf(numbers)]
  const table = new Int32Array(height * width <= MAX_TABLE ? height * width : 0).fill(-1)
  for (let row = 0; row < groups.length; row += 1) {
    const before = groups[row] ?? -1
    if (before < 0) {
      continue
    }
    const number = numbers[row] ?? 0
    const place = before * width + number
    let group = table[place] ?? -1
    if (group < 0) {
      const pair = before * GROUP_LIMIT + number
      group = pairs.get(pair) ?? pairs.size
      pairs.set(pair, group)
      table[place] = group
    }
    groups[row] = group
  }
}

function greatestOf(numbers: Int32Array): number {
  let greatest = -1
  for (let i = 0; i < numbers.length; i += 1) {
    greatest = Math.max(greatest, numbers[i] ?? -1)
  }
  return greatest
}

/** Numbers the values of a key. */
class KeyNumbers {
  readonly #numbers = new Map<SqlValue, number>()

  /** Returns the number of the value of each row that has a group; -1 for the others. */
  list(vector: Vector, groups: Int32Array): Int32Array {
    const { codes, values, isConstant } = vector
    const listed = new Int32Array(groups.length)
    // The number of each value of the dictionary; -1 until a row has it.
    const known = new Int32Array(codes || isConstant ? values.length : 0).fill(-1)
    for (let row = 0; row < listed.length; row += 1) {
      if ((groups[row] ?? -1) < 0) {
        listed[row] = -1
        continue
      }
      const code = codes?.[row] ?? (isConstant ? 0 : row)
      let number = known[code] ?? -1
      if (number < 0) {
        number = this.#numberOf(values[code] ?? null)
        known[code] = number
      }
      listed[row] = number
    }
    return listed
  }

  #numberOf(given: SqlValue): number {
    const key = keyOfValue(expectValue(given))
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      return known
    }
    const number = this.#numbers.size
    this.#numbers.set(key, number)
    return number
  }
}
