import type { Interval } from '../calendar/buckets.ts'
import { describeRange } from '../calendar/words.ts'
import type { Chart, Kind } from '../charts/chart.ts'
import type { TrendSeries } from '../trends/answer.ts'
import type { Display, TrendQuery } from '../trends/query.ts'

const KIND_OF: Record<Display, Kind> = {
  ActionsLineGraph: 'line',
  ActionsLineGraphCumulative: 'line',
  ActionsAreaGraph: 'area',
  ActionsBar: 'stacked',
  ActionsStackedBar: 'stacked',
  ActionsUnstackedBar: 'bars',
  ActionsTable: 'table',
  ActionsPie: 'pie',
  ActionsDonut: 'pie',
  ActionsBarValue: 'values',
  WorldMap: 'values',
  BoldNumber: 'number'
}
/** Kinds that stack series, and those that replace them when two periods are compared. */
const COMPARED: Partial<Record<Kind, Kind>> = { area: 'line', stacked: 'bars' }

/** Returns the chart of a computed trend, of the kind that its display names. */
export function toChart(
  title: string,
  query: TrendQuery,
  result: TrendSeries[],
  timezone: string
): Chart {
  const current = result.filter(({ compare_label }) => compare_label !== 'previous')
  const previous = result.filter(({ compare_label }) => compare_label === 'previous')
  const isCompared = previous.length > 0
  const kind = KIND_OF[query.display]
  const drawn = isCompared ? (COMPARED[kind] ?? kind) : kind
  return {
    title: title || titleOf(current),
    subtitle: subtitleOf(query, timezone, isCompared ? noteOf(drawn, query) : undefined),
    kind: drawn,
    buckets: (current[0]?.days ?? []).map((day, _, days) => labelOf(day, days, query.interval)),
    series: current.map((series, i) => {
      const before = previous[i]
      return {
        name: series.label,
        data: numbersOf(series),
        ...(before && { previous: numbersOf(before) })
      }
    })
  }
}

/** Returns the chart of an insight without series. */
export const emptyChart = (title: string): Chart => ({
  title,
  subtitle: '',
  kind: 'line',
  buckets: [],
  series: []
})

const titleOf = (series: TrendSeries[]): string =>
  [
    ...new Set(series.map(({ action, label }) => action?.custom_name ?? action?.name ?? label))
  ].join(', ')

const numbersOf = ({ data, aggregated_value }: TrendSeries): number[] =>
  aggregated_value === undefined ? data : [aggregated_value]

const subtitleOf = ({ from, until }: TrendQuery, timezone: string, note?: string): string =>
  [describeRange(from, until, timezone), timezone, ...(note ? [note] : [])].join(' · ')

/** Returns how a kind of chart shows the earlier period, if it does. */
function noteOf(kind: Kind, { compare }: TrendQuery): string | undefined {
  const period = compare?.back ? 'the earlier period' : 'the period before'
  if (kind === 'pie') {
    return undefined
  }
  return kind === 'number' || kind === 'table' ? `compared with ${period}` : `dashed: ${period}`
}

/** Characters of a date such as `2025-06-01`. */
const DATE_LENGTH = 10

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * `2025-06-01` → `1 Jun`, or `Jun 2025` by the month; `2025-06-01 14:00:00` → `14:00`, or
 * `1 Jun 14:00` among several days.
 */
function labelOf(day: string, days: string[], interval: Interval): string {
  const [, year, month, date, time = ''] = /^(\d+)-(\d+)-(\d+)(?: (\d+:\d+))?/.exec(day) ?? []
  const name = MONTHS[Number(month) - 1] ?? ''
  if (interval === 'month') {
    return `${name} ${year}`
  }
  if (!time) {
    return `${Number(date)} ${name}`
  }
  const isOneDay = days[0]?.slice(0, DATE_LENGTH) === days.at(-1)?.slice(0, DATE_LENGTH)
  return isOneDay ? time : `${Number(date)} ${name} ${time}`
}
