import { labelAxis } from '../../src/calendar/axis.ts'
import type { Interval } from '../../src/calendar/buckets.ts'
import { describeRange } from '../../src/calendar/words.ts'
import type { Chart, Kind, Series } from '../../src/charts/chart.ts'
import { plainName } from '../../src/events/names.ts'
import { NONE, nameOfValues, OTHER } from '../../src/trends/value-names.ts'

/*
 * Answers of `query/` as charts: what `GET insights/{id}/chart.svg` draws for a saved insight, drawn
 * here for any question.
 */

/** A series of a question, as the API takes it. `event` is null for any event. */
export type SeriesNode = {
  kind: 'EventsNode'
  event: string | null
  custom_name?: string
  math?: string
  math_property?: string
  math_property_type?: string
  properties?: unknown[]
}

/** An event of retention. */
export type EntityNode = {
  id: string | null
  type?: 'events'
  custom_name?: string
  properties?: unknown[]
}

/** A question as the API takes it, as far as the console reads it. */
export type QuestionNode = {
  kind: string
  series?: SeriesNode[]
  interval?: Interval
  dateRange?: { date_from?: string | null; date_to?: string | null }
  properties?: unknown
  filterTestAccounts?: boolean
  breakdownFilter?: {
    breakdown?: string | null
    breakdown_type?: string
    breakdowns?: { property: string; type?: string }[] | null
    breakdown_limit?: number
  }
  compareFilter?: { compare?: boolean; compare_to?: string }
  trendsFilter?: {
    display?: string
    formula?: string
    formulas?: string[]
    formulaNodes?: { formula: string; custom_name?: string }[]
  }
  funnelsFilter?: {
    funnelVizType?: string
    funnelOrderType?: string
    funnelWindowInterval?: number
    funnelWindowIntervalUnit?: string
  }
  retentionFilter?: {
    targetEntity?: EntityNode
    returningEntity?: EntityNode
    retentionType?: string
    period?: string
    totalIntervals?: number
    cumulative?: boolean
  }
  stickinessFilter?: { computedAs?: string }
  [other: string]: unknown
}

/** An answer of `query/` to a question that can be drawn. */
export type Answer = {
  results: unknown
  resolved_date_range: { date_from: string; date_to: string } | null
  hasMore?: boolean
}

/** Whose clock a chart is drawn by, and when. */
export type ChartPlace = { timezone: string; now: Date }

/** A chart with what the page besides needs of its answer. */
export type DrawnAnswer = Chart & {
  interval: Interval | undefined
  /** The starts of the buckets of the period before, as in `days`; empty without a comparison. */
  earlier: string[]
  /** How the API calls each series, in their order. */
  keys: SeriesKey[]
}

/** How the API calls a series of an answer. */
export type SeriesKey = {
  /** The place of the series in the question. */
  place: number
  breakdown?: string | string[]
  /** The place of the row of retention. */
  row?: number
  /** The status of a lifecycle. */
  status?: string
}

/** Takes a question out of the node that says how it is shown. */
export const questionIn = (node: QuestionNode): QuestionNode =>
  (node.source as QuestionNode | undefined) ?? node

/** Returns the chart of an answer, and undefined for a question that has none. */
export function chartOf(
  node: QuestionNode,
  answer: Answer,
  place: ChartPlace
): DrawnAnswer | undefined {
  const question = questionIn(node)
  return DRAWN[question.kind]?.(question, answer, place)
}

const DRAWN: Record<
  string,
  (question: QuestionNode, answer: Answer, place: ChartPlace) => DrawnAnswer
> = {
  TrendsQuery: drawTrend,
  FunnelsQuery: drawFunnel,
  RetentionQuery: drawRetention,
  LifecycleQuery: drawLifecycle,
  StickinessQuery: drawStickiness
}

const nameOfSeries = ({ event, custom_name: name }: SeriesNode): string =>
  name || (event === null ? 'Any event' : plainName(event))

