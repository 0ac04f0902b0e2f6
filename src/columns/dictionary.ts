import { byteLength, type Json } from '../input/json.ts'
import { codeWidthOf } from './codec.ts'
import type { Column } from './column.ts'

/** Makes a column of the values of rows. */
export function toColumn(values: readonly Json[]): Column {
  const dictionary = new Dictionary()
  for (let row = 0; row < values.length; row += 1) {
    dictionary.set(row, values[row] ?? null)
  }
  return dictionary.finish(values.length)
}

/** Gathers the values of one column, each different value once. */
export class Dictionary {
  #codes = new Uint32Array(0)
  /** The value of each code. Code 0 stands for no value; `finish` drops it if every row has one. */
  readonly #values: Json[] = [null]
  /** The bytes of each value as JSON. */
  readonly #sizes: number[] = ['null'.length]
  readonly #codeOf = new Map<Json, number>()
  /** The codes of arrays and objects, by their JSON. */
  readonly #codeOfJson = new Map<string, number>()
  #rows = 0
  #copied = 0
  #bytes = 0
  #isNumeric = true

  /** Sets the value of a row; rows left out have none. */
  set(row: number, value: Json): void {
    if (value === null) {
      return
    }
    const code = this.#codeFor(value)
    this.#codes = withRoom(this.#codes, row)
    this.#codes[row] = code
    this.#rows += 1
    this.#copied += this.#sizes[code] ?? 0
  }

  /** The number of rows that have a value. */
  get rows(): number {
    return this.#rows
  }

  /** The bytes of the values as JSON, repeated ones included. */
  get copied(): number {
    return this.#copied
  }

  /** The bytes of the different values as JSON. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether all values are numbers. */
  get isNumeric(): boolean {
    return this.#isNumeric
  }

  /** Returns how many bytes the encoded column of this number of rows takes at most. */
  encodedBytes(rows: number): number {
    const codes = Math.ceil((rows * codeWidthOf(this.#values.length)) / 3) * 4
    // Commas, the null of code 0, and the rest: width, newline and brackets.
    return codes + this.#bytes + this.#values.length + 'null'.length + '0\n[]'.length
  }

  /** Returns the column of this number of rows. */
  finish(rows: number): Column {
    const codes = withRoom(this.#codes, rows).slice(0, rows)
    if (this.#rows < rows) {
      return { codes, values: this.#values }
    }
    // Every row has a value, so none needs the code of a missing one.
    return { codes: codes.map((code) => code - 1), values: this.#values.slice(1) }
  }

  #codeFor(value: Json): number {
    const isNested = typeof value === 'object'
    const json = isNested ? JSON.stringify(value) : undefined
    const known = json === undefined ? this.#codeOf.get(value) : this.#codeOfJson.get(json)
    if (known !== undefined) {
      return known
    }
    const code = this.#values.length
    if (json === undefined) {
      this.#codeOf.set(value, code)
    } else {
      this.#codeOfJson.set(json, code)
    }
    const size = byteLength(json ?? JSON.stringify(value))
    this.#values.push(value)
    this.#sizes.push(size)
    this.#bytes += size
    this.#isNumeric &&= typeof value === 'number'
    return code
  }
}

/** Returns an array with a place for this index. It grows by half, so that adding stays quick. */
export function withRoom(
  numbers: Uint32Array<ArrayBuffer>,
  index: number
): Uint32Array<ArrayBuffer> {
  if (index < numbers.length) {
    return numbers
  }
  const larger = new Uint32Array(Math.max(1_024, Math.ceil(index * 1.5)))
  larger.set(numbers)
  return larger
}
