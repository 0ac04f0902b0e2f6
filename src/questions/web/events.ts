import { listNames } from '../../events/definitions/store.ts'
import { planTrend } from '../../trends/computation.ts'
import type { SeriesQuery, TrendQuery } from '../../trends/query.ts'
import { computeTrend } from '../../trends/trend.ts'
import type { QuestionPlace } from '../place.ts'

/** How often an event happened in the period; `previous` is null without a comparison. */
export type WebEvent = { event: string; count: number; previous: number | null }

/** Names among which the most frequent that match filters are found. */
const CANDIDATES = 50

/**
 * Lists the most frequent events of the period, views or not, that match the filters themselves: of
 * the 50 names that are the most frequent without filters.
 * @throws query_too_large, attr the name of the limit
 */
export async function listWebEvents(
  place: QuestionPlace,
  trend: TrendQuery,
  limit: number,
  now: Date
): Promise<WebEvent[]> {
  const { db, project } = place
  const names = await findNames(place, trend, now)
  if (names.length === 0) {
    return []
  }
  const query = { ...trend, series: names.map((name, order) => seriesOf(trend, name, order)) }
  const { result } = await computeTrend(db, project, { query, now })
  const found = Map.groupBy(result, ({ action }) => action?.order ?? 0)
  return names
    .map((event, order) => {
      const [current, previous] = found.get(order) ?? []
      return {
        event,
        count: current?.aggregated_value ?? 0,
        previous: previous?.aggregated_value ?? null
      }
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.event < b.event ? -1 : 1))
    .slice(0, limit)
}

const seriesOf = (
  { series: [first] }: TrendQuery,
  event: string | null,
  order: number
): SeriesQuery => ({
  customName: null,
  property: undefined,
  filters: { type: 'AND', values: [] },
  properties: [],
  ...first,
  event,
  name: event ?? '',
  order,
  math: 'total'
})

/** Finds the most frequent names of the period. */
async function findNames(
  { db, project }: QuestionPlace,
  trend: TrendQuery,
  now: Date
): Promise<string[]> {
  const query = { ...trend, series: [seriesOf(trend, null, 0)] }
  const { parts } = await planTrend(db, project, { query, now })
  const [part] = parts[0] ?? []
  const [piece] = part?.pieces ?? []
  if (!part || !piece) {
    return []
  }
  const counts = [...part.overview.countByName(piece.since, piece.until)]
  const ids = counts
    .sort(([, a], [, b]) => b - a)
    .slice(0, CANDIDATES)
    .map(([id]) => id)
  const names = new Map((await listNames({ db, project })).map(({ id, name }) => [id, name]))
  return ids.flatMap((id) => names.get(id) ?? [])
}
