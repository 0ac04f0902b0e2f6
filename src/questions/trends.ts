import { toIso } from '../calendar/clock.ts'
import type { Overviews } from '../columns/sealed.ts'
import type { Db } from '../db/client.ts'
import type { Period, TrendSeries } from '../trends/answer.ts'
import { toNodePath } from '../trends/node-paths.ts'
import type { ProjectCalendar } from '../trends/periods.ts'
import type { TrendQuery } from '../trends/query.ts'
import { computeTrend } from '../trends/trend.ts'
import { rethrowing } from './paths.ts'

type Found = { db: Db; project: ProjectCalendar; found?: Overviews | undefined }

type DateRange = { date_from: string; date_to: string }

type TrendsAnswer = {
  results: TrendSeries[]
  /** Whether there are more values of the breakdown than its limit. */
  hasMore: boolean
  resolved_date_range: DateRange | null
}

/** Computes the answer to a `TrendsQuery`. @throws the errors of `computeTrend`, attr the path */
export async function computeTrends(
  { db, project, found }: Found,
  query: TrendQuery,
  now: Date
): Promise<TrendsAnswer> {
  const computed = computeTrend(db, project, { query, now, found })
  const { result, periods, hasMore } = await computed.catch(rethrowing(toNodePath))
  return { results: result, hasMore, resolved_date_range: rangeOf(periods[0]) }
}

/** Returns the times, UTC, of the first and the last millisecond of a period. */
function rangeOf(period: Period | undefined): DateRange | null {
  const [first, last] = [period?.buckets[0], period?.buckets.at(-1)]
  return first && last ? { date_from: toIso(first.from), date_to: toIso(last.until - 1) } : null
}
