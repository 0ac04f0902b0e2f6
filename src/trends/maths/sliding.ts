import type { Range } from '../../calendar/buckets.ts'
import { type Accumulator, type Counted, NOTHING, type Piece, type Rows } from './accumulator.ts'
import { expectFewValues } from './limits.ts'
import { PairMarks } from './marks.ts'

/**
 * Returns the pieces of time into which the beginnings and ends of windows cut their range, in
 * order. The `point` of a piece is only its place in this list: a piece may belong to several
 * windows.
 */
export function piecesOf(windows: readonly Range[]): Piece[] {
  const cuts = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort(
    (a, b) => a - b
  )
  return cuts.slice(1).map((until, point) => ({ since: cuts[point] ?? until, until, point }))
}

/**
 * The number of different actors or sessions of windows that overlap, such as the last seven days
 * of each day. A subject counts for all windows that contain the event, except those for which it
 * counts already.
 */
export class Sliding implements Accumulator {
  readonly #windows: readonly Range[]
  readonly #isGrowing: boolean
  /** For each subject, the index of the first window for which it does not count yet. */
  readonly #next = new PairMarks()
  /** The difference between the numbers of each window and the window before, for each group. */
  readonly #changes = new Map<number, Int32Array>()

  /**
   * @param windows in order: neither starts nor ends decrease
   * @param isGrowing whether each window contains the windows before it. The number of a window is
   * then the number of subjects that it adds to the window before; the display adds these numbers
   * up
   */
  constructor(windows: readonly Range[], isGrowing: boolean) {
    this.#windows = windows
    this.#isGrowing = isGrowing
  }

  /** @throws query_too_large, attr `actors` or `breakdown_values` */
  add({ groups, subjects }: Rows, from: number, until: number, { since }: Piece): void {
    const first = this.#windows.findIndex((window) => window.until > since)
    const last = this.#windows.findLastIndex((window) => window.from <= since)
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group < 0) {
        continue
      }
      // Before the subject is checked: a group without subjects has the number 0.
      const changes = this.#changesOf(group)
      const subject = subjects[i] ?? -1
      if (subject < 0) {
        continue
      }
      const next = this.#next.get(group, subject)
      if (next > last) {
        continue
      }
      const begin = Math.max(first, next)
      changes[begin] = (changes[begin] ?? 0) + 1
      changes[last + 1] = (changes[last + 1] ?? 0) - 1
      this.#next.set(group, subject, last + 1)
    }
  }

  #changesOf(group: number): Int32Array {
    let changes = this.#changes.get(group)
    if (!changes) {
      expectFewValues(this.#changes.size + 1, this.#windows.length)
      changes = new Int32Array(this.#windows.length + 1)
      this.#changes.set(group, changes)
    }
    return changes
  }

  *end(): Generator<Counted> {
    for (const [group, changes] of this.#changes) {
      let count = 0
      for (const point of this.#windows.keys()) {
        const change = changes[point] ?? 0
        count += change
        yield { point, group, result: this.#isGrowing ? change : count }
      }
    }
  }
  finish = () => NOTHING
}
