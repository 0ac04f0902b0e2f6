import { daysBefore, type Range } from '../../calendar/buckets.ts'
import { DAY, HOUR, MINUTE } from '../../calendar/units.ts'
import type { Series } from '../../charts/chart.ts'
import { formatDuration, formatValue } from '../../charts/format.ts'
import { plainName } from '../../events/names.ts'
import { isolate } from '../../input/show.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import { NONE, nameOfValues, OTHER } from '../../trends/value-names.ts'
import type { ResolvedRange } from '../date-range.ts'
import {
  type DrawingPlace,
  type DrawnQuestion,
  nameOfEvent,
  type QuestionFigure,
  rangeOfAnswer,
  subtitleOf,
  timeAxis,
  uncountedOf
} from '../drawing.ts'
import type { FunnelAnswer, FunnelStep, FunnelTimes, FunnelTrend } from './answer.ts'
import type { FunnelQuery } from './query.ts'
import { OTHER_VALUES } from './values.ts'

type Answered = FunnelAnswer & { resolved_date_range: ResolvedRange | null }

/** Draws the answer to a funnel. @param before the answer for the period before, if it is known */
export function drawFunnelAnswer(
  query: FunnelQuery,
  answer: Answered,
  { project, now, before }: DrawingPlace & { before?: Answered | undefined }
): DrawnQuestion {
  const range = rangeOfAnswer(answer.resolved_date_range, query.trend)
  const common = {
    title: [query.from, query.to].map((step) => nameOfStep(query, step)).join(' → '),
    subtitle: subtitleOf(range, project),
    total: null
  }
  // The casts are safe: the view of a query decides the results of its answer.
  switch (query.view) {
    case 'steps': {
      const lists = listsOf(query, answer)
      const earlier = before && listsOf(query, before)
      return { ...drawSteps(query, lists, common), range, figures: sumUp(query, lists, earlier) }
    }
    case 'time_to_convert': {
      const times = answer.results as FunnelTimes
      const earlier = before?.results as FunnelTimes | undefined
      return { ...drawTimes(query, times, common), range, figures: sumUpTimes(times, earlier) }
    }
    case 'trends': {
      const lines = answer.results as FunnelTrend[]
      return { ...drawTrends(query, lines, { common, range, project, now }), range }
    }
  }
}

type Common = { title: string; subtitle: string; total: null }

/** Returns the funnel of the period before, which is as long; undefined if there is none. */
export function earlierFunnel(
  query: FunnelQuery,
  { timezone }: ProjectCalendar
): FunnelQuery | undefined {
  const { from, until } = query.trend
  if (from === 'all' || query.view === 'trends') {
    return undefined
  }
  const days = Math.round((until - from) / DAY)
  const start = days === 0 ? from - (until - from) : daysBefore(from, days, timezone)
  return { ...query, trend: { ...query.trend, from: start, until: from } }
}

/** Returns the steps for each value of the breakdown; without one, a single list. */
const listsOf = ({ trend }: FunnelQuery, { results }: Answered): FunnelStep[][] =>
  (trend.breakdowns.length > 0 ? results : [results]) as FunnelStep[][]

const nameOfStep = ({ trend }: FunnelQuery, step: number): string => {
  const series = trend.series[step]
  return series ? nameOfEvent(series) : ''
}

const SUBJECTS = { actors: 'Persons', sessions: 'Sessions' }

function nameOfLine({ trend, subjects }: FunnelQuery, values: string[] | undefined): string {
  const asTrend = values?.map((value) => (value === OTHER_VALUES ? OTHER : value || NONE))
  return asTrend ? nameOfValues(trend.breakdowns, asTrend) : SUBJECTS[subjects]
}

const isRest = (values: string[] | undefined): boolean => values?.[0] === OTHER_VALUES

function drawSteps(query: FunnelQuery, lists: FunnelStep[][], common: Common) {
  const steps = lists[0] ?? []
  const series = lists.map(
    (list): Series => ({
      name: nameOfLine(query, valuesOf(list)),
      data: list.map(({ count }) => count),
      times: list.map(({ average_conversion_time, median_conversion_time }) => ({
        average: average_conversion_time,
        median: median_conversion_time
      })),
      ...(isRest(valuesOf(list)) && { isRest: true })
    })
  )
  const names = steps.map(({ name, custom_name }) => custom_name ?? plainName(name))
  return {
    chart: {
      ...common,
      counted: [
        describeRules(query),
        ...(series.length === 1 ? describeLoss(names, series) : [])
      ].join('; '),
      kind: 'funnel' as const,
      buckets: names,
      days: [],
      series,
      finished: names.length
    },
    buckets: [],
    uncounted: uncountedOf(stepsOnly(query), (step) => series.map(({ data }) => data[step] ?? 0))
  }
}

