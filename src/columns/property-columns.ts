import { isObject, type Json } from '../input/json.ts'
import { pause } from '../turns.ts'
import { encodeColumn, encodeNames } from './codec.ts'
import { Dictionary } from './dictionary.ts'

export type EncodedColumn = { name: string; data: string }

const MAX_COLUMNS = 64

/**
 * Maximum number of properties whose values are gathered: the first ones to appear. Each takes 4
 * bytes per row until the end.
 */
const MAX_GATHERED = 128

/**
 * Maximum number of bytes of different values, of all properties together, that are kept in memory.
 */
const MAX_GATHERED_BYTES = 16_000_000

/**
 * Maximum number of names of properties without a column. With more, none is listed; the list
 * usually takes less than 10 kB.
 */
const MAX_COLD = 500

/** Longest name that gets a column, UTF-16 units; with a longer one, no names are listed. */
const MAX_NAME = 200

/** Largest column, bytes: a trend of 90 days and ten million events reads a hundred of them. */
const MAX_COLUMN_BYTES = 512_000

const MIN_SHARE = 0.01

/**
 * Largest share of the bytes of different values in the bytes of all values at which a property
 * gets a column, unless all its values are numbers. In 2,048 events with 5,000 possible URLs the
 * share is 0.82, and falls when segments are merged; it is 1 for ids and free text.
 */
const MAX_DIFFERENT = 0.9

/**
 * Maximum number of bytes of columns written in one transaction, unless a single column is larger.
 */
const MAX_WRITTEN_BYTES = 1_000_000

type Places = {
  placeOfColumn(name: string): string
  /** @param names the names of the properties with a column */
  placeOfCold(names: readonly string[]): string
}

/** Gathers the properties of events or persons, row by row, and makes columns of some of them. */
export class PropertyColumns {
  /** The values of the properties that may get a column, by name. */
  readonly #properties = new Map<string, Dictionary>()
  readonly #names = new Set<string>()
  /** Whether `#names` has the names of all properties. */
  #isComplete = true

  /** Adds the properties of a row; anything but an object has none. */
  add(row: number, properties: Json): void {
    if (!isObject(properties)) {
      return
    }
    for (const [name, value] of Object.entries(properties)) {
      if (!this.#names.has(name)) {
        this.#addName(name)
      }
      this.#properties.get(name)?.set(row, value)
    }
  }

  /** Gives up all columns and names, because the next rows' properties are not added. */
  leaveOut(): void {
    this.#properties.clear()
    this.#isComplete = false
  }

  /**
   * Gives up columns, from the one whose different values take the most bytes on, until each of the
   * others can fit into a column and all of them fit into memory.
   */
  dropLargest(): void {
    const largestFirst = [...this.#properties].sort(([, a], [, b]) => b.bytes - a.bytes)
    let total = largestFirst.reduce((sum, [, { bytes }]) => sum + bytes, 0)
    for (const [name, { bytes }] of largestFirst) {
      if (total <= MAX_GATHERED_BYTES && bytes <= MAX_COLUMN_BYTES) {
        return
      }
      this.#properties.delete(name)
      total -= bytes
    }
  }

  /**
   * Makes the columns of this number of rows, each when the iteration reaches it. `cold` lists the
   * properties without a column, and is null if the list would be too long or not complete.
   */
  finish(
    rows: number,
    { placeOfColumn, placeOfCold }: Places
  ): { cold: string | null; columns: Iterable<EncodedColumn> } {
    const chosen = this.#choose(rows)
    const cold = [...this.#names].filter((name) => !chosen.has(name)).sort()
    const isListed = this.#isComplete && cold.length <= MAX_COLD
    return {
      cold: isListed ? encodeNames(cold, placeOfCold([...chosen.keys()])) : null,
      columns: encodeEach(chosen, rows, placeOfColumn)
    }
  }

  #addName(name: string): void {
    if (name.length > MAX_NAME || this.#names.size === MAX_COLD + MAX_COLUMNS) {
      this.#isComplete = false
      return
    }
    this.#names.add(name)
    if (this.#names.size <= MAX_GATHERED) {
      this.#properties.set(name, new Dictionary())
    }
  }

  #choose(rows: number): Map<string, Dictionary> {
    const worthy = [...this.#properties].filter(
      ([, values]) =>
        values.rows >= MIN_SHARE * rows &&
        values.encodedBytes(rows) <= MAX_COLUMN_BYTES &&
        (values.isNumeric || values.bytes <= MAX_DIFFERENT * values.copied)
    )
    return new Map(worthy.sort(([, a], [, b]) => b.rows - a.rows).slice(0, MAX_COLUMNS))
  }
}

function* encodeEach(
  chosen: Map<string, Dictionary>,
  rows: number,
  placeOfColumn: Places['placeOfColumn']
): Generator<EncodedColumn> {
  for (const [name, values] of chosen) {
    yield { name, data: encodeColumn(values.finish(rows), placeOfColumn(name)) }
  }
}

/**
 * Groups columns into transactions of at most 1 MB, or of one column. Other requests get a turn
 * after each column, which takes some milliseconds to make.
 */
export async function* groupColumns(
  columns: Iterable<EncodedColumn>
): AsyncGenerator<EncodedColumn[]> {
  let group: EncodedColumn[] = []
  let bytes = 0
  for (const column of columns) {
    await pause(0)
    if (group.length > 0 && bytes + column.data.length > MAX_WRITTEN_BYTES) {
      yield group
      group = []
      bytes = 0
    }
    group.push(column)
    bytes += column.data.length
  }
  if (group.length > 0) {
    yield group
  }
}
