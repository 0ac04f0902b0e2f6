import type { Cell, Value } from './cells.ts'
import { isAdditive, type Series } from './query.ts'

/** The numbers of one breakdown value, a number for each bucket; without a breakdown the value is null. */
export type Line = { value: Value; data: number[] }

/** The values of the first period, and then those that only the one before has: of each the highest totals first. */
export const rank = (periods: readonly ReadonlyMap<string, number>[]): string[] => [
  ...new Set(periods.flatMap(sorted))
]

/** Of equal totals the first in the order of code points is first. */
const sorted = (totals: ReadonlyMap<string, number>): string[] =>
  [...totals].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([value]) => value)

/** What several series say of each value, together. */
export function addTotals(several: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const totals of several) {
    for (const [value, total] of totals) {
      sum.set(value, (sum.get(value) ?? 0) + total)
    }
  }
  return sum
}

/** Whether the cells of single values say what all values beyond the listed ones have together. */
export function isFoldable(
  cells: readonly Cell[],
  values: readonly string[],
  counted: Pick<Series, 'math' | 'property'>
): boolean {
  const listed = new Set<Value>(values)
  return isAdditive(counted) || cells.every(({ value }) => value === null || listed.has(value))
}

/** The cells with those of unlisted values in one, for each point. */
export function foldOthers(cells: readonly Cell[], values: readonly string[]): Cell[] {
  const listed = new Set<Value>(values)
  const others = new Map<number, Cell>()
  const kept = cells.filter((cell) => {
    if (cell.value === null || listed.has(cell.value)) {
      return true
    }
    const before = others.get(cell.point)?.result ?? 0
    others.set(cell.point, { ...cell, value: 0, result: before + cell.result })
    return false
  })
  return [...kept, ...others.values()]
}

/** Lines that fill as cells are read: one for each of `values`, and for each of `rest` of which there is anything. */
export class Lines {
  readonly #lines = new Map<Value, { data: number[]; isFound: boolean }>()

  constructor(values: readonly Value[], rest: readonly Value[], points: number) {
    for (const [some, isFound] of [[values, true] as const, [rest, false] as const]) {
      for (const value of some) {
        this.#lines.set(value, { data: new Array(points).fill(0), isFound })
      }
    }
  }

  /** What is of none of the values is left out. */
  add(cells: Iterable<Cell>): void {
    for (const { point, value, result } of cells) {
      const line = this.#lines.get(value)
      if (!line) {
        continue
      }
      line.data[point] = (line.data[point] ?? 0) + result
      line.isFound = true
    }
  }

  all(): Line[] {
    return [...this.#lines].flatMap(([value, { data, isFound }]) =>
      isFound ? [{ value, data }] : []
    )
  }
}

/** The mean of each point and those before it, so many in all; rounded down, as PostHog does. */
export const smooth = (data: readonly number[], points: number): number[] =>
  points === 1
    ? [...data]
    : data.map((_, i) => {
        const first = Math.max(0, i + 1 - points)
        let total = 0
        for (let at = first; at <= i; at += 1) {
          total += data[at] ?? 0
        }
        return Math.floor(total / (i + 1 - first))
      })

/** Each point with all before it. */
export function cumulate(data: readonly number[]): number[] {
  let total = 0
  return data.map((value) => (total += value))
}

export const sum = (data: readonly number[]): number =>
  data.reduce((total, value) => total + value, 0)
