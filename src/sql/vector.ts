import type { Codes } from '../columns/column.ts'
import { SLOT } from '../columns/slots/store.ts'
import { AppError } from '../errors.ts'
import type { Expression, FunctionCall } from './expression.ts'
import { StatementError } from './statement-error.ts'
import { charactersIn, isTrue, type SqlValue, ValueFailure } from './types.ts'

/**
 * The values of an expression, one for each row: row i has `values[codes[i]]`, or `values[i]`
 * without codes, or, if the vector is constant, `values[0]`.
 */
export type Vector = {
  codes: Codes | undefined
  values: ArrayLike<SqlValue>
  isConstant: boolean
}

export const constant = (value: SqlValue): Vector => ({
  codes: undefined,
  values: [value],
  isConstant: true
})

export const flat = (values: ArrayLike<SqlValue>): Vector => ({
  codes: undefined,
  values,
  isConstant: false
})

export const dictionary = (codes: Codes, values: ArrayLike<SqlValue>): Vector => ({
  codes,
  values,
  isConstant: false
})

export function valueAt({ codes, values, isConstant }: Vector, row: number): SqlValue {
  if (codes) {
    return values[codes[row] ?? 0] ?? null
  }
  return values[isConstant ? 0 : row] ?? null
}

/** Rows whose columns are known, by the keys of their expressions. */
export type Chunk = {
  length: number
  columns: ReadonlyMap<string, Vector>
  /** How many rows each row stands for; one if undefined. */
  weights?: ArrayLike<number>
}

/** Most pairs of different values for which a function is computed once per pair. */
const MAX_PAIRS = 16_384

/** Characters that functions make of a chunk: all of them are in memory at once. */
const MAX_CHARACTERS = 50_000_000

/**
 * Computes expressions for the rows of a chunk, each once. A function of one column is computed
 * once for each different value of it; one of several columns for each pair of values that occurs,
 * if the pairs are few.
 */
export class Evaluation {
  readonly length: number
  readonly weights: ArrayLike<number> | undefined
  readonly #known: Map<string, Vector>
  /** Characters of the values that functions have made longer than their arguments. */
  #characters = 0

  constructor({ length, columns, weights }: Chunk) {
    this.length = length
    this.weights = weights
    this.#known = new Map(columns)
  }

  of(expression: Expression): Vector {
    const known = this.#known.get(expression.key)
    if (known) {
      return known
    }
    const vector = this.#compute(expression)
    this.#known.set(expression.key, vector)
    return vector
  }

  /** Returns 1 for each row for which a condition holds. @throws StatementError */
  maskOf(condition: Expression): Uint8Array {
    const { codes, values, isConstant } = this.of(condition)
    const mask = new Uint8Array(this.length)
    if (isConstant) {
      return mask.fill(toFlag(values[0]))
    }
    if (!codes) {
      for (let i = 0; i < mask.length; i += 1) {
        mask[i] = toFlag(values[i])
      }
      return mask
    }
    // A value of the dictionary may occur in no row, so its failure counts only for a row.
    const flags = Int8Array.from(values, (value) =>
      value instanceof ValueFailure ? -1 : toFlag(value)
    )
    for (let i = 0; i < mask.length; i += 1) {
      const code = codes[i] ?? 0
      const flag = flags[code] ?? 0
      mask[i] = flag < 0 ? toFlag(values[code]) : flag
    }
    return mask
  }

  /** Returns the beginnings of the slots in which events happened, in place of their times. */
  #slotsOf(column: Expression): Vector {
    const key = `slots of ${column.key}`
    const known = this.#known.get(key)
    if (known) {
      return known
    }
    const times = this.of(column)
    if (!(times.values instanceof Float64Array)) {
      return times
    }
    const slots = toSlots(times.values)
    this.#known.set(key, slots)
    return slots
  }

  /** Counts the characters of the results of a function. */
  #counting(call: FunctionCall): FunctionCall {
    return {
      ...call,
      apply: (...values) => {
        const value = call.apply(...values)
        this.#characters += charactersIn(value)
        if (this.#characters > MAX_CHARACTERS) {
          throw new AppError(
            'query_too_large',
            `The statement would make more than ${MAX_CHARACTERS} characters of some rows: join or replace shorter texts.`,
            'rows'
          )
        }
        return value
      }
    }
  }

  #compute(expression: Expression): Vector {
    switch (expression.kind) {
      case 'constant':
        return constant(expression.value)
      case 'call':
        return applyTo(
          expression.grows ? this.#counting(expression) : expression,
          expression.args.map((arg) =>
            expression.isCoarse && isTimeOfRow(arg) ? this.#slotsOf(arg) : this.of(arg)
          ),
          this.length
        )
      default:
        throw new Error(`The column ${expression.key} was not read.`)
    }
  }
}

