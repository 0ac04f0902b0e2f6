import { AppError } from '../errors.ts'
import type { GroupAccumulator, Kept } from './aggregates/accumulator.ts'
import { accumulatorOf } from './aggregates/table.ts'
import type { Expression } from './expression.ts'
import type { GroupBy } from './plan.ts'
import type { SqlValue } from './types.ts'
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
      accumulator.add(
        counted,
        of.args.map((arg) => evaluation.of(arg))
      )
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

  #groupsOf(evaluation: Evaluation, mask: Uint8Array): Int32Array {
    const vectors = this.#keys.map((key) => evaluation.of(key))
    const groups = new Int32Array(mask.length)
    const numberers = vectors.map((vector, i) => this.#numbers[i]?.of(vector))
    for (let row = 0; row < groups.length; row += 1) {
      groups[row] = mask[row] === 0 ? -1 : this.#groupOf(numberers, vectors, row)
    }
    return groups
  }

  #groupOf(
    numberers: readonly (((row: number) => number) | undefined)[],
    vectors: readonly Vector[],
    row: number
  ): number {
    let group = numberers[0]?.(row) ?? 0
    for (const [i, pairs] of this.#pairs.entries()) {
      const pair = group * GROUP_LIMIT + (numberers[i + 1]?.(row) ?? 0)
      const known = pairs.get(pair)
      group = known ?? pairs.size
      if (known === undefined) {
        pairs.set(pair, group)
      }
    }
    if (group >= this.#size) {
      this.#note(group, vectors, row)
    }
    return group
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
      if (values) {
        values[group] = valueAt(vector, row)
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

/** Numbers the values of a key. */
class KeyNumbers {
  readonly #numbers = new Map<SqlValue, number>()

  /** Returns a function that numbers the value of a row. */
  of(vector: Vector): (row: number) => number {
    const { codes, values } = vector
    if (!codes) {
      return (row) => this.#numberOf(valueAt(vector, row))
    }
    const known = new Int32Array(values.length).fill(-1)
    return (row) => {
      const code = codes[row] ?? 0
      if (known[code] === -1) {
        known[code] = this.#numberOf(values[code] ?? null)
      }
      return known[code] ?? 0
    }
  }

  #numberOf(given: SqlValue): number {
    const value = expectValue(given)
    const key = Array.isArray(value) ? JSON.stringify(value) : value
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      return known
    }
    const number = this.#numbers.size
    this.#numbers.set(key, number)
    return number
  }
}
