import type { TrendSeries } from '../trends/answer.ts'
import type { TrendQuery } from '../trends/query.ts'

/** Breakdown values or series that an insight shows; the highest come first. */
const MAX_LINES = 10
const MAX_LABEL = 200

/** The numbers of one insight in words and figures, or why there are none. */
export type Figures = { name: string } & (
  | {
      /** In words, and as `[from, until)`, ms UTC; `from` is null when it has no beginning. */
      range: string
      from: number | null
      until: number
      lines: Line[]
      more: number
    }
  | { failure: string }
)

/** The figures of an insight that is still there. */
export type Part = Figures & { insight?: number }

export type Line = {
  label: string
  value: number
  /** Of the period before; null when there is none to compare with. */
  previous: number | null
}

/** What one delivery says, whatever the channel. */
export type Content = {
  name: string
  project: string
  /** When it was computed, ms UTC. */
  at: number
  timezone: string
  parts: Part[]
  /** Tiles that are left out; none if it is not above zero. */
  more: number
}

/** A text of at most so many characters, of which none is cut in two. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text

export const titleOf = ({
  name,
  derivedName
}: {
  name: string | null
  derivedName: string | null
}): string | null => name || derivedName || null

/** The figures of a trend without a time axis. One in which nothing happened says so. */
export function figuresOf(
  name: string,
  query: TrendQuery,
  series: TrendSeries[],
  timezone: string
): Figures {
  const range = rangeOf(query, timezone)
  const current = series.filter(({ compare_label }) => compare_label !== 'previous')
  const previous = series.filter(({ compare_label }) => compare_label === 'previous')
  const lines = current.map(
    ({ label, aggregated_value: value = 0 }, i): Line => ({
      label: cut(label, MAX_LABEL),
      value,
      previous: query.from === 'all' ? null : (previous[i]?.aggregated_value ?? null)
    })
  )
  if (lines.every(({ value, previous }) => value === 0 && !previous)) {
    return { name, failure: `No events: ${range}.` }
  }
  const from = query.from === 'all' ? null : query.from
  return {
    name,
    range,
    from,
    until: query.until,
    lines: lines.slice(0, MAX_LINES),
    more: lines.length - MAX_LINES
  }
}

function rangeOf({ from, until }: TrendQuery, timezone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    day: 'numeric',
    month: 'short',
    year: 'numeric'
  })
  return from === 'all'
    ? `until ${format.format(until - 1)}`
    : plain(format.formatRange(from, until - 1))
}

/** Versions of the runtime differ in which spaces they put into dates. */
const plain = (text: string): string => text.replaceAll(/\s/g, ' ')

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const PERCENT = new Intl.NumberFormat('en', {
  maximumFractionDigits: 1,
  style: 'percent',
  signDisplay: 'exceptZero'
})

export const formatNumber = (value: number): string => NUMBER.format(value)

/** The change against the period before: `+12.5%`, `new`, `no change`; nothing without one. */
export function formatChange({ value, previous }: Line): string {
  if (previous === null) {
    return ''
  }
  if (previous === 0) {
    return value === 0 ? 'no change' : 'new'
  }
  if (value === previous) {
    return 'no change'
  }
  return PERCENT.format((value - previous) / Math.abs(previous)).replace('-', '−')
}

/** The change with what it is from: `+12.5% from 8`. */
export function describeChange(line: Line): string {
  const { value, previous } = line
  return previous === null || previous === 0 || value === previous
    ? formatChange(line)
    : `${formatChange(line)} from ${formatNumber(previous)}`
}

/** Whether a line went up, down, or neither. */
export function directionOf({ value, previous }: Line): -1 | 0 | 1 {
  if (previous === null || value === previous) {
    return 0
  }
  return value > previous ? 1 : -1
}

/** `Mon, 23 Nov 2026, 09:00 CET` */
export const formatMoment = (at: number, timezone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short'
  }).format(at)
