import { type Grouping, OTHERS, type Value } from '../columns/grouping.ts'
import type { Counted } from './maths/accumulator.ts'
import { CompensatedSum, sum } from './sum.ts'

/**
 * The numbers of a value of the breakdown, one for each bucket. The value is null without a
 * breakdown, and for events that have no value.
 */
export type Line = { value: Value; data: number[] }

/**
 * Lists the values of all periods, each once: those of the first period, then those that only the
 * next period has. The values of a period are sorted by their totals, the highest first, and values
 * with equal totals by their texts.
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

/** The values that come after the listed ones, in this order. */
export const UNLISTED: readonly Value[] = [null, OTHERS]

/** Lines: one for each listed value, and one for each value of `UNLISTED` that has numbers. */
export class Lines {
  readonly #cells = new Map<Value, CompensatedSum[]>()
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
      this.#lineOf(toValue(group))[point]?.add(result)
    }
  }

  /** Returns the lines of the listed values in their order, then those of `UNLISTED`. */
  all(): Line[] {
    const lines = [...this.#cells].map(
      ([value, cells]): Line => ({ value, data: cells.map(({ total }) => total) })
    )
    // The place of a listed value is -1: listed values stay first, in their order.
    return lines.sort((a, b) => UNLISTED.indexOf(a.value) - UNLISTED.indexOf(b.value))
  }

  #lineOf(value: Value): CompensatedSum[] {
    let cells = this.#cells.get(value)
    if (!cells) {
      cells = Array.from({ length: this.#points }, () => new CompensatedSum())
      this.#cells.set(value, cells)
    }
    return cells
  }
}

/** Returns a function from a group to its value, or to `OTHERS` if it is not listed. */
export function folding(grouping: Grouping, listed: readonly string[]): (group: number) => Value {
  const values = new Set<Value>(listed)
  return (group) => {
    const value = grouping.valueOf(group)
    return value === null || values.has(value) ? value : OTHERS
  }
}

/**
 * Returns the mean of each point and up to `points - 1` points before it, rounded down as in
 * PostHog. With 1, the numbers stay as they are.
 */
export const smooth = (data: readonly number[], points: number): number[] =>
  points === 1
    ? [...data]
    : data.map((_, i) => {
        const window = data.slice(Math.max(0, i + 1 - points), i + 1)
        return Math.floor(sum(window) / window.length)
      })

/** Adds to each point all points before it. */
export function cumulate(data: readonly number[]): number[] {
  const sum = new CompensatedSum()
  return data.map((value) => {
    sum.add(value)
    return sum.total
  })
}
