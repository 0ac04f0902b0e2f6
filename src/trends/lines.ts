import { type Grouping, OTHERS, type Value } from './grouping.ts'
import type { Counted } from './maths/accumulator.ts'

/** The numbers of a breakdown's value, one for each bucket; without a breakdown the value is null. */
export type Line = { value: Value; data: number[] }

/**
 * Sorts values by their totals, the highest first; values with equal totals as texts. The values of the current period come
 * first, then those that only the compared period has.
 */
export const rank = (periods: readonly ReadonlyMap<string, number>[]): string[] => [
  ...new Set(periods.flatMap(sorted))
]

const sorted = (totals: ReadonlyMap<string, number>): string[] =>
  [...totals]
    .sort(([a, totalOfA], [b, totalOfB]) => totalOfB - totalOfA || (a < b ? -1 : 1))
    .map(([value]) => value)

/** Adds up the totals that several series have for each value. */
export function addTotals(several: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const totals of several) {
    for (const [value, total] of totals) {
      sums.set(value, (sums.get(value) ?? 0) + total)
    }
  }
  return sums
}

/** The values after the listed ones, in their order. */
export const UNLISTED: readonly Value[] = [null, OTHERS]

/** The lines of a part: one for each listed value, whether it has numbers or not, and for others that have any. */
export class Lines {
  readonly #data = new Map<Value, number[]>()
  readonly #points: number

  constructor(listed: readonly Value[], points: number) {
    this.#points = points
    for (const value of listed) {
      this.#lineOf(value)
    }
  }

  /** Adds numbers to the lines that their groups belong to. */
  add(cells: Iterable<Counted>, toValue: (group: number) => Value): void {
    for (const { point, group, result } of cells) {
      const data = this.#lineOf(toValue(group))
      data[point] = (data[point] ?? 0) + result
    }
  }

  /** Returns the listed values in their order, then no value, then all others. */
  all(): Line[] {
    const lines = [...this.#data].map(([value, data]): Line => ({ value, data }))
    return lines.sort((a, b) => UNLISTED.indexOf(a.value) - UNLISTED.indexOf(b.value))
  }

  #lineOf(value: Value): number[] {
    let data = this.#data.get(value)
    if (!data) {
      data = new Array<number>(this.#points).fill(0)
      this.#data.set(value, data)
    }
    return data
  }
}

/** Returns the value that a group counts for when only these values are listed. */
export function folding(grouping: Grouping, listed: readonly string[]): (group: number) => Value {
  const values = new Set<Value>(listed)
  return (group) => {
    const value = grouping.valueOf(group)
    return value === null || values.has(value) ? value : OTHERS
  }
}

/** Returns the mean of each point and the points before it, `points` in all; rounded down, as in PostHog. */
export const smooth = (data: readonly number[], points: number): number[] =>
  points === 1
    ? [...data]
    : data.map((_, i) => {
        const window = data.slice(Math.max(0, i + 1 - points), i + 1)
        return Math.floor(sum(window) / window.length)
      })

/** Adds to each point all points before it. */
export function cumulate(data: readonly number[]): number[] {
  let total = 0
  return data.map((value) => {
    total += value
    return total
  })
}

export const sum = (data: readonly number[]): number =>
  data.reduce((total, value) => total + value, 0)