const BASE: Pick<DrawnAnswer, 'warning' | 'total' | 'earlier' | 'interval' | 'days'> = {
  warning: null,
  total: null,
  earlier: [],
  interval: undefined,
  days: []
}

function subtitleOf({ resolved_date_range: range }: Answer, { timezone }: ChartPlace): string {
  const dates = range
    ? [describeRange(Date.parse(range.date_from), Date.parse(range.date_to) + 1, timezone)]
    : []
  return [...dates, timezone].join(' · ')
}

/** The length of an interval within which a whole one has no other length, ms. */
const LENGTHS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 }

/** Counts the buckets that are over. @param days where they begin, local to the time zone */
export function countFinished(days: string[], interval: Interval, place: ChartPlace): number {
  const now = clockOf(place)
  const isOver = (day: string): boolean =>
    interval === 'month'
      ? day.slice(0, 7) < new Date(now).toISOString().slice(0, 7)
      : Date.parse(`${day.replace(' ', 'T')}${day.includes(' ') ? '' : 'T00:00:00'}Z`) +
          LENGTHS[interval] <=
        now
  return days.filter(isOver).length
}

/** Returns the time of the clock in the time zone, as if it were UTC, ms. */
function clockOf({ timezone, now }: ChartPlace): number {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium'
  }).format(now)
  return Date.parse(`${text.replace(' ', 'T')}Z`)
}

type TrendLine = {
  action: { order: number; name: string; custom_name: string | null } | null
  label: string
  data: number[]
  days: string[]
  aggregated_value?: number
  breakdown_value?: string | string[]
  compare_label?: 'current' | 'previous'
}