/** Whether an expression is the time of an event. */
export const isTimeOfRow = (expression: Expression): boolean =>
  expression.kind === 'column' && expression.field.kind === 'timestamp'

/** @throws StatementError for a failed condition */
const toFlag = (value: SqlValue | undefined): number => (isTrue(expectValue(value)) ? 1 : 0)

/** Returns a value. @throws StatementError for a failure */
export function expectValue(value: SqlValue | undefined): Exclude<SqlValue, ValueFailure> {
  if (value instanceof ValueFailure) {
    throw new StatementError(value.at, value.detail)
  }
  return value ?? null
}

/** Times follow each other in most rows, so that few slots are listed twice. */
function toSlots(times: Float64Array): Vector {
  const codes = new Uint32Array(times.length)
  const starts: number[] = []
  let last = Number.NaN
  for (let row = 0; row < codes.length; row += 1) {
    const slot = Math.floor((times[row] ?? 0) / SLOT)
    if (slot !== last) {
      starts.push(slot * SLOT)
      last = slot
    }
    codes[row] = starts.length - 1
  }
  return dictionary(codes, starts)
}

function applyTo(call: FunctionCall, vectors: readonly Vector[], length: number): Vector {
  const moving = vectors.filter(({ isConstant }) => !isConstant)
  const [first] = moving
  if (!first) {
    return constant(applyAt(call, vectors, 0))
  }
  if (first.codes && moving.every(({ codes }) => codes === first.codes)) {
    return dictionary(first.codes, applyEach(call, vectors, first.values.length))
  }
  const pairs = moving.reduce(
    (product, { codes, values }) => (codes ? product * values.length : Number.POSITIVE_INFINITY),
    1
  )
  return pairs <= Math.min(MAX_PAIRS, length)
    ? applyToPairs(call, vectors, { length, pairs })
    : flat(applyRows(call, vectors, length))
}

/** Calls a function with as many values as it has arguments: one more would be a null to it. */
function applyAt({ apply }: FunctionCall, vectors: readonly Vector[], row: number): SqlValue {
  const [a, b, c] = vectors
  if (!a || vectors.length > 3) {
    return apply(...vectors.map((vector) => valueAt(vector, row)))
  }
  if (!b) {
    return apply(valueAt(a, row))
  }
  return c
    ? apply(valueAt(a, row), valueAt(b, row), valueAt(c, row))
    : apply(valueAt(a, row), valueAt(b, row))
}

/** Computes a function for each value of the dictionary that all its columns share. */
function applyEach(call: FunctionCall, vectors: readonly Vector[], size: number): SqlValue[] {
  const lists = vectors.map((vector) => (vector.isConstant ? vector : flat(vector.values)))
  return applyRows(call, lists, size)
}

function applyRows(call: FunctionCall, vectors: readonly Vector[], length: number): SqlValue[] {
  const results: SqlValue[] = new Array(length)
  for (let row = 0; row < length; row += 1) {
    results[row] = applyAt(call, vectors, row)
  }
  return results
}

/** Computes a function once for each combination of values that occurs. */
function applyToPairs(
  call: FunctionCall,
  vectors: readonly Vector[],
  { length, pairs }: { length: number; pairs: number }
): Vector {
  const codes = new Uint32Array(length)
  for (const { codes: own, values, isConstant } of vectors) {
    if (isConstant || !own) {
      continue
    }
    for (let row = 0; row < length; row += 1) {
      codes[row] = (codes[row] ?? 0) * values.length + (own[row] ?? 0)
    }
  }
  const results: SqlValue[] = new Array(pairs).fill(null)
  const isKnown = new Uint8Array(pairs)
  for (let row = 0; row < length; row += 1) {
    const code = codes[row] ?? 0
    if (isKnown[code] === 0) {
      isKnown[code] = 1
      results[code] = applyAt(call, vectors, row)
    }
  }
  return dictionary(codes, results)
}
