import { toIsoIn } from '../../calendar/clock.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { QuestionPlace } from '../place.ts'
import type { WebOverviewQuery } from './query.ts'
import { WebSessions } from './sessions.ts'
import { type WebNumbers, WebTotals } from './totals.ts'
import { planViews, readViews } from './views.ts'

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
}

/**
 * Computes visitors, views, sessions, their mean length and their bounce rate, of the sessions that
 * began in the period and have a view in it that matches the filters.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeWebOverview(
  place: QuestionPlace,
  { trend }: WebOverviewQuery,
  now: Date
): Promise<WebOverviewAnswer> {
  const planned = await planViews(place, trend, now)
  const periods = planned.periods.flatMap(({ buckets }) => buckets)
  const sessions = new WebSessions(place.db, { projectId: place.project.id, periods }, [])
  const numbers: WebNumbers[] = []
  for (const period of periods.keys()) {
    const sink = new WebTotals(sessions)
    await readViews(planned, period, sessions, [{ filters: trend.filters, by: undefined, sink }])
    numbers.push(sink.numbers)
  }
  const [whole] = periods
  const dayOf = (time: number) =>
    toIsoIn(time, place.project.timezone).slice(0, 'YYYY-MM-DD'.length)
  return {
    results: toItems(numbers),
    samplingRate: { numerator: 1, denominator: 1 },
    dateFrom: whole ? dayOf(whole.from) : null,
    dateTo: whole ? dayOf(whole.until - 1) : null,
    resolved_date_range: resolveRange(planned.periods[0])
  }
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