const KINDS: Record<string, Kind> = {
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

/** Kinds that stack series, and those that replace them when two periods are compared. */
const COMPARED: Partial<Record<Kind, Kind>> = { area: 'line', stacked: 'bars' }

/** Returns the formulas of a trend, in whichever of its members they are. */
export const formulasOf = ({
  trendsFilter: { formula, formulas, formulaNodes } = {}
}: QuestionNode) =>
  formulaNodes ?? (formulas ?? (formula ? [formula] : [])).map((text) => ({ formula: text }))

/** Returns the properties by which a question is broken down. */
export const breakdownsOf = ({ breakdownFilter: by = {} }: QuestionNode): { key: string }[] =>
  by.breakdowns?.map(({ property }) => ({ key: property })) ??
  (by.breakdown ? [{ key: by.breakdown }] : [])

function drawTrend(question: QuestionNode, answer: Answer, place: ChartPlace): DrawnAnswer {
  const lines = answer.results as TrendLine[]
  const interval = question.interval ?? 'day'
  const current = lines.filter((line) => line.compare_label !== 'previous')
  const previous = lines.filter((line) => line.compare_label === 'previous')
  const isAggregated = current.some((line) => line.aggregated_value !== undefined)
  const asked = KINDS[question.trendsFilter?.display ?? ''] ?? 'line'
  const days = isAggregated ? [] : (current[0]?.days ?? [])
  const finished = countFinished(days, interval, place)
  const breakdowns = breakdownsOf(question)
  const formulas = formulasOf(question)
  const isAlone = (formulas.length > 0 ? formulas : (question.series ?? [])).length === 1
  const numbersOf = (line: TrendLine) =>
    line.aggregated_value === undefined ? line.data : [line.aggregated_value]
  const nameOf = ({ action, label, breakdown_value: value }: TrendLine): string => {
    const name = action ? (action.custom_name ?? plainName(action.name)) : label
    if (value === undefined) {
      return name
    }
    const own = action ? name : (label.split(' - ')[0] ?? '')
    return [...(isAlone ? [] : [own]), nameOfValues(breakdowns, [value].flat())].join(' · ')
  }
  const titles = (question.series ?? []).map(nameOfSeries)
  return {
    ...BASE,
    title:
      formulas.length > 0 ? formulas.map(({ formula }) => formula).join(', ') : titles.join(', '),
    subtitle: subtitleOf(answer, place),
    counted: '',
    kind: previous.length > 0 ? (COMPARED[asked] ?? asked) : asked,
    buckets: labelAxis(days, interval, finished),
    days,
    interval: isAggregated ? undefined : interval,
    earlier: isAggregated ? [] : (previous[0]?.days ?? []),
    finished,
    series: current.map((line, i): Series => {
      const before = previous[i]
      return {
        name: nameOf(line),
        data: numbersOf(line),
        ...(before && { previous: numbersOf(before) }),
        ...([line.breakdown_value].flat()[0] === OTHER && { isRest: true })
      }
    }),
    keys: current.map(({ action, breakdown_value: breakdown }) => ({
      place: action?.order ?? 0,
      ...(breakdown !== undefined && { breakdown })
    }))
  }
}

type FunnelStepAnswer = {
  name: string
  custom_name: string | null
  count: number
  average_conversion_time: number | null
  median_conversion_time: number | null
  breakdown_value?: string[]
}

type FunnelTimesAnswer = { bins: [number, number][] }

type FunnelLine = { data: number[]; days: string[]; breakdown_value?: string[] }

const PERSONS = 'Persons'

/** The value of a funnel's breakdown for all values beyond the limit. */
const OTHER_OF_FUNNEL = 'Other'

const nameOfFunnelLine = (question: QuestionNode, values: string[] | undefined): string =>
  values
    ? nameOfValues(
        breakdownsOf(question),
        values.map((value) => (value === OTHER_OF_FUNNEL ? OTHER : value || NONE))
      )
    : PERSONS

const keyOfFunnelLine = (values: string[] | undefined): SeriesKey => ({
  place: 0,
  ...(values && { breakdown: values })
})

function drawFunnel(question: QuestionNode, answer: Answer, place: ChartPlace): DrawnAnswer {
  const names = (question.series ?? []).map(nameOfSeries)
  const base = {
    ...BASE,
    title: [names[0], names.at(-1)].join(' → '),
    subtitle: subtitleOf(answer, place),
    counted: PERSONS
  }
  const view = question.funnelsFilter?.funnelVizType
  if (view === 'time_to_convert') {
    const { bins } = answer.results as FunnelTimesAnswer
    return {
      ...base,
      kind: 'bars',
      buckets: bins.map(([from]) => `${Math.round(from)} s`),
      series: [{ name: PERSONS, data: bins.map(([, count]) => count) }],
      finished: bins.length,
      keys: [{ place: 0 }]
    }
  }
  if (view === 'trends') {
    const lines = answer.results as FunnelLine[]
    const interval = question.interval ?? 'day'
    const days = lines[0]?.days ?? []
    const finished = countFinished(days, interval, place)
    return {
      ...base,
      kind: 'line',
      unit: 'percent',
      interval,
      days,
      buckets: labelAxis(days, interval, finished),
      finished,
      series: lines.map(({ data, breakdown_value: value }) => ({
        name: nameOfFunnelLine(question, value),
        data
      })),
      keys: lines.map(({ breakdown_value: value }) => keyOfFunnelLine(value))
    }
  }
  const all = answer.results as FunnelStepAnswer[] | FunnelStepAnswer[][]
  const lists = (Array.isArray(all[0]) ? all : [all]) as FunnelStepAnswer[][]
  const valuesOf = (list: FunnelStepAnswer[]) => list[0]?.breakdown_value
  const steps = (lists[0] ?? []).map(({ name, custom_name: own }) => own ?? plainName(name))
  return {
    ...base,
    kind: 'funnel',
    buckets: steps,
    finished: steps.length,
    series: lists.map((list) => ({
      name: nameOfFunnelLine(question, valuesOf(list)),
      data: list.map(({ count }) => count),
      times: list.map(({ average_conversion_time: average, median_conversion_time: median }) => ({
        average,
        median
      })),
      ...(valuesOf(list)?.[0] === OTHER_OF_FUNNEL && { isRest: true })
    })),
    keys: lists.map((list) => keyOfFunnelLine(valuesOf(list)))
  }
}

type RetentionRowAnswer = {
  date: string
  breakdown_value: string | null
  values: { count: number; label: string; complete?: false }[]
}

const PERIODS: Record<string, Interval> = { Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' }

function drawRetention(question: QuestionNode, answer: Answer, place: ChartPlace): DrawnAnswer {
  const rows = answer.results as RetentionRowAnswer[]
  const { targetEntity, period = 'Day' } = question.retentionFilter ?? {}
  const interval = PERIODS[period] ?? 'day'
  const dates = [...new Set(rows.map(({ date }) => date))]
  const days = dates.map((date) =>
    interval === 'hour' ? date.slice(0, 19).replace('T', ' ') : date.slice(0, 10)
  )
  const names = labelAxis(days, interval, days.length)
  const begun = dates.filter((date) => Date.parse(date) <= place.now.getTime()).length
  const columns = (rows[0]?.values ?? []).map(({ label }) => label)
  const distances = columns.map((label) => Number(/\d+/.exec(label)?.[0] ?? 0))
  const target = targetEntity?.id === undefined ? '$pageview' : targetEntity.id
  return {
    ...BASE,
    title: `Retention of ${targetEntity?.custom_name || (target === null ? 'any event' : plainName(target))}`,
    subtitle: subtitleOf(answer, place),
    counted: '',
    kind: 'retention',
    interval,
    buckets: columns,
    finished: columns.length,
    series: rows.map(({ date, breakdown_value: value, values }): Series => {
      const row = dates.indexOf(date)
      return {
        name: names[row] ?? '',
        data: values.map(({ count }) => count),
        cohort: {
          day: days[row] ?? '',
          ...(value !== null && { value: nameOfValues(breakdownsOf(question), [value || NONE]) }),
          finished: values.filter(({ complete }) => complete !== false).length,
          begun: distances.filter((distance) => row + distance < begun).length
        }
      }
    }),
    keys: rows.map(({ date, breakdown_value: breakdown }) => ({
      place: 0,
      row: dates.indexOf(date),
      ...(breakdown !== null && { breakdown })
    }))
  }
}

type LifecycleLine = { status: string; data: number[]; days: string[] }

const STATUSES: Record<string, string> = {
  new: 'New',
  returning: 'Returning',
  resurrecting: 'Resurrecting',
  dormant: 'Dormant'
}

function drawLifecycle(question: QuestionNode, answer: Answer, place: ChartPlace): DrawnAnswer {
  const lines = answer.results as LifecycleLine[]
  const interval = question.interval ?? 'day'
  const days = lines[0]?.days ?? []
  const finished = countFinished(days, interval, place)
  return {
    ...BASE,
    title: `Lifecycle of ${(question.series ?? []).map(nameOfSeries).join(', ')}`,
    subtitle: subtitleOf(answer, place),
    counted: '',
    kind: 'stacked',
    interval,
    days,
    buckets: labelAxis(days, interval, finished),
    finished,
    series: lines.map(({ status, data }) => ({ name: STATUSES[status] ?? status, data })),
    keys: lines.map(({ status }) => ({ place: 0, status }))
  }
}

type StickinessLine = {
  label: string
  data: number[]
  labels: string[]
  compare_label?: 'current' | 'previous'
}

function drawStickiness(question: QuestionNode, answer: Answer, place: ChartPlace): DrawnAnswer {
  const lines = answer.results as StickinessLine[]
  const current = lines.filter((line) => line.compare_label !== 'previous')
  const previous = lines.filter((line) => line.compare_label === 'previous')
  const buckets = current[0]?.labels ?? []
  return {
    ...BASE,
    title: `Stickiness of ${(question.series ?? []).map(nameOfSeries).join(', ')}`,
    subtitle: subtitleOf(answer, place),
    counted: '',
    kind: 'bars',
    buckets,
    finished: buckets.length,
    series: current.map(({ data }, i) => ({
      name: nameOfSeries(question.series?.[i] ?? { kind: 'EventsNode', event: null }),
      data,
      ...(previous[i] && { previous: previous[i].data })
    })),
    keys: current.map((_, place) => ({ place }))
  }
}
