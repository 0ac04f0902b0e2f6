import type { SqlValue } from '../types.ts'
import type { Vector } from '../vector.ts'
import type { GroupAccumulator } from './accumulator.ts'
import { eachNumber } from './sums.ts'

/** The numbers of a group so far: their mean, and the sum of the squared distances from it. */
type Moments = { count: number; mean: number; squares: number }

/** The variance of numbers or, with `isRoot`, their standard deviation. */
export class Spread implements GroupAccumulator {
  readonly #moments: Moments[] = []
  readonly #less: number
  readonly #isRoot: boolean
  readonly #ofNone: SqlValue

  /** @param less what the number of values is lowered by: 1 for a sample, 0 for a population */
  constructor(ofNone: SqlValue, { less, isRoot }: { less: number; isRoot: boolean }) {
    this.#less = less
    this.#isRoot = isRoot
    this.#ofNone = ofNone
  }

  add(groups: Int32Array, [vector]: readonly Vector[]): void {
    if (!vector) {
      return
    }
    eachNumber(groups, vector, (group, value) => {
      const moments = this.#moments[group] ?? { count: 0, mean: 0, squares: 0 }
      this.#moments[group] = moments
      // Welford's algorithm: no large sums of squares whose difference is small.
      const distance = value - moments.mean
      moments.count += 1
      moments.mean += distance / moments.count
      moments.squares += distance * (value - moments.mean)
    })
  }

  resultOf(group: number): SqlValue {
    const moments = this.#moments[group]
    if (!moments) {
      return this.#ofNone
    }
    const variance = moments.squares / (moments.count - this.#less)
    return this.#isRoot ? Math.sqrt(variance) : variance
  }
}
