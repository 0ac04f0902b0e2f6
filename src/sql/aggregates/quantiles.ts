import type { SqlValue } from '../types.ts'
import type { Vector } from '../vector.ts'
import type { GroupAccumulator, Kept } from './accumulator.ts'
import { eachNumber } from './sums.ts'

/** A list of numbers that grows by half. */
class Numbers {
  #numbers = new Float64Array(16)
  #length = 0

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(Math.ceil(this.#length * 1.5))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length] = number
    this.#length += 1
  }

  sorted(): Float64Array {
    return this.#numbers.slice(0, this.#length).sort()
  }
}

/** Computes exact quantiles, interpolated between the neighbours. */
export class Quantiles implements GroupAccumulator {
  readonly #lists: Numbers[] = []
  readonly #levels: readonly number[]
  readonly #isList: boolean
  readonly #ofNone: SqlValue
  readonly #kept: Kept

  constructor(
    levels: readonly number[],
    { isList, ofNone, kept }: { isList: boolean; ofNone: SqlValue; kept: Kept }
  ) {
    this.#levels = levels
    this.#isList = isList
    this.#ofNone = ofNone
    this.#kept = kept
  }

  add(groups: Int32Array, [vector]: readonly Vector[]): void {
    if (!vector) {
      return
    }
    eachNumber(groups, vector, (group, value) => {
      if (Number.isNaN(value)) {
        return
      }
      const list = this.#lists[group] ?? new Numbers()
      this.#lists[group] = list
      this.#kept.add()
      list.push(value)
    })
  }

  resultOf(group: number): SqlValue {
    const sorted = this.#lists[group]?.sorted()
    const results = this.#levels.map((level) => (sorted ? quantileOf(sorted, level) : this.#ofNone))
    return this.#isList ? results : (results[0] ?? null)
  }
}

function quantileOf(sorted: Float64Array, level: number): number {
  const place = level * (sorted.length - 1)
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? low
  return low + (high - low) * (place - Math.floor(place))
}