/** Leaves out the events that are excluded. */
const stepsOnly = ({ trend, rules }: FunnelQuery): FunnelQuery['trend'] => ({
  ...trend,
  // The steps of a funnel without an order are not those of its answer.
  series: rules.order === 'unordered' ? [] : trend.series.slice(0, rules.steps)
})

const ORDERS = { ordered: '', strict: ', no event between', unordered: ', in any order' }

/** `Persons within 14 days` */
function describeRules({ subjects, rules }: FunnelQuery): string {
  return `${SUBJECTS[subjects]} within ${describeWindow(rules.window)}${ORDERS[rules.order]}`
}

/** Units of a window, the largest that divides it. */
const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', 1_000]
] as const

function describeWindow(window: number): string {
  const [name, length] = UNITS.find(([, unit]) => window % unit === 0) ?? ['second', 1_000]
  const count = window / length
  return `${formatValue(count)} ${name}${count === 1 ? '' : 's'}`
}

/** Says before which step most leave. */
function describeLoss(names: string[], [one]: Series[]): string[] {
  const losses = names.slice(1).map((_, i) => (one?.data[i] ?? 0) - (one?.data[i + 1] ?? 0))
  const most = Math.max(...losses)
  const name = names[losses.indexOf(most) + 1]
  return most > 0 && name ? [`most leave before ${isolate(name)}: ${formatValue(most)}`] : []
}

const valuesOf = (list: FunnelStep[]) => list[0]?.breakdown_value

/** Returns the conversion, in percent, for each value of the breakdown. */
function sumUp(
  query: FunnelQuery,
  lists: FunnelStep[][],
  earlier: FunnelStep[][] | undefined
): QuestionFigure[] {
  return lists.map((list) => {
    const key = JSON.stringify(valuesOf(list))
    const before = earlier?.find((one) => JSON.stringify(valuesOf(one)) === key)
    const isBrokenDown = valuesOf(list) !== undefined
    return {
      label: isBrokenDown ? nameOfLine(query, valuesOf(list)) : 'Conversion',
      value: conversionOf(list) ?? 0,
      previous: before ? conversionOf(before) : null,
      unit: 'percent'
    }
  })
}

/** Returns the share of the first step that got to the last one, percent; null of nobody. */
function conversionOf(list: FunnelStep[]): number | null {
  const [first, last] = [list[0]?.count ?? 0, list.at(-1)?.count ?? 0]
  return first === 0 ? null : (last / first) * 100
}

function drawTimes(query: FunnelQuery, { bins, ...times }: FunnelTimes, common: Common) {
  const { average_conversion_time: average, median_conversion_time: median } = times
  const described =
    average === null || median === null
      ? []
      : [`${formatDuration(median)} in the median, ${formatDuration(average)} on average`]
  const name = SUBJECTS[query.subjects]
  return {
    chart: {
      ...common,
      counted: [`${name} by the time to convert`, ...described].join('; '),
      kind: 'bars' as const,
      buckets: labelTimes(bins.map(([from]) => from)),
      days: [],
      series: [{ name, data: bins.map(([, count]) => count) }],
      finished: bins.length
    },
    buckets: [],
    uncounted: []
  }
}

/** Labels the beginnings of ranges of time, seconds, all in the unit of the last one. */
function labelTimes(starts: number[]): string[] {
  const longest = (starts.at(-1) ?? 0) * 1_000
  const [name, length] = UNITS.find(([, unit]) => longest >= 2 * unit) ?? ['second', 1_000]
  return starts.map((start) => `${formatValue((start * 1_000) / length)} ${SHORT[name]}`)
}

const SHORT = { day: 'd', hour: 'h', minute: 'min', second: 's' }

function sumUpTimes(
  { median_conversion_time: median }: FunnelTimes,
  earlier: FunnelTimes | undefined
): QuestionFigure[] {
  const previous = earlier?.median_conversion_time ?? null
  return median === null
    ? []
    : [
        {
          label: 'Median time to convert',
          value: median,
          previous,
          unit: 'seconds',
          isIncreaseBad: true
        }
      ]
}

function drawTrends(
  query: FunnelQuery,
  lines: FunnelTrend[],
  { common, range, ...place }: DrawingPlace & { common: Common; range: Range }
) {
  const { axis, buckets } = timeAxis(range, lines[0]?.days ?? [], query.trend, place)
  const series = lines.map(
    ({ data, breakdown_value }): Series => ({
      name: nameOfLine(query, breakdown_value),
      data,
      ...(isRest(breakdown_value) && { isRest: true })
    })
  )
  const last = axis.finished - 1
  const figures = series.map(
    ({ name, data }): QuestionFigure => ({
      label: name,
      value: data[last] ?? 0,
      previous: data[last - 1] ?? null,
      unit: 'percent'
    })
  )
  return {
    chart: {
      ...common,
      counted: `${describeRules(query)}, share that converted by ${query.trend.interval}`,
      kind: 'line' as const,
      ...axis,
      series,
      unit: 'percent' as const
    },
    buckets,
    figures,
    uncounted: []
  }
}
