import type { Bucket } from '../../calendar/buckets.ts'
import type { Grouping } from '../../columns/grouping.ts'
import type { Json } from '../../input/json.ts'
import { type FilterGroup, isGroup } from '../../properties/filter.ts'
import { DEFAULT_LIMIT, expectWhole, type ListScope, limitRows } from '../../sql/row-limit.ts'
import { toDimension } from '../../trends/dimensions.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { ListAnswer } from '../list-answer.ts'
import type { QuestionPlace } from '../place.ts'
import { WEB_BREAKDOWNS, type WebBreakdown } from './breakdowns.ts'
import { SessionGroups, WebAllowance, WebGrouping } from './groups.ts'
import { MAX_ROWS, type WebOrder, type WebTable, type WebTableQuery } from './query.ts'
import { SessionRows, VisitorRows } from './rows.ts'
import type { SessionFacts } from './sessions.ts'
import { countViews, type ViewCount, type ViewTally } from './views.ts'

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
  place: QuestionPlace & ListScope,
  { trend, table }: WebTableQuery,
  now: Date
): Promise<WebTableAnswer> {
  const allowance = new WebAllowance()
  const limits = limitRows(table.limit, MAX_ROWS, place)
  const count = new TableCount({ ...table, limit: limits.limit }, trend.filters, allowance)
  const { planned } = await countViews(place, trend, now, { counts: [count], allowance })
  const answer = count.answer()
  expectWhole(limits, answer.hasMore)
  return { ...answer, resolved_date_range: resolveRange(planned.periods[0]) }
}

/** Returns a table whose first row is the header, with a column for each number of each period. */
export function toWebRows(
  { trend }: WebTableQuery,
  { columns, results }: WebTableAnswer
): Json[][] {
  const isCompared = trend.compare !== undefined
  const [value = '', ...numbers] = columns.map((name) => name.replace(/^context\.columns\./, ''))
  const header = numbers.flatMap((name) => (isCompared ? [name, `${name} (previous)`] : [name]))
  return [
    [value, ...header],
    ...results.map(([shown = null, ...cells]) => [
      shown,
      // The cast is safe: every cell has a number for each period.
      ...cells.flatMap((cell) => (cell as Json[]).slice(0, isCompared ? 2 : 1))
    ])
  ]
}

/** Counts the rows of a table, one period after the other. */
export class TableCount implements ViewCount {
  readonly sessionGroups: readonly SessionGroups[]
  readonly #table: WebTable
  readonly #filters: FilterGroup
  readonly #entryFilters: FilterGroup
  readonly #grouping: WebGrouping
  readonly #by: NonNullable<ViewTally['by']>
  /** The groups of bounces, which differ from those of views in a table of pages. */
  readonly #rated: WebGrouping
  readonly #byRated: NonNullable<ViewTally['by']>
  readonly #counted: { rows: VisitorRows; sessions: SessionRows }[] = []

  constructor(table: WebTable, filters: FilterGroup, allowance: WebAllowance) {
    const { breakdown, isByPage, hasBounceRate } = table
    this.#table = table
    this.#filters = filters
    this.#entryFilters = isByPage ? withoutPath(filters) : filters
    this.#grouping = new WebGrouping(allowance)
    this.#by = groupBy(breakdown, this.#grouping)
    const isByEntry = isByPage && hasBounceRate
    this.#rated = isByEntry ? new WebGrouping(allowance) : this.#grouping
    this.#byRated = isByEntry ? groupBy(WEB_BREAKDOWNS.InitialPage, this.#rated) : this.#by
    this.sessionGroups = [...new Set([this.#by, this.#byRated])].filter(
      (one) => one instanceof SessionGroups
    )
  }

  begin(facts: SessionFacts, _period: Bucket, { pairs }: WebAllowance): ViewTally[] {
    const counted = { rows: new VisitorRows(pairs), sessions: new SessionRows(facts, pairs) }
    this.#counted.push(counted)
    return [
      { filters: this.#filters, by: this.#by, sink: counted.rows },
      ...(this.#table.hasBounceRate
        ? [{ filters: this.#entryFilters, by: this.#byRated, sink: counted.sessions }]
        : [])
    ]
  }

  answer(): ListAnswer {
    const { offset, limit = DEFAULT_LIMIT, hasBounceRate, breakdown } = this.#table
    const sorted = this.#rows().sort(compareRows(this.#table))
    const isCompared = this.#counted.length > 1
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
      offset
    }
  }

  #rows(): Row[] {
    const rates = this.#counted.map(({ sessions }) => sessions.rates)
    const groups = Math.max(0, ...this.#counted.map(({ rows }) => rows.views.length))
    return Array.from({ length: groups }, (_, group) => ({
      group,
      value: textOf(this.#grouping, group)
    }))
      .filter(({ value }) => value !== null || this.#table.breakdown.showsNull)
      .map(({ group, value }) => ({
        value,
        visitors: this.#counted.map(({ rows }) => rows.visitors[group] ?? 0),
        views: this.#counted.map(({ rows }) => rows.views[group] ?? 0),
        bounceRates: rates.map((ofPeriod) => ofPeriod[this.#rated.find(value) ?? -1] ?? null)
      }))
      .filter(({ views }) => views.some((count) => count > 0))
  }
}

const COUNTS = 'Tuple(UInt64, Nullable(UInt64))'
const RATES = 'Tuple(Nullable(Float64), Nullable(Float64))'

/** Returns what an answer shows as the value of a row. */
const shownValue = (value: string | null, { properties }: WebBreakdown): Json =>
  value !== null && properties.length > 1 ? JSON.parse(value) : value

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
  ({ orderBy }: WebTable): Compare =>
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
