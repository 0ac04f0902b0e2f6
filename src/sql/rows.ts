import { AppError } from '../errors.ts'
import { sizeOfText } from './aggregates/accumulator.ts'
import { type Expression, walk } from './expression.ts'
import { compareValues } from './functions/compare.ts'
import type { SelectPlan } from './plan.ts'
import { isReadInOrder } from './table-rows.ts'
import { charactersIn, type Some, type SqlValue, ValueFailure } from './types.ts'
import { type Evaluation, expectValue, valueAt } from './vector.ts'

/** Cells that rows may have before they are cut to the limit. */
const MAX_CELLS = 4_000_000

/** Characters of the long values in the rows: all of them are in memory at once. */
const MAX_CHARACTERS = 20_000_000

/** A row of an answer, the values by which it is ordered, and those of LIMIT … BY. */
export type AnswerRow = { cells: SqlValue[]; order: SqlValue[]; group: SqlValue[] }

/** Writes the ids that some values stand for. */
export type WriteIds = (rows: readonly AnswerRow[]) => Promise<void>

/** Gathers the rows of a SELECT, and cuts them to its limit. */
export class AnswerRows {
  readonly #plan: SelectPlan
  /** Rows that are needed, with one more that tells whether there are more. */
  readonly #most: number
  readonly #seen = new Set<string>()
  /** The sum of `sizeOfText` of the rows in `#seen`. */
  #seenSize = 0
  /** The places of values that can be long. */
  readonly #long: { [List in keyof AnswerRow]: readonly number[] }
  #rows: AnswerRow[] = []
  #characters = 0

  constructor(plan: SelectPlan, limit: number | undefined) {
    this.#plan = plan
    this.#most = limit === undefined ? Number.POSITIVE_INFINITY : plan.offset + limit + 1
    const cells = plan.columns.map(({ expression }) => expression)
    const order = plan.orderBy.map(({ expression }) => expression)
    const group = plan.limitBy?.keys ?? []
    this.#long = {
      cells: longIn(cells, []),
      order: longIn(order, cells),
      group: longIn(group, [...cells, ...order])
    }
  }

  /** Adds the rows of a mask. @returns whether more rows can change the answer */
  add(evaluation: Evaluation, mask: Uint8Array): boolean {
    const { columns, orderBy, limitBy, isDistinct } = this.#plan
    const cells = columns.map(({ expression }) => evaluation.of(expression))
    const order = orderBy.map(({ expression }) => evaluation.of(expression))
    const groups = (limitBy?.keys ?? []).map((key) => evaluation.of(key))
    const read = (vectors: typeof cells, row: number): SqlValue[] =>
      vectors.map((vector) => expectValue(valueAt(vector, row)))
    for (let row = 0; row < mask.length; row += 1) {
      if (mask[row] === 0) {
        continue
      }
      const added = { cells: read(cells, row), order: read(order, row), group: read(groups, row) }
      if (!isDistinct || this.#isNew(added.cells)) {
        this.#rows.push(added)
        this.#characters += this.#charactersOf(added)
      }
      if (this.#isFull()) {
        return false
      }
      this.#cut()
    }
    return !this.#isSettled()
  }

  /** Returns the rows in their order, cut to the limit and one more. */
  finish(): AnswerRow[] {
    this.#sort()
    const { limitBy, offset } = this.#plan
    const kept = limitBy ? onlyFirst(this.#rows, limitBy.count) : this.#rows
    return kept.slice(offset, this.#most)
  }

  /** All rows so far, for writing the ids by which they are ordered. */
  get all(): readonly AnswerRow[] {
    return this.#rows
  }

  /** Without an order, the first rows are the answer. */
  #isFull(): boolean {
    const { orderBy, limitBy } = this.#plan
    return orderBy.length === 0 && !limitBy && this.#rows.length >= this.#most
  }

  /** Whether all further rows come after those of the answer, or have equal rights to be in it. */
  #isSettled(): boolean {
    const rows = this.#rows
    return (
      rows.length > this.#most &&
      isReadInOrder(this.#plan) &&
      (this.#plan.orderBy.length === 1 || rows[this.#most - 1]?.order[0] !== rows.at(-1)?.order[0])
    )
  }

  /** Drops rows beyond the limit now and then. @throws query_too_large, attr `limit` */
  #cut(): void {
    const { limitBy, columns, orderBy } = this.#plan
    const canCut = !limitBy && !orderBy.some(({ expression }) => isId(expression.type.base))
    const isMany = this.#rows.length > 2 * this.#most + 10_000
    const isLong = this.#characters > MAX_CHARACTERS && this.#rows.length > this.#most
    if (canCut && (isMany || isLong)) {
      this.#sort()
      this.#rows = this.#rows.slice(0, this.#most)
      this.#characters = this.#rows.reduce((sum, row) => sum + this.#charactersOf(row), 0)
    }
    if (this.#characters > MAX_CHARACTERS) {
      throw new AppError(
        'query_too_large',
        `The rows would have more than ${MAX_CHARACTERS} characters of properties, lists and joined texts: add a smaller LIMIT, or name properties, such as properties.$browser.`,
        'limit'
      )
    }
    const width = columns.length + orderBy.length + 1
    const rows = Math.max(this.#rows.length, this.#seen.size)
    if (Math.max(rows * width, this.#seenSize) > MAX_CELLS) {
      throw new AppError(
        'query_too_large',
        `The statement would keep more than ${MAX_CELLS} values: add a LIMIT, or narrow timestamp.`,
        'limit'
      )
    }
  }

  /** Counts the characters of the values of a row that can be long. */
  #charactersOf({ cells, order, group }: AnswerRow): number {
    const count = (values: readonly SqlValue[], places: readonly number[]): number =>
      places.reduce((sum, place) => sum + charactersIn(values[place] ?? null), 0)
    return (
      count(cells, this.#long.cells) +
      count(order, this.#long.order) +
      count(group, this.#long.group)
    )
  }

  #isNew(cells: readonly SqlValue[]): boolean {
    const key = JSON.stringify(cells)
    if (this.#seen.has(key)) {
      return false
    }
    this.#seen.add(key)
    this.#seenSize += sizeOfText(key)
    return true
  }

  #sort(): void {
    const { orderBy } = this.#plan
    if (orderBy.length === 0) {
      return
    }
    this.#rows.sort((a, b) => {
      for (const [i, { expression, isDescending, hasNullsFirst }] of orderBy.entries()) {
        const { base } = expression.type
        const [left, right] = [a.order[i] ?? null, b.order[i] ?? null]
        const order = compareNullable(left, right, { isDescending, hasNullsFirst }, (x, y) =>
          compareValues(base, x, y)
        )
        if (order !== 0) {
          return order
        }
      }
      return 0
    })
  }
}

