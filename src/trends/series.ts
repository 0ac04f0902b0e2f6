import type { Value } from '../columns/grouping.ts'
import { type Period, type TrendSeries, toSeries, totalOf } from './answer.ts'
import { type Line, UNLISTED } from './lines.ts'
import type { BinnedQuery } from './query.ts'

/**
 * Returns the lines of all series, ordered by series, then by breakdown value, then by period with
 * the current one first.
 * @param lines by series, then by period
 */
export function linesOfSeries(
  query: BinnedQuery,
  periods: Period[],
  lines: Line[][][]
): TrendSeries[] {
  return query.series.flatMap((series, i) => {
    const [current = [], previous = []] = lines[i] ?? []
    return valuesOf([current, previous]).flatMap((value) =>
      periods.map((period, p) =>
        toSeries(query, period, lineOf(p === 0 ? current : previous, value, period), { series })
      )
    )
  })
}

/**
 * Returns the lines of all formulas, ordered by formula, then by its total of the current period,
 * then by period.
 * @param lines by series, then by period
 */
export function linesOfFormulas(
  query: BinnedQuery,
  periods: Period[],
  lines: Line[][][]
): TrendSeries[] {
  return query.formulas.flatMap(({ text, name, calculate }) => {
    const results = valuesOf(lines.flat()).map((value): { value: Value; data: number[][] } => ({
      value,
      data: periods.map((period, p) => {
        const operands = lines.map(
          (seriesLines) => lineOf(seriesLines[p] ?? [], value, period).data
        )
        return period.buckets.map((_, point) => calculate(operands.map((data) => data[point] ?? 0)))
      })
    }))
    const listed = results.filter(({ value }) => typeof value === 'string')
    const rest = results.filter(({ value }) => typeof value !== 'string')
    const total = ({ data }: (typeof listed)[number]) => totalOf(query, data[0] ?? [])
    const sorted = [...listed.sort((a, b) => total(b) - total(a)), ...rest]
    return sorted.flatMap(({ value, data }) =>
      periods.map((period, p) =>
        toSeries(
          query,
          period,
          { value, data: data[p] ?? [] },
          { formula: name ?? `Formula (${text})` }
        )
      )
    )
  })
}

/** Returns the values of all these lines, those of `UNLISTED` last. */
function valuesOf(several: Line[][]): Value[] {
  const values = new Set(several.flatMap((lines) => lines.map(({ value }) => value)))
  const listed = [...values].filter((value) => !UNLISTED.includes(value))
  return [...listed, ...UNLISTED.filter((value) => values.has(value))]
}

const lineOf = (lines: Line[], value: Value, { buckets }: Period): Line =>
  lines.find((line) => line.value === value) ?? { value, data: buckets.map(() => 0) }
