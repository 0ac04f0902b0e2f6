import { AppError } from '../../errors.ts'

/** Numbers in the cells of all tables, in 48 MB: enough for 500,000 tables of one row with 24 columns. */
const MAX_NUMBERS = 12_000_000

/**
 * The cells of retention tables, one for each value of a breakdown or for each actor. A cell holds
 * the difference from the cell on its left, so that a run of cells takes two steps to count.
 */
export class RetentionCells {
  readonly #columns: number
  readonly #numbers: number
  /** The tables by number, which has few gaps. */
  readonly #tables: (Int32Array | undefined)[] = []
  #size = 0

  constructor(rows: number, columns: number) {
    this.#columns = columns
    this.#numbers = rows * (columns + 1)
  }

  /** Returns the differences of a table; a row has one more of them than columns. */
  of(table: number): Int32Array {
    const known = this.#tables[table]
    if (known) {
      return known
    }
    if ((this.#size + 1) * this.#numbers > MAX_NUMBERS) {
      throw new AppError(
        'query_too_large',
        `More than ${this.#size} actors or values would be listed: choose a shorter range, a longer period or fewer periods.`,
        'actors'
      )
    }
    const fresh = new Int32Array(this.#numbers)
    this.#tables[table] = fresh
    this.#size += 1
    return fresh
  }

  /** Counts one actor in the columns from `from` to `until` of a row, which both belong to it. */
  count(differences: Int32Array, row: number, from: number, until: number): void {
    const start = row * (this.#columns + 1)
    differences[start + from] = (differences[start + from] ?? 0) + 1
    differences[start + until + 1] = (differences[start + until + 1] ?? 0) - 1
  }

  /** Returns the tables, each with the numbers of its rows. */
  *all(): Generator<[table: number, rows: number[][]]> {
    for (const [table, differences] of this.#tables.entries()) {
      if (!differences) {
        continue
      }
      const rows: number[][] = []
      for (let start = 0; start < differences.length; start += this.#columns + 1) {
        let number = 0
        rows.push(
          Array.from(differences.subarray(start, start + this.#columns), (difference) => {
            number += difference
            return number
          })
        )
      }
      yield [table, rows]
    }
  }
}