/** Returns the places of expressions that can be long and are not among others. */
const longIn = (
  expressions: readonly Expression[],
  others: readonly Expression[]
): readonly number[] =>
  expressions.flatMap((expression, place) => {
    const isOther = others.some(({ key }) => key === expression.key)
    return canBeLong(expression) && !isOther ? [place] : []
  })

/** Whether a value is made of whole properties, or by a function that makes its arguments longer. */
const canBeLong = (expression: Expression): boolean =>
  [...walk(expression)].some(
    (inner) =>
      (inner.kind === 'column' && inner.field.kind === 'properties') ||
      (inner.kind === 'call' && inner.grows === true)
  )

export const isId = (base: string): boolean => base === 'actor' || base === 'identity'

/** Nulls come last in both directions, and NaN before them. */
function compareNullable(
  a: SqlValue,
  b: SqlValue,
  { isDescending, hasNullsFirst }: { isDescending: boolean; hasNullsFirst: boolean },
  compare: (a: Some, b: Some) => number
): number {
  if (a === null || b === null || a instanceof ValueFailure || b instanceof ValueFailure) {
    const order = Number(a === null) - Number(b === null)
    return hasNullsFirst ? -order : order
  }
  if (Number.isNaN(a) || Number.isNaN(b)) {
    return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
  }
  return compare(a, b) * (isDescending ? -1 : 1)
}

/** Keeps the first rows of each group. */
function onlyFirst(rows: readonly AnswerRow[], count: number): AnswerRow[] {
  const counts = new Map<string, number>()
  return rows.filter(({ group }) => {
    const key = JSON.stringify(group)
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    return before < count
  })
}
