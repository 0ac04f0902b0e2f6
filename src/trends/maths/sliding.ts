import type { Range } from '../../calendar/buckets.ts'
import { type Accumulator, type Counted, NOTHING, type Piece, type Rows } from './accumulator.ts'
import { PairMarks } from './marks.ts'

/**
 * Returns the pieces of time into which the beginnings and ends of windows cut their range, in order. The `point` of a piece is
 * only its place in this list: a piece may belong to several windows.
 */
export function piecesOf(windows: readonly Range[]): Piece[] {
  const cuts = [...new Set(windows.flatMap(({ from, until }) => [from, until]))].sort(
    (a, b) => a - b
  )
  return cuts.slice(1).map((until, point) => ({ since: cuts[point] ?? until, until, point }))
}

/**
 * The number of different actors or sessions of windows that overlap, such as the last seven days of each day. A subject
 * counts for all windows that contain the event, except those for which it counts already.
 */
export class Sliding implements Accumulator {
  readonly #windows: readonly Range[]
  readonly #isGrowing: boolean
  /** The last window, counted from 1, for which each subject counts already. */
  readonly #known = new PairMarks()
  /** The difference between the numbers of each window and the window before, for each group. */
  readonly #changes = new Map<number, Float64Array>()

  /**
   * @param windows in order: both their starts and their ends increase
   * @param isGrowing whether each window contains the windows before it; its number is then the number of subjects it adds
   */
  constructor(windows: readonly Range[], isGrowing: boolean) {
    this.#windows = windows
    this.#isGrowing = isGrowing
  }

  add({ groups, subjects }: Rows, from: number, until: number, { since }: Piece): void {
    const first = this.#windows.findIndex((window) => window.until > since)
    const last = this.#windows.findLastIndex((window) => window.from <= since)
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group < 0) {
        continue
      }
      const changes = this.#changesOf(group)
      const subject = subjects[i] ?? -1
      const known = subject < 0 ? last + 1 : this.#known.get(group, subject)
      if (known > last) {
        continue
      }
      const begin = Math.max(first, known)
      changes[begin] = (changes[begin] ?? 0) + 1
      changes[last + 1] = (changes[last + 1] ?? 0) - 1
      this.#known.set(group, subject, last + 1)
    }
  }

  #changesOf(group: number): Float64Array {
    let changes = this.#changes.get(group)
    if (!changes) {
      changes = new Float64Array(this.#windows.length + 1)
      this.#changes.set(group, changes)
    }
    return changes
  }

  *end(): Generator<Counted> {
    for (const [group, changes] of this.#changes) {
      let count = 0
      for (const point of this.#windows.keys()) {
        const before = count
        count += changes[point] ?? 0
        yield { point, group, result: this.#isGrowing ? count - before : count }
      }
    }
  }
  finish = () => NOTHING
}
