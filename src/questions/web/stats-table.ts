import type { Grouping } from '../../columns/grouping.ts'
import type { Json } from '../../input/json.ts'
import { type FilterGroup, isGroup } from '../../properties/filter.ts'
import { toDimension } from '../../trends/dimensions.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { ListAnswer } from '../list-answer.ts'
import type { QuestionPlace } from '../place.ts'
import { WEB_BREAKDOWNS, type WebBreakdown } from './breakdowns.ts'
import { SessionGroups, WebGrouping } from './groups.ts'
import type { WebOrder, WebTableQuery } from './query.ts'
import { BounceRows, VisitorRows } from './rows.ts'
import { WebSessions } from './sessions.ts'
import { planViews, readViews, type ViewTally } from './views.ts'

/** Each row has a value of the breakdown, and a cell for each number. */
export type WebTableAnswer = ListAnswer & { resolved_date_range: ResolvedRange | null }

/** A row, as it is sorted and shown. Each list has a number for each period. */
type Row = {
  value: string | null
  visitors: number[]
  views: number[]
  bounceRates: (number | null)[]
}

/**
 * Computes the visitors and views of each value of a breakdown, of the sessions that began in the
 * period, and the share of these sessions that are bounces.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeWebTable(
  place: QuestionPlace,
  query: WebTableQuery,
  now: Date
): Promise<WebTableAnswer> {
  const planned = await planViews(place, query.trend, now)
  const rows = await computeRows(place, query, planned)
  const sorted = rows.sort(compareRows(query))
  const { offset, limit, hasBounceRate, breakdown } = query
  const isCompared = planned.periods.length > 1
  const cell = ([current, previous]: readonly (number | null)[]) => [
    current ?? null,
    isCompared ? (previous ?? null) : null
  ]
  return {
    results: sorted
      .slice(offset, offset + limit)
      .map(({ value, visitors, views, bounceRates }) => [
        shownValue(value, breakdown),
        cell(visitors),
        cell(views),
        ...(hasBounceRate ? [cell(bounceRates)] : [])
      ]),
    columns: [
      'breakdown_value',
      'visitors',
      'views',
      ...(hasBounceRate ? ['bounce_rate'] : [])
    ].map((name) => `context.columns.${name}`),
    types: [
      breakdown.properties.length > 1 ? 'Array(Nullable(String))' : 'Nullable(String)',
      COUNTS,
      COUNTS,
      ...(hasBounceRate ? [RATES] : [])
    ],
    hasMore: sorted.length > offset + limit,
    limit,
    offset,
    resolved_date_range: resolveRange(planned.periods[0])
  }
}

const COUNTS = 'Tuple(UInt64, Nullable(UInt64))'
const RATES = 'Tuple(Nullable(Float64), Nullable(Float64))'

/** Returns what an answer shows as the value of a row. */
const shownValue = (value: string | null, { properties }: WebBreakdown): Json =>
  value !== null && properties.length > 1 ? JSON.parse(value) : value

async function computeRows(
  { db, project }: QuestionPlace,
  { trend, breakdown, isByPage, hasBounceRate }: WebTableQuery,
  planned: Awaited<ReturnType<typeof planViews>>
): Promise<Row[]> {
  const periods = planned.periods.flatMap(({ buckets }) => buckets)
  const grouping = new WebGrouping()
  const by = groupBy(breakdown, grouping)
  const entries = new WebGrouping()
  const byEntry = isByPage && hasBounceRate ? groupBy(WEB_BREAKDOWNS.InitialPage, entries) : by
  const bySessions = [...new Set([by, byEntry])].filter((one) => one instanceof SessionGroups)
  const sessions = new WebSessions(db, { projectId: project.id, periods }, bySessions)
  const counted: Counted[] = []
  for (const period of periods.keys()) {
    const [visitors, bounces] = [new VisitorRows(), new BounceRows(sessions)]
    const tallies: ViewTally[] = [{ filters: trend.filters, by, sink: visitors }]
    if (hasBounceRate) {
      const filters = isByPage ? withoutPath(trend.filters) : trend.filters
      tallies.push({ filters, by: byEntry, sink: bounces })
    }
    await readViews(planned, period, sessions, tallies)
    counted.push({ visitors: visitors.visitors, views: visitors.views, rates: bounces.rates })
  }
  const groups = Math.max(...counted.map(({ views }) => views.length))
  const rated = byEntry === by ? grouping : entries
  return Array.from({ length: groups }, (_, group) => ({ group, value: textOf(grouping, group) }))
    .filter(({ value }) => value !== null || breakdown.showsNull)
    .map(({ group, value }) => ({
      value,
      visitors: counted.map(({ visitors }) => visitors[group] ?? 0),
      views: counted.map(({ views }) => views[group] ?? 0),
      bounceRates: counted.map(({ rates }) => rates[rated.find(value) ?? -1] ?? null)
    }))
    .filter(({ views }) => views.some((count) => count > 0))
}

/** The numbers of a period, by group. */
type Counted = { visitors: number[]; views: number[]; rates: (number | null)[] }

const textOf = (grouping: Grouping, group: number): string | null => {
  const value = grouping.valueOf(group)
  return typeof value === 'string' ? value : null
}

function groupBy({ properties }: WebBreakdown, grouping: Grouping): NonNullable<ViewTally['by']> {
  const dimensions = properties.map((property) =>
    toDimension({ ...property, binCount: undefined, bins: undefined })
  )
  const [first] = dimensions
  return first?.property.type === 'session'
    ? new SessionGroups(first, grouping)
    : { dimensions, grouping }
}

/** Returns filters without those of the path of a page. */
const withoutPath = ({ type, values }: FilterGroup): FilterGroup => ({
  type,
  values: values
    .filter((node) => isGroup(node) || node.type !== 'event' || node.key !== '$pathname')
    .map((node) => (isGroup(node) ? withoutPath(node) : node))
})

type Compare = (a: Row, b: Row) => number

const compareCounts =
  (countsOf: (row: Row) => number[]): Compare =>
  (a, b) =>
    (countsOf(a)[0] ?? 0) - (countsOf(b)[0] ?? 0)
const byVisitors = compareCounts(({ visitors }) => visitors)
const byViews = compareCounts(({ views }) => views)

/** Rows without a value come last. */
const byValue: Compare = ({ value: a }, { value: b }) =>
  Number(a === null) - Number(b === null) || ((a ?? '') < (b ?? '') ? -1 : 1)

/** Most visitors first, then most views, then by the value; a requested order comes before. */
const compareRows =
  ({ orderBy }: WebTableQuery): Compare =>
  (a, b) =>
    (orderBy ? compareAsked(orderBy, a, b) : 0) ||
    byVisitors(b, a) ||
    byViews(b, a) ||
    byValue(a, b)

/** In both directions, rows without a rate come last. */
function compareAsked({ number, isAscending }: WebOrder, a: Row, b: Row): number {
  const [left, right] = isAscending ? [a, b] : [b, a]
  if (number !== 'BounceRate') {
    return (number === 'Visitors' ? byVisitors : byViews)(left, right)
  }
  const [rate, other] = [a.bounceRates[0] ?? null, b.bounceRates[0] ?? null]
  return (
    Number(rate === null) - Number(other === null) ||
    (left.bounceRates[0] ?? 0) - (right.bounceRates[0] ?? 0)
  )
}
