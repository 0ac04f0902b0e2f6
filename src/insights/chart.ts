import type { DatedText } from '../annotations/store.ts'
import { labelAxis } from '../calendar/axis.ts'
import { type Bucket, startOf } from '../calendar/buckets.ts'
import { describeRange } from '../calendar/words.ts'
import type { Chart, ChartAnnotation, Kind, Series } from '../charts/chart.ts'
import { plainName } from '../events/names.ts'
import { isolate, onOneLine } from '../input/show.ts'
import type { Period, TrendSeries } from '../trends/answer.ts'
import { isAdditive, type MathName } from '../trends/maths/table.ts'
import type { ProjectCalendar } from '../trends/periods.ts'
import {
  type Display,
  isAggregated,
  isCumulative,
  type SeriesQuery,
  type TrendQuery
} from '../trends/query.ts'
import { nameOfValues, OTHER } from '../trends/value-names.ts'

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
  WorldMap: 'countries',
  BoldNumber: 'number'
}
/**
 * Kinds of charts that stack series, and the kinds that replace them when two periods are compared.
 */
const COMPARED: Partial<Record<Kind, Kind>> = { area: 'line', stacked: 'bars' }

/** A computed trend: what was asked, and the answer. */
export type Computed = {
  query: TrendQuery
  result: TrendSeries[]
  periods: Period[]
  /** Says which events do not exist; null if all exist. */
  warning: string | null
  /** The annotations of the chart, in the order of time. */
  annotations?: DatedText[]
}

/** Returns the chart of a computed trend, of the kind that its display names. */
export function toChart(
  title: string,
  { query, result, periods, warning, annotations = [] }: Computed,
  project: ProjectCalendar,
  now: Date
): Chart {
  const current = result.filter(({ compare_label }) => compare_label !== 'previous')
  const previous = result.filter(({ compare_label }) => compare_label === 'previous')
  const isCompared = previous.length > 0
  const asked = KIND_OF[query.display]
  const kind = isCompared ? (COMPARED[asked] ?? asked) : asked
  const axis = isAggregated(query) ? undefined : periods[0]
  const { buckets, days } = axis ?? { buckets: [], days: [] }
  const begun = startOf(now.getTime(), query.interval, project).time
  const finished = buckets.filter(({ from }) => from < begun).length
  const series = current.map((one, i): Series => {
    const before = previous[i]
    return {
      name: nameOfSeries(query, one),
      data: numbersOf(one),
      ...(before && { previous: numbersOf(before) }),
      ...(isRest(one) && { isRest: true })
    }
  })
  return {
    title: title || titleOf(current),
    subtitle: `${describeRange(query.from, query.until, project.timezone)} · ${project.timezone}`,
    counted: [
      describeNumbers(query),
      ...(isCompared ? describePeriod(kind, series.length, periods[1], project.timezone) : [])
    ].join('; '),
    kind,
    buckets: labelAxis(days, query.interval, finished),
    days,
    series,
    finished,
    total: totalOf(query, series),
    warning,
    annotations: placeIn(buckets, annotations)
  }
}

/** Places texts at the buckets that contain their times. */
export const placeIn = (buckets: Bucket[], texts: DatedText[]): ChartAnnotation[] =>
  texts.flatMap(({ at, text }) => {
    const bucket = buckets.findIndex(({ from, until }) => from <= at && at < until)
    return bucket < 0 ? [] : [{ bucket, text: onOneLine(text) }]
  })

/** Returns the chart of an insight without series. */
export const emptyChart = (title: string): Chart => ({
  title,
  subtitle: '',
  counted: '',
  kind: 'line',
  buckets: [],
  days: [],
  series: [],
  finished: 0,
  total: null,
  warning: null
})

/** Returns the title of a trend without a name: the names of its series. */
const titleOf = (series: TrendSeries[]): string =>
  [...new Set(series.map((one) => nameOfAction(one) ?? one.label))].join(', ')

const nameOfAction = ({ action }: TrendSeries): string | undefined =>
  action ? (action.custom_name ?? plainName(action.name)) : undefined

/**
 * Returns the name of a series in plain words: of the event, of the value of a breakdown, or of
 * both. `$pageview` is `Page view`; by country, `DE` is `Germany`.
 */
