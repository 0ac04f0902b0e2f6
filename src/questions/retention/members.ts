import { NumberMap } from '../../columns/number-map.ts'
import { AppError } from '../../errors.ts'
import type { Piece, Rows } from '../../trends/maths/accumulator.ts'
import { BEFORE } from '../../trends/maths/firsts.ts'
import { PairMarks } from '../../trends/maths/marks.ts'

export type MembersOptions = {
  /** The periods that have a row: those from 0 on. */
  rows: number
  /** The periods in which members may come back: those from 0 on. */
  periods: number
  /** Events that an actor needs in a period to have come back in it. */
  minimumOccurrences: number
  /**
   * Whether each actor is in one row only, and comes back with an event of any group. Otherwise an
   * actor is in rows with each group, and comes back with an event of the same group.
   */
  isFirstOnly: boolean
  /** Whether the events that make members are those by which they come back. */
  isSameEvents: boolean
}

/** A word has 32 bits. */
const WORD_BITS = 5
const WORD = 2 ** WORD_BITS

const wordsFor = (bits: number): number => Math.ceil(bits / WORD)

/** Members are in chunks, so that there is never a list to copy. */
const CHUNK_BITS = 12
const CHUNK_MEMBERS = 2 ** CHUNK_BITS
const NO_CHUNK = new Int32Array()

/**
 * Numbers that are kept of all members, in 60 MB: enough for a million actors in 365 rows, or half a
 * million if other events let them come back.
 */
const MAX_NUMBERS = 15_000_000
/** Numbers that the maps keep of a member: its number, its actor and its group. */
const MAPPED = 3

/**
 * Finds who is in which row of a retention table, and in which periods they have the returning
 * event. A member is an actor or, with a breakdown that both events have, an actor with a group.
 * Both kinds of events come in the order of periods, and in any order within a period.
 *
 * A member has a bit for each row and for each period with a return. So an event only sets a bit:
 * what the bits of a member count for is decided once, at the end.
 */
export class Members {
  readonly #options: MembersOptions
  /**
   * Where the bits of returns are among the numbers of a member; those of rows begin at 0. They are
   * the same if every event that makes a member is a return.
   */
  readonly #returns: number
  /** Where the last period with returning events is, counted from 1, and then their number. */
  readonly #counted: number
  /** How many numbers are kept of a member, besides those in the maps. */
  readonly #width: number
  /** The number of each member, counted from 1. */
  readonly #numbers = new PairMarks()
  readonly #chunks: Int32Array[] = []
  readonly #actors = new NumberMap()
  readonly #groups = new NumberMap()
  #size = 0

  constructor(options: MembersOptions) {
    const { rows, periods, minimumOccurrences, isFirstOnly, isSameEvents } = options
    this.#options = options
    this.#returns = isSameEvents && minimumOccurrences === 1 && !isFirstOnly ? 0 : wordsFor(rows)
    this.#counted = this.#returns + wordsFor(periods)
    this.#width = this.#counted + (minimumOccurrences === 1 ? 0 : 2)
  }

  get rows(): number {
    return this.#options.rows
  }

  get periods(): number {
    return this.#options.periods
  }

  /** The number of members; each has a place, from 0 on. */
  get size(): number {
    return this.#size
  }

  actorOf(place: number): number {
    return this.#actors.get(place)
  }

  /** Returns the group of a member; if each actor is in one row only, that of the first event. */
  groupOf(place: number): number {
    return this.#groups.get(place)
  }

  /** Lists the rows of a member, in order. @returns how many */
  listRows(place: number, rows: Int32Array): number {
    return this.#listBits(place, 0, rows)
  }

  /** Lists the periods in which a member has enough returning events, in order. @returns how many */
  listReturns(place: number, periods: Int32Array): number {
    return this.#listBits(place, this.#returns, periods)
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
        const actor = subjects[i] ?? 0
        this.#setBit(this.#numberOf(group, actor) || this.#add(group, actor), 0, point)
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
      if (number !== 0 && this.#isEnough(number, point)) {
        this.#setBit(number, this.#returns, point)
      }
    }
  }

  /**
   * Adds events that are both.
   * @throws query_too_large, attr `actors`
   */
  addBoth(rows: Rows, from: number, until: number, piece: Piece): void {
    this.addTargets(rows, from, until, piece)
    if (this.#returns > 0 || piece.point >= this.#options.rows) {
      this.addReturns(rows, from, until, piece)
    }
  }

  /** Returns the number of a member, 0 if there is none. */
  #numberOf(group: number, actor: number): number {
    return this.#numbers.get(this.#options.isFirstOnly ? 0 : group, actor)
  }

  #add(group: number, actor: number): number {
    const { rows, isFirstOnly } = this.#options
    const place = this.#size
    if ((place + 1) * (this.#width + MAPPED) > MAX_NUMBERS) {
      throw new AppError(
        'query_too_large',
        `The question has more than ${place} different actors, the most for ${rows} periods: choose a shorter range or a longer period.`,
        'actors'
      )
    }
    if ((place & (CHUNK_MEMBERS - 1)) === 0) {
      this.#chunks.push(new Int32Array(CHUNK_MEMBERS * this.#width))
    }
    this.#size += 1
    this.#numbers.set(isFirstOnly ? 0 : group, actor, this.#size)
    this.#actors.set(place, actor)
    this.#groups.set(place, group)
    return this.#size
  }

  /** Counts an event by which a member may come back. @returns whether it has enough in its period */
  #isEnough(number: number, period: number): boolean {
    const { minimumOccurrences } = this.#options
    if (minimumOccurrences === 1) {
      return true
    }
    const chunk = this.#chunkOf(number - 1)
    const at = this.#startOf(number - 1) + this.#counted
    const events = chunk[at] === period + 1 ? (chunk[at + 1] ?? 0) : 0
    chunk[at] = period + 1
    chunk[at + 1] = events + 1
    return events + 1 >= minimumOccurrences
  }

  #setBit(number: number, words: number, bit: number): void {
    const chunk = this.#chunkOf(number - 1)
    const at = this.#startOf(number - 1) + words + (bit >>> WORD_BITS)
    chunk[at] = (chunk[at] ?? 0) | (1 << (bit & (WORD - 1)))
  }

  /** Lists the bits that are set in the words from one on, as many as there are places for. */
  #listBits(place: number, words: number, into: Int32Array): number {
    const chunk = this.#chunkOf(place)
    const start = this.#startOf(place) + words
    let count = 0
    for (let first = 0; first < into.length; first += WORD) {
      for (let left = chunk[start + (first >>> WORD_BITS)] ?? 0; left !== 0; left &= left - 1) {
        const bit = first + WORD - 1 - Math.clz32(left & -left)
        into[count] = bit
        count += bit < into.length ? 1 : 0
      }
    }
    return count
  }

  #chunkOf(place: number): Int32Array {
    return this.#chunks[place >>> CHUNK_BITS] ?? NO_CHUNK
  }

  /** Returns where the numbers of a member begin in its chunk. */
  #startOf(place: number): number {
    return (place & (CHUNK_MEMBERS - 1)) * this.#width
  }
}
