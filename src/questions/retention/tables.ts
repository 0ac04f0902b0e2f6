import type { RetentionColumns } from './columns.ts'
import type { Members } from './members.ts'

/** Which columns count a member that comes back. */
export type Returning = {
  columns: Pick<RetentionColumns, 'labels' | 'ofDistance'>
  /** Whether a member counts in all columns up to the last one in which it came back. */
  isCumulative: boolean
}

/** Counts members in the cells of tables, which are lists of rows. */
class CellCounter {
  readonly #members: Members
  readonly #returning: Returning
  readonly #width: number
  /** Memory for the rows and the returns of a member, which are in order. */
  readonly #rows: Int32Array
  readonly #returns: Int32Array

  constructor(members: Members, returning: Returning) {
    this.#members = members
    this.#returning = returning
    this.#width = returning.columns.labels.length
    this.#rows = new Int32Array(members.rows)
    this.#returns = new Int32Array(members.periods)
  }

  newTable(): Int32Array {
    return new Int32Array(this.#members.rows * this.#width)
  }

  /** Counts a member in each of its rows. */
  add(place: number, table: Int32Array): void {
    const rows = this.#members.listRows(place, this.#rows)
    const returns = this.#members.listReturns(place, this.#returns)
    let next = 0
    for (let i = 0; i < rows; i += 1) {
      const row = this.#rows[i] ?? 0
      increase(table, row * this.#width)
      while (next < returns && (this.#returns[next] ?? 0) <= row) {
        next += 1
      }
      this.#addReturns(row, next, returns, table)
    }
  }

  /** Counts the returns of a member from place `from` up to `until` in a row before them. */
  #addReturns(row: number, from: number, until: number, table: Int32Array): void {
    const { columns, isCumulative } = this.#returning
    const end = row + columns.ofDistance.length
    let last = 0
    for (let i = from; i < until && (this.#returns[i] ?? 0) < end; i += 1) {
      const column = columns.ofDistance[(this.#returns[i] ?? 0) - row] ?? 0
      // A column of several periods counts a member once.
      if (column > last) {
        for (let each = isCumulative ? last + 1 : column; each <= column; each += 1) {
          increase(table, row * this.#width + each)
        }
        last = column
      }
    }
  }
}

function increase(numbers: Int32Array, at: number): void {
  numbers[at] = (numbers[at] ?? 0) + 1
}

/** Counts members in a table for each group. The cells of a row are next to each other. */
export function countTables(members: Members, returning: Returning): Map<number, Int32Array> {
  const counter = new CellCounter(members, returning)
  const tables = new Map<number, Int32Array>()
  for (let place = 0; place < members.size; place += 1) {
    const group = members.groupOf(place)
    const table = tables.get(group) ?? counter.newTable()
    if (!tables.has(group)) {
      tables.set(group, table)
    }
    counter.add(place, table)
  }
  return tables
}

/** Returns a function that lists the columns that count a member of the only row. */
export function appearancesIn(members: Members, returning: Returning): (place: number) => number[] {
  const counter = new CellCounter(members, returning)
  return (place) => {
    const table = counter.newTable()
    counter.add(place, table)
    return [...table.keys()].filter((column) => table[column] !== 0)
  }
}
