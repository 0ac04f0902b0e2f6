import { NumberMap } from '../../columns/number-map.ts'
import type { Piece, Rows, Sink } from './accumulator.ts'
import { BEFORE } from './firsts.ts'
import { expectFew } from './limits.ts'
import { type Counting, MATHS } from './table.ts'

/** Counts each actor's events of one group that a math counts, without those before the trend. */
export class ActorCounter implements Sink {
  readonly #needsNumber: boolean
  readonly #needsSession: boolean
  readonly #isMeant: (group: number) => boolean
  readonly #counts = new NumberMap()
  readonly #seen: number[] = []

  /** @param isMeant whether a group is the one whose events count */
  constructor({ math, property }: Counting, isMeant: (group: number) => boolean) {
    this.#needsNumber = property !== undefined
    this.#needsSession = MATHS[math].over === 'sessions'
    this.#isMeant = isMeant
  }

  /** @throws query_too_large, attr `actors` */
  add(rows: Rows, from: number, until: number, { point }: Piece): void {
    if (point === BEFORE) {
      return
    }
    const { groups, actors } = rows
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0 && this.#isMeant(group) && this.#counted(rows, i)) {
        this.#count(actors[i] ?? 0)
      }
    }
  }

  /** Returns the number of each actor, and how many events it has. */
  counts(): { number: number; count: number }[] {
    return this.#seen.map((number) => ({ number, count: this.#counts.get(number) }))
  }

  /** Whether an event has the number or the session that the math needs. */
  #counted({ subjects, numbers: { codes, values } }: Rows, i: number): boolean {
    if (this.#needsNumber) {
      return !Number.isNaN(values[codes[i] ?? 0] ?? Number.NaN)
    }
    return !this.#needsSession || (subjects[i] ?? -1) >= 0
  }

  #count(actor: number): void {
    const before = this.#counts.get(actor)
    this.#counts.set(actor, before + 1)
    if (before === 0) {
      this.#seen.push(actor)
      expectFew(this.#seen.length)
    }
  }
}
