import type { Overviews } from '../columns/sealed.ts'
import type { Db } from '../db/client.ts'
import type { TrendSeries } from '../trends/answer.ts'
import { toNodePath } from '../trends/node-paths.ts'
import type { ProjectCalendar } from '../trends/periods.ts'
import type { TrendQuery } from '../trends/query.ts'
import { computeTrend } from '../trends/trend.ts'
import { type ResolvedRange, resolveRange } from './date-range.ts'
import { rethrowing } from './paths.ts'

type Found = { db: Db; project: ProjectCalendar; found?: Overviews | undefined }

type TrendsAnswer = {
  results: TrendSeries[]
  /** Whether there are more values of the breakdown than its limit. */
  hasMore: boolean
  resolved_date_range: ResolvedRange | null
}

/** Computes the answer to a `TrendsQuery`. @throws the errors of `computeTrend`, attr the path */
export async function computeTrends(
  { db, project, found }: Found,
  query: TrendQuery,
  now: Date
): Promise<TrendsAnswer> {
  const computed = computeTrend(db, project, { query, now, found })
  const { result, periods, hasMore } = await computed.catch(rethrowing(toNodePath))
  return { results: result, hasMore, resolved_date_range: resolveRange(periods[0]) }
}
