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
      const number = group >= 0 ? this.#numberOf(group, subjects[i] ?? 0) : 0
      if (number !== 0) {
        this.#return(number, point)
      }
    }
  }

  /**
   * Adds events that are both, in one pass over the members' memory.
   * @throws query_too_large, attr `actors`
   */
  addBoth(rows: Rows, from: number, until: number, piece: Piece): void {
    const { groups, subjects } = rows
    const { point } = piece
    if (point >= this.#options.rows) {
      this.addReturns(rows, from, until, piece)
      return
    }
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0) {
        this.#return(this.#join(group, subjects[i] ?? 0, point), point)
      }
    }
  }

  /** Returns the number of a member, 0 if there is none. */
  #numberOf(group: number, actor: number): number {
    return this.#numbers.get(this.#options.isFirstOnly ? 0 : group, actor)
  }

  /** Makes an actor a member of a row. @returns the member's number */
  #join(group: number, actor: number, row: number): number {
    const { isFirstOnly, cells } = this.#options
    const number = this.#numberOf(group, actor) || this.#add(group, actor)
    const chunk = this.#chunkOf(number)
    const at = this.#placeOf(number)
    if (isFirstOnly) {
      chunk[at + ROWS] = row
    } else {
      const word = at + ROWS + (row >>> WORD_BITS)
      const bits = chunk[word] ?? 0
      const bit = 1 << (row & (WORD - 1))
      if ((bits & bit) !== 0) {
        return number
      }
      chunk[word] = bits | bit
    }
    cells.count(cells.of(chunk[at + TABLE] ?? 0), row, 0, 0)
    return number
  }

  #return(number: number, period: number): void {
    const { minimum } = this.#options
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
    const { rows, columnOf, isFirstOnly, cells } = this.#options
    const table = cells.of(chunk[at + TABLE] ?? 0)
    const last = (chunk[at + RETURN] ?? 0) - 1
    const first = Math.max(0, period - columnOf.length + 1)
    if (isFirstOnly) {
      const row = chunk[at + ROWS] ?? 0
      if (row >= first && row < period) {
        this.#count(table, row, period, last)
      }
      return
    }
    const end = Math.min(rows, period)
    for (let from = first; from < end; from = (from | (WORD - 1)) + 1) {
      const word = chunk[at + ROWS + (from >>> WORD_BITS)] ?? 0
      for (let left = word & (-1 << (from & (WORD - 1))); left !== 0; left &= left - 1) {
        const row = (from | (WORD - 1)) - Math.clz32(left & -left)
        if (row >= end) {
          return
        }
        this.#count(table, row, period, last)
      }
    }
  }

  /** Counts a return in a row, unless its column has counted the one before, in period `last`. */
  #count(table: Int32Array, row: number, period: number, last: number): void {
    const { columnOf, isCumulative, cells } = this.#options
    const before = last > row ? (columnOf[last - row] ?? 0) : 0
    const column = columnOf[period - row] ?? 0
    if (column > before) {
      cells.count(table, row, isCumulative ? before + 1 : column, column)
    }
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
