import { findDrawn } from '../../annotations/store.ts'
import type { Range } from '../../calendar/buckets.ts'
import { toIso, toIsoIn } from '../../calendar/clock.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { ListAnswer } from '../list-answer.ts'
import type { QuestionPlace } from '../place.ts'
import { listWebEvents, type WebEvent } from './events.ts'
import { WebAllowance } from './groups.ts'
import type { WebOverviewQuery } from './query.ts'
import { SeriesCount, type WebSeries } from './series.ts'
import { TableCount } from './stats-table.ts'
import { TotalsCount, type WebNumbers } from './totals.ts'
import { countViews } from './views.ts'

/** A number in the answer to a `WebOverviewQuery`. */
export type WebOverviewItem = {
  key: 'visitors' | 'views' | 'sessions' | 'session duration' | 'bounce rate'
  kind: 'unit' | 'duration_s' | 'percentage'
  value: number | null
  /** The number of the period before; null without a comparison. */
  previous: number | null
  /** By how many percent the number has grown; null unless there is a previous one but 0. */
  changeFromPreviousPct: number | null
  isIncreaseBad: true | null
}

export type WebOverviewAnswer = {
  results: WebOverviewItem[]
  samplingRate: { numerator: 1; denominator: 1 }
  /** The first and the last day of the period in the time zone of the project. */
  dateFrom: string | null
  dateTo: string | null
  resolved_date_range: ResolvedRange | null
  /** The numbers over time, with an `interval`. */
  series?: WebSeries
  /** With `tables`: one for each, in this order. */
  tables?: ListAnswer[]
  /** With `events`: the most frequent ones, whether they are views or not. */
  events?: WebEvent[]
  /** With `annotations`: the latest that all charts of the project show, in the order of time. */
  annotations?: { date_marker: string; content: string }[]
}

/**
 * Computes visitors, views, sessions, their mean length and their bounce rate, of the sessions that
 * began in the period and have a view in it that matches the filters. The same, if it is asked for,
 * over time and in tables, from the same reading of the views.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeWebOverview(
  place: QuestionPlace,
  query: WebOverviewQuery,
  now: Date
): Promise<WebOverviewAnswer> {
  const { trend, interval } = query
  const { timezone } = place.project
  const allowance = new WebAllowance()
  const totals = new TotalsCount(trend.filters)
  const series = interval && new SeriesCount(trend.filters, interval, place.project)
  const tables = query.tables?.map((table) => new TableCount(table, trend.filters, allowance))
  const counts = [totals, ...(series ? [series] : []), ...(tables ?? [])]
  const { planned, periods } = await countViews(place, trend, now, { counts, allowance })
  const [whole] = periods
  const dayOf = (time: number) => toIsoIn(time, timezone).slice(0, 'YYYY-MM-DD'.length)
  return {
    results: toItems(totals.numbers),
    samplingRate: { numerator: 1, denominator: 1 },
    dateFrom: whole ? dayOf(whole.from) : null,
    dateTo: whole ? dayOf(whole.until - 1) : null,
    resolved_date_range: resolveRange(planned.periods[0]),
    ...(series && { series: series.answer(now) }),
    ...(tables && { tables: tables.map((table) => table.answer()) }),
    ...(query.events && { events: await listWebEvents(place, trend, query.events, now) }),
    ...(query.hasAnnotations && { annotations: whole ? await listAnnotations(place, whole) : [] })
  }
}

async function listAnnotations(place: QuestionPlace, period: Range) {
  const found = await findDrawn(place, { insightId: null, dashboardId: null }, period)
  return found.map(({ at, text }) => ({ date_marker: toIso(at), content: text }))
}

function toItems([current, previous]: readonly WebNumbers[]): WebOverviewItem[] {
  const item = (
    key: WebOverviewItem['key'],
    kind: WebOverviewItem['kind'],
    numberOf: (numbers: WebNumbers) => number | null
  ): WebOverviewItem => {
    const value = current ? numberOf(current) : null
    const before = previous ? numberOf(previous) : null
    return {
      key,
      kind,
      value,
      previous: before,
      changeFromPreviousPct:
        value === null || !before ? null : Math.round((100 * (value - before)) / before),
      isIncreaseBad: key === 'bounce rate' || null
    }
  }
  return [
    item('visitors', 'unit', ({ visitors }) => visitors),
    item('views', 'unit', ({ views }) => views),
    item('sessions', 'unit', ({ sessions }) => sessions),
    item('session duration', 'duration_s', ({ seconds }) => seconds),
    item('bounce rate', 'percentage', ({ bounceRate }) => bounceRate)
  ]
}
