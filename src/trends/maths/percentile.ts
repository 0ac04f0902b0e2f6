import { type Accumulator, type Counted, NOTHING, type Rows } from './accumulator.ts'
import { percentileOf, percentileOfSorted, Tally } from './tally.ts'

/**
 * Numbers of a point that are listed, 12 bytes each. If there are more, the occurrences of each
 * different number are counted instead.
 */
const MAX_LISTED = 262_144

/** Percentiles of numbers. */
export class Percentile implements Accumulator {
  readonly #place: number
  readonly #groups = new Int32Array(MAX_LISTED)
  readonly #numbers = new Float64Array(MAX_LISTED)
  #length = 0
  #tally: Tally | undefined

  /** @param place between 0 and 1 */
  constructor(place: number) {
    this.#place = place
  }

  add({ groups, numbers }: Rows, from: number, until: number): void {
    const { codes, values } = numbers
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const number = values[codes[i] ?? 0] ?? Number.NaN
      if (group < 0 || Number.isNaN(number)) {
        continue
      }
      if (this.#length === MAX_LISTED) {
        this.#tally = this.#countListed()
      }
      this.#groups[this.#length] = group
      this.#numbers[this.#length] = number
      this.#length += 1
    }
  }

  *finish(point: number): Generator<Counted> {
    if (this.#tally) {
      for (const [group, counts] of this.#countListed().groups()) {
        yield { point, group, result: percentileOf(counts, this.#place) }
      }
    } else {
      for (const [group, numbers] of this.#listed()) {
        yield { point, group, result: percentileOfSorted(numbers.sort(), this.#place) }
      }
    }
    this.#tally = undefined
    this.#length = 0
  }

  end = () => NOTHING

  /** Counts the listed numbers, and empties the list. @throws query_too_large */
  #countListed(): Tally {
    const tally = this.#tally ?? new Tally()
    for (let i = 0; i < this.#length; i += 1) {
      tally.add(this.#groups[i] ?? 0, this.#numbers[i] ?? 0)
    }
    this.#length = 0
    return tally
  }

  #listed(): Map<number, Float64Array> {
    const counts = new Map<number, number>()
    for (let i = 0; i < this.#length; i += 1) {
      const group = this.#groups[i] ?? 0
      counts.set(group, (counts.get(group) ?? 0) + 1)
    }
    const lists = new Map([...counts].map(([group, count]) => [group, new Float64Array(count)]))
    // Fills each list from its end: `counts` now has the number of places left.
    for (let i = this.#length - 1; i >= 0; i -= 1) {
      const group = this.#groups[i] ?? 0
      const left = (counts.get(group) ?? 0) - 1
      counts.set(group, left)
      const list = lists.get(group)
      if (list) {
        list[left] = this.#numbers[i] ?? 0
      }
    }
    return lists
  }
}