export function nameOfSeries(query: TrendQuery, one: TrendSeries): string {
  const name = nameOfAction(one)
  if (one.breakdown_value === undefined) {
    return name ?? one.label
  }
  const shown = nameOfValues(query.breakdowns, [one.breakdown_value].flat())
  const isAlone = (query.formulas.length > 0 ? query.formulas : query.series).length === 1
  const prefix = isAlone ? [] : [name ?? one.label.split(' - ')[0] ?? '']
  return [...prefix, shown].join(' · ')
}

const isRest = ({ breakdown_value: value }: TrendSeries): boolean => [value].flat()[0] === OTHER

const numbersOf = ({ data, aggregated_value }: TrendSeries): number[] =>
  aggregated_value === undefined ? data : [aggregated_value]

/** Returns the sum of all series, if they are parts of a whole, of which none is left out. */
function totalOf(query: TrendQuery, series: Series[]): number | null {
  const isSum = query.series.every(isAdditive) && query.formulas.length === 0 && !query.hidesOther
  return isSum && isAggregated(query)
    ? series.reduce((sum, { data }) => sum + (data[0] ?? 0), 0)
    : null
}

const COUNTED: Record<MathName, (property: string) => string> = {
  total: () => 'events',
  dau: () => 'unique persons',
  weekly_active: () => 'persons active within 7 days',
  monthly_active: () => 'persons active within 30 days',
  unique_session: () => 'sessions',
  first_time_for_user: () => 'persons at their first event',
  first_matching_event_for_user: () => 'persons at their first such event',
  sum: (property) => `sum of ${property}`,
  avg: (property) => `average of ${property}`,
  min: (property) => `least ${property}`,
  max: (property) => `largest ${property}`,
  median: (property) => `median of ${property}`,
  p75: (property) => `75th percentile of ${property}`,
  p90: (property) => `90th percentile of ${property}`,
  p95: (property) => `95th percentile of ${property}`,
  p99: (property) => `99th percentile of ${property}`,
  avg_count_per_actor: () => 'average events per person',
  min_count_per_actor: () => 'fewest events of a person',
  max_count_per_actor: () => 'most events of a person',
  median_count_per_actor: () => 'median events per person',
  p75_count_per_actor: () => '75th percentile of events per person',
  p90_count_per_actor: () => '90th percentile of events per person',
  p95_count_per_actor: () => '95th percentile of events per person',
  p99_count_per_actor: () => '99th percentile of events per person'
}

/** Says what the numbers of a trend are: `Signed up, unique persons by day`. */
function describeNumbers(query: TrendQuery): string {
  const { series, formulas, interval } = query
  const [first] = series
  const maths = new Set(series.map(({ math, property }) => `${math} ${property?.key ?? ''}`))
  const isAlone = series.length === 1 && first !== undefined && formulas.length === 0
  const words = [
    ...(isAlone ? [isolate(first.customName ?? plainName(first.name))] : []),
    ...(first && maths.size === 1 && formulas.length === 0 ? [describeMath(first)] : []),
    ...(isCumulative(query) ? ['added up'] : [])
  ].join(', ')
  const sentence = isAggregated(query) ? words : [words, `by ${interval}`].join(' ').trim()
  return sentence.replace(/^\p{Ll}/u, (letter) => (isAlone ? letter : letter.toUpperCase()))
}

const describeMath = ({ math, property }: SeriesQuery): string =>
  COUNTED[math](isolate(property?.key ?? ''))

/**
 * The marks of the earlier period, by the kind of chart; undefined for kinds that do not show it.
 */
const EARLIER: Partial<Record<Kind, string>> = {
  line: 'thin',
  bars: 'grey',
  values: 'mark',
  countries: 'mark',
  number: 'before',
  table: 'before'
}
/** With more lines, only the numbers have the earlier period. */
const MAX_COMPARED = 2

/** Says how a chart shows the earlier period: `thin: 24 Sep – 23 Oct 2026`. */
function describePeriod(
  kind: Kind,
  series: number,
  period: Period | undefined,
  timezone: string
): string[] {
  const mark = kind === 'line' && series > MAX_COMPARED ? 'before' : EARLIER[kind]
  const [first, last] = [period?.buckets[0], period?.buckets.at(-1)]
  if (!mark || !first || !last) {
    return []
  }
  return [`${mark}: ${describeRange(first.from, last.until, timezone)}`]
}
