import { describeRange } from '../calendar/words.ts'
import { onOneLine } from '../input/show.ts'
import { nameOfSeries } from '../insights/chart.ts'
import type { TrendSeries } from '../trends/answer.ts'
import type { TrendQuery } from '../trends/query.ts'

/** Maximum number of lines shown per insight: the first ten, in the order of the trend's result. */
const MAX_LINES = 10
/** Longest label of a series or a breakdown value, characters. */
const MAX_LABEL = 200

/** The figures of one insight, or the reason why there are none. */
export type Figures = { name: string } & (
  | {
      /** The period in words: `16 – 22 Nov 2026`. */
      range: string
      /** The period `[from, until)`, ms UTC; `from` is null when it has no beginning. */
      from: number | null
      until: number
      lines: FigureLine[]
      /** The number of lines that are left out. */
      more: number
    }
  | { failure: string }
)

/** One insight of a delivery. `insight` is its id, absent if it was deleted. */
export type InsightPart = Figures & { insight?: number }

export type FigureLine = {
  /** The series or the value of a breakdown, in plain words for people. */
  label: string
  /** The same as the API names it, for programs. */
  series: string
  value: number
  /** The value in the previous period; null without a previous value. */
  previous: number | null
}

/** The content of a delivery, the same for every channel. */
export type Content = {
  name: string
  project: string
  /** When the content was computed, ms UTC. */
  at: number
  timezone: string
  parts: InsightPart[]
  /** The number of tiles that are left out. */
  more: number
}

/** Shortens a text to `length` characters, ending in `…`; never splits a surrogate pair. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

/**
 * Turns a trend without a time axis into figures, or into a failure if all values are zero, now and
 * in the previous period.
 */
export function figuresOf(
  name: string,
  query: TrendQuery,
  series: TrendSeries[],
  timezone: string
): Figures {
  const range = describeRange(query.from, query.until, timezone)
  const current = series.filter(({ compare_label }) => compare_label !== 'previous')
  const previous = series.filter(({ compare_label }) => compare_label === 'previous')
  const lines = current.map(
    (one, i): FigureLine => ({
      label: cut(onOneLine(nameOfSeries(query, one)), MAX_LABEL),
      series: cut(onOneLine(one.label), MAX_LABEL),
      value: one.aggregated_value ?? 0,
      previous: query.from === 'all' ? null : (previous[i]?.aggregated_value ?? null)
    })
  )
  if (lines.every(({ value, previous }) => value === 0 && !previous)) {
    return { name, failure: `Nothing to report for ${range}: all values are zero.` }
  }
  const from = query.from === 'all' ? null : query.from
  return {
    name,
    range,
    from,
    until: query.until,
    lines: lines.slice(0, MAX_LINES),
    more: Math.max(0, lines.length - MAX_LINES)
  }
}
