import { describeRange } from '../calendar/words.ts'
import { type Chart, isAllZero } from '../charts/chart.ts'
import { formatValue, type Unit } from '../charts/format.ts'
import { cut, isolate, onOneLine } from '../input/show.ts'
import { nameOfSeries } from '../insights/chart.ts'
import type { DrawnQuestion } from '../questions/drawing.ts'
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
      /** What the lines do not say, in words: the numbers of a funnel's steps. */
      words?: string
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
  /** The unit of the values; without one, they are counts or other plain numbers. */
  unit?: Unit
  /** Set if less is better. */
  isIncreaseBad?: true
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

/**
 * Turns a trend without a time axis into figures, or into a failure if all values are zero, now and
 * in the previous period.
 */
export function figuresOfTrend(
  name: string,
  query: TrendQuery,
  series: TrendSeries[],
  timezone: string
): Figures {
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
  return toFigures(name, { from: query.from, until: query.until, timezone }, lines)
}

/** Turns a drawn question into figures, or into a failure if there is nothing but zeros. */
export function figuresOfQuestion(
  name: string,
  { chart, range, figures }: DrawnQuestion,
  timezone: string
): Figures {
  const isEmpty = isAllZero(chart.series)
  const lines = figures.map(({ label, ...figure }): FigureLine => {
    const named = cut(onOneLine(label), MAX_LABEL)
    return { label: named, series: named, ...figure }
  })
  const found = toFigures(name, { ...range, timezone }, isEmpty ? [] : lines)
  const words = describeSteps(chart)
  return words === '' || 'failure' in found ? found : { ...found, words }
}

/** `Visited 2,482 → Signed up 618`; empty for anything but a funnel without a breakdown. */
function describeSteps({ kind, buckets, series }: Pick<Chart, 'kind' | 'buckets' | 'series'>) {
  const [first, ...others] = series
  const steps = kind === 'funnel' && first && others.length === 0 ? buckets : []
  return steps
    .map((step, i) => `${isolate(onOneLine(step))} ${formatValue(first?.data[i] ?? 0)}`)
    .join(' → ')
}

function toFigures(
  name: string,
  { from, until, timezone }: { from: number | 'all'; until: number; timezone: string },
  lines: FigureLine[]
): Figures {
  const range = describeRange(from, until, timezone)
  if (lines.every(({ value, previous }) => value === 0 && !previous)) {
    return { name, failure: `Nothing to report for ${range}: all values are zero.` }
  }
  return {
    name,
    range,
    from: from === 'all' ? null : from,
    until,
    lines: lines.slice(0, MAX_LINES),
    more: Math.max(0, lines.length - MAX_LINES)
  }
}
