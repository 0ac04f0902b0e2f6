import { AppError } from '../../errors.ts'
import type { Piece, Rows } from '../../trends/maths/accumulator.ts'
import { BEFORE } from '../../trends/maths/firsts.ts'
import { PairMarks } from '../../trends/maths/marks.ts'
import type { RetentionCells } from './cells.ts'

export type MembersOptions = {
  /** The periods that have a row: those from 0 on. */
  rows: number
  /** The column of each distance from a row's period, in periods. */
  columnOf: Uint16Array
  /** Events that an actor needs in a period to have come back in it. */
  minimum: number
  /** Whether a member counts in all columns up to the last one in which it came back. */
  isCumulative: boolean
  /**
   * Whether each actor is in one row only, and comes back with an event of any group. Otherwise an
   * actor is in rows with each group, and comes back with an event of the same group.
   */
  isFirstOnly: boolean
  cells: RetentionCells
  /** Returns in which table a member counts. */
  tableOf: (group: number, actor: number) => number
}

/* The numbers that are kept of a member. */
const TABLE = 0
/** The last period with an event by which the member may have come back, counted from 1. */
const PERIOD = 1
/** How many such events the period has, up to `minimum`. */
const EVENTS = 2
/** The last period in which the member came back, counted from 1. */
const RETURN = 3
/** The row of a member that is in one row only; otherwise the first of the words whose bits are rows. */
const ROWS = 4

/** A word has 32 bits. */
const WORD_BITS = 5
const WORD = 2 ** WORD_BITS

/** Members are in chunks, so that there is never a list to copy. */
const CHUNK_BITS = 12
const CHUNK_MEMBERS = 2 ** CHUNK_BITS
const NO_CHUNK = new Int32Array()

/** Comes after all rows. */
const NO_ROW = Number.MAX_SAFE_INTEGER

/**
 * Numbers that are kept of all members, in 48 MB: enough for a million actors in 256 rows, or two
 * million in 64.
 */
const MAX_NUMBERS = 12_000_000

/**
 * Finds who is in which row of a retention table, and in which later periods they come back. A
 * member is an actor or, with a breakdown that both events have, an actor with a group. Both kinds
 * of events come in the order of periods, and in any order within a period.
 */
export class Members {
  readonly #options: MembersOptions
  /** How many numbers are kept of a member. */
  readonly #width: number
  /** The number of each member, counted from 1. */
  readonly #numbers = new PairMarks()
  readonly #chunks: Int32Array[] = []
  #size = 0

  constructor(options: MembersOptions) {
    this.#options = options
    this.#width = ROWS + (options.isFirstOnly ? 1 : Math.ceil(options.rows / WORD))
  }

  /**
   * Adds events that make their actors members of the period's row.
   * @throws query_too_large, attr `actors`
   */
  addTargets({ groups, subjects }: Rows, from: number, until: number, { point }: Piece): void {
    if (point >= this.#options.rows) {
      return
    }
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0) {
        this.#join(group, subjects[i] ?? 0, point)
      }
    }
  }

  /** Adds events by which members of earlier rows come back. */
  addReturns({ groups, subjects }: Rows, from: number, until: number, { point }: Piece): void {
    if (point === BEFORE) {
      return
    }
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0) {
        this.#return(group, subjects[i] ?? 0, point)
      }
    }
  }

  #join(group: number, actor: number, row: number): void {
    const { isFirstOnly, cells } = this.#options
    let number = this.#numbers.get(isFirstOnly ? 0 : group, actor)
    if (number === 0) {
      number = this.#add(group, actor)
    }
    const chunk = this.#chunkOf(number)
    const at = this.#placeOf(number)
    if (isFirstOnly) {
      chunk[at + ROWS] = row
    } else {
      const word = at + ROWS + (row >>> WORD_BITS)
      const bits = chunk[word] ?? 0
      const bit = 1 << (row & (WORD - 1))
      if ((bits & bit) !== 0) {
        return
      }
      chunk[word] = bits | bit
    }
    cells.count(cells.of(chunk[at + TABLE] ?? 0), row, 0, 0)
  }

  #return(group: number, actor: number, period: number): void {
    const { isFirstOnly, minimum } = this.#options
    const number = this.#numbers.get(isFirstOnly ? 0 : group, actor)
    if (number === 0) {
      return
    }
    const chunk = this.#chunkOf(number)
    const at = this.#placeOf(number)
    const events = chunk[at + PERIOD] === period + 1 ? (chunk[at + EVENTS] ?? 0) : 0
    if (events === minimum) {
      return
    }
    chunk[at + PERIOD] = period + 1
    chunk[at + EVENTS] = events + 1
    if (events + 1 === minimum) {
      this.#comeBack(chunk, at, period)
      chunk[at + RETURN] = period + 1
    }
  }

  /** Counts the return of a member in each of its rows that has a column for the period. */
  #comeBack(chunk: Int32Array, at: number, period: number): void {
    const { columnOf, isFirstOnly, isCumulative, cells } = this.#options
    const differences = cells.of(chunk[at + TABLE] ?? 0)
    const last = (chunk[at + RETURN] ?? 0) - 1
    const first = Math.max(0, period - columnOf.length + 1)
    for (let row = this.#rowFrom(chunk, at, first); row < period; ) {
      const before = last > row ? (columnOf[last - row] ?? 0) : 0
      const column = columnOf[period - row] ?? 0
      if (column > before) {
        cells.count(differences, row, isCumulative ? before + 1 : column, column)
      }
      row = isFirstOnly ? NO_ROW : this.#rowFrom(chunk, at, row + 1)
    }
  }

  /** Returns the first row of a member from a row on; `NO_ROW` if there is none. */
  #rowFrom(chunk: Int32Array, at: number, from: number): number {
    if (this.#options.isFirstOnly) {
      const row = chunk[at + ROWS] ?? 0
      return row >= from ? row : NO_ROW
    }
    const words = this.#width - ROWS
    let word = from >>> WORD_BITS
    let bits = word < words ? (chunk[at + ROWS + word] ?? 0) & (-1 << (from & (WORD - 1))) : 0
    while (bits === 0) {
      word += 1
      if (word >= words) {
        return NO_ROW
      }
      bits = chunk[at + ROWS + word] ?? 0
    }
    return (word << WORD_BITS) + WORD - 1 - Math.clz32(bits & -bits)
  }

  #add(group: number, actor: number): number {
    const { isFirstOnly, rows, tableOf } = this.#options
    const before = this.#size
    if ((before + 1) * this.#width > MAX_NUMBERS) {
      throw new AppError(
        'query_too_large',
        `The question has more than ${before} different actors, the most for ${rows} periods: choose a shorter range or a longer period.`,
        'actors'
      )
    }
    const number = before + 1
    if ((number & (CHUNK_MEMBERS - 1)) === 0 || before === 0) {
      this.#chunks.push(new Int32Array(CHUNK_MEMBERS * this.#width))
    }
    this.#size = number
    this.#numbers.set(isFirstOnly ? 0 : group, actor, number)
    this.#chunkOf(number)[this.#placeOf(number) + TABLE] = tableOf(group, actor)
    return number
  }

  #chunkOf(number: number): Int32Array {
    return this.#chunks[number >>> CHUNK_BITS] ?? NO_CHUNK
  }

  /** Returns where the numbers of a member begin in its chunk. */
  #placeOf(number: number): number {
    return (number & (CHUNK_MEMBERS - 1)) * this.#width
  }
}
