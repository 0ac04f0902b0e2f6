import {
  breakdownsOf,
  type EntityNode,
  formulasOf,
  type QuestionNode,
  questionIn,
  type SeriesNode
} from '../chart/answer.ts'
import { daysOf, intervalOf, lengthOf, type Period, type Today } from '../dates.ts'
import type { Filter } from '../filters/filter.ts'

/*
 * A question is the node of the API without its dates, which the period of the page has. What is not
 * set in it, such as the interval, is decided when it is asked.
 */

/** The period of the page, and how much earlier the compared one begins. */
type Compared = Period & { compareTo: string | undefined }

/** The kinds of questions, and what they are called. */
export const KINDS = [
  ['TrendsQuery', 'Trend'],
  ['FunnelsQuery', 'Funnel'],
  ['RetentionQuery', 'Retention'],
  ['LifecycleQuery', 'Lifecycle'],
  ['StickinessQuery', 'Stickiness']
] as const
export type Kind = (typeof KINDS)[number][0]

const isKind = (kind: unknown): kind is Kind => KINDS.some(([one]) => one === kind)

export const ANY_EVENT: SeriesNode = { kind: 'EventsNode', event: null }

/** A series whose event is not chosen yet. */
export const NEW_SERIES: SeriesNode = { kind: 'EventsNode', event: '' }

/** What the page asks before someone asks something else. */
export const FIRST_QUESTION: QuestionNode = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }]
}

/** Whether a kind of question has a member. */
export const has = {
  math: ({ kind }: QuestionNode): boolean => kind === 'TrendsQuery',
  interval: ({ kind, funnelsFilter }: QuestionNode): boolean =>
    kind === 'FunnelsQuery' ? funnelsFilter?.funnelVizType === 'trends' : kind !== 'RetentionQuery',
  comparison: ({ kind }: QuestionNode): boolean =>
    kind === 'TrendsQuery' || kind === 'StickinessQuery',
  breakdown: ({ kind, funnelsFilter }: QuestionNode): boolean =>
    kind === 'FunnelsQuery'
      ? funnelsFilter?.funnelVizType !== 'time_to_convert'
      : kind === 'TrendsQuery' || kind === 'RetentionQuery'
}

/** The most and the fewest series of a kind. */
export const COUNTS: Record<Kind, { least: number; most: number }> = {
  TrendsQuery: { least: 1, most: 26 },
  FunnelsQuery: { least: 2, most: 26 },
  RetentionQuery: { least: 2, most: 2 },
  LifecycleQuery: { least: 1, most: 1 },
  StickinessQuery: { least: 1, most: 26 }
}

export const kindOf = ({ kind }: QuestionNode): Kind => (isKind(kind) ? kind : 'TrendsQuery')

const toSeries = ({ id, custom_name: name, properties }: EntityNode): SeriesNode => ({
  kind: 'EventsNode',
  event: id,
  ...(name && { custom_name: name }),
  ...(properties?.length && { properties })
})

const toEntity = ({ event, custom_name: name, properties }: SeriesNode): EntityNode => ({
  id: event,
  type: 'events',
  ...(name && { custom_name: name }),
  ...(properties?.length && { properties })
})

/** Returns the series of a question; of retention the target, and what one comes back with. */
export function seriesOf({ kind, series = [], retentionFilter = {} }: QuestionNode): SeriesNode[] {
  const { targetEntity, returningEntity } = retentionFilter
  const viewed: EntityNode = { id: '$pageview' }
  return kind === 'RetentionQuery'
    ? [toSeries(targetEntity ?? viewed), toSeries(returningEntity ?? viewed)]
    : series
}

/** Replaces the series of a question. */
export function withSeries(question: QuestionNode, series: SeriesNode[]): QuestionNode {
  if (question.kind !== 'RetentionQuery') {
    return { ...question, series }
  }
  const [target = ANY_EVENT, returning = ANY_EVENT] = series
  return {
    ...question,
    retentionFilter: {
      ...question.retentionFilter,
      targetEntity: toEntity(target),
      returningEntity: toEntity(returning)
    }
  }
}

const withoutMath = ({ kind, event, custom_name, properties }: SeriesNode): SeriesNode => ({
  kind,
  event,
  ...(custom_name && { custom_name }),
  ...(properties?.length && { properties })
})

/** Asks another kind of question about the same events, with the same filters. */
export function asKind(question: QuestionNode, kind: Kind): QuestionNode {
  const { least, most } = COUNTS[kind]
  const before = seriesOf(question)
  const kept = before.slice(0, most).map((one) => (kind === 'TrendsQuery' ? one : withoutMath(one)))
  const filling = kind === 'RetentionQuery' ? ANY_EVENT : NEW_SERIES
  const series = [
    ...kept,
    ...Array.from({ length: Math.max(0, least - kept.length) }, () => filling)
  ]
  const { properties, filterTestAccounts, breakdownFilter, interval } = question
  const other: QuestionNode = {
    kind,
    ...(properties !== undefined && { properties }),
    ...(filterTestAccounts && { filterTestAccounts }),
    ...(kind === 'RetentionQuery' && {
      retentionFilter: { retentionType: 'retention_first_time', period: 'Week' }
    })
  }
  return withSeries(
    {
      ...other,
      ...(has.breakdown(other) && breakdownFilter && { breakdownFilter }),
      ...(has.interval(other) && interval && { interval })
    },
    series
  )
}

/** Whether all events are chosen, so that the question can be asked. */
export const isComplete = (question: QuestionNode): boolean => {
  const { least } = COUNTS[kindOf(question)]
  const series = seriesOf(question)
  return series.length >= least && series.every(({ event }) => event !== '')
}

/** Days of a period of retention. */
const PERIOD_DAYS: Record<string, number> = { Hour: 1 / 24, Day: 1, Week: 7, Month: 30 }
/** Most columns of retention, unless the question asks for more. */
const MAX_COLUMNS = 12

/** Returns how many columns of retention a period fills. */
function columnsFor(period: Compared, length: string, today: Today): number {
  const days = daysOf(period, today)
  const fitting = days ? Math.ceil(lengthOf(days) / (PERIOD_DAYS[length] ?? 1)) : MAX_COLUMNS
  return Math.max(2, Math.min(MAX_COLUMNS, fitting))
}

/** Completes a question with the dates of a period, as the API takes it. */
export function ask(question: QuestionNode, period: Compared, today: Today): QuestionNode {
  const { from, to, compareTo } = period
  const { retentionFilter, interval, ...rest } = question
  const { period: length = 'Day', totalIntervals } = retentionFilter ?? {}
  return {
    ...rest,
    ...(has.interval(question) && { interval: interval ?? intervalOf(period, today) }),
    dateRange: { date_from: from, ...(to && { date_to: to }) },
    ...(has.comparison(question) &&
      compareTo && { compareFilter: { compare: true, compare_to: compareTo } }),
    ...(question.kind === 'RetentionQuery' && {
      retentionFilter: {
        ...retentionFilter,
        totalIntervals: totalIntervals ?? columnsFor(period, length, today)
      }
    })
  }
}

/** The dates of a question, as parameters of the page. */
export type DateParameters = { date_from: string; date_to?: string; compare_to?: string }

/** Takes the dates out of a question of the API. */
export function splitDates(
  { dateRange, compareFilter, ...question }: QuestionNode,
  today: Today
): { question: QuestionNode; dates: DateParameters } {
  const from = dateRange?.date_from ?? '-7d'
  const to = dateRange?.date_to ?? undefined
  const days = daysOf({ from, to }, today)
  const right = days ? `-${lengthOf(days)}d` : '-7d'
  return {
    question,
    dates: {
      date_from: from,
      ...(to && { date_to: to }),
      compare_to: compareFilter?.compare ? (compareFilter.compare_to ?? right) : 'none'
    }
  }
}

/** Wraps a question for an insight. */
export const toVizNode = (query: QuestionNode): QuestionNode => ({
  kind: 'InsightVizNode',
  source: query
})

/** A saved insight, as far as the page needs it. */
export type Insight = {
  id: number
  short_id: string
  name: string | null
  derived_name: string | null
  query: QuestionNode | string | null
  filters: Record<string, unknown>
}

export const nameOfInsight = ({ name, derived_name: derived }: Insight): string =>
  name || derived || 'Without a name'

/** Returns the question of a saved insight; undefined for one that the page cannot show. */
export function questionOf({ query, filters }: Insight): QuestionNode | undefined {
  if (typeof query === 'string') {
    return undefined
  }
  const node = query ? questionIn(query) : fromFilters(filters)
  return isKind(node?.kind) ? node : undefined
}

const KINDS_OF_FILTERS: Record<string, Kind> = {
  TRENDS: 'TrendsQuery',
  FUNNELS: 'FunnelsQuery',
  LIFECYCLE: 'LifecycleQuery',
  STICKINESS: 'StickinessQuery'
}

type FilterEvent = { id: string | null; order?: number } & Omit<SeriesNode, 'kind' | 'event'>

/** A filter object of older interfaces, as far as it is read. */
type FilterObject = {
  insight?: string
  events?: FilterEvent[]
  date_from?: string
  date_to?: string
  interval?: NonNullable<QuestionNode['interval']>
  properties?: unknown
  display?: string
  formula?: string
  breakdown?: string
  breakdown_type?: string
  breakdown_limit?: number
  compare?: boolean
  compare_to?: string
  filter_test_accounts?: boolean
}

const READ = new Set([
  ...['insight', 'events', 'date_from', 'date_to', 'interval', 'properties', 'display', 'formula'],
  ...['breakdown', 'breakdown_type', 'breakdown_limit', 'compare', 'compare_to'],
  'filter_test_accounts'
])

const isSaid = (value: unknown): boolean =>
  !['null', '""', '[]', '{}', undefined].includes(JSON.stringify(value))

/** Leaves out what is not said. */
const said = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => isSaid(value))) as Partial<T>

const toNode = ({ id, order: _, ...rest }: FilterEvent): SeriesNode => {
  const { custom_name, math, math_property, math_property_type, properties } = rest
  return {
    kind: 'EventsNode',
    event: id,
    ...said({ custom_name, math, math_property, math_property_type, properties })
  } as SeriesNode
}

/** Reads a filter object; undefined for one with fields of rarer uses. */
function fromFilters(filters: Record<string, unknown>): QuestionNode | undefined {
  const isRare = Object.keys(said(filters)).some((name) => !READ.has(name))
  // The cast is safe: the API has checked the fields.
  const read = said(filters) as FilterObject
  const kind = KINDS_OF_FILTERS[read.insight ?? 'TRENDS']
  if (isRare || !kind || !read.events) {
    return undefined
  }
  const { date_from = '-7d', date_to, display, formula, breakdown, compare, compare_to } = read
  const { breakdown_type = 'event', breakdown_limit } = read
  return {
    kind,
    series: read.events.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0)).map(toNode),
    dateRange: { date_from, ...(date_to && { date_to }) },
    ...said({
      interval: read.interval,
      properties: read.properties,
      filterTestAccounts: read.filter_test_accounts,
      trendsFilter: said({ display, formula }),
      breakdownFilter: breakdown && said({ breakdown, breakdown_type, breakdown_limit }),
      compareFilter: compare && said({ compare, compare_to })
    })
  } as QuestionNode
}

/**
 * Returns the filters of a question as a list, all of which must hold; undefined for groups joined
 * by "or", which the page cannot change.
 */
export function filtersOf(properties: unknown): Filter[] | undefined {
  if (properties === undefined || properties === null) {
    return []
  }
  const list = Array.isArray(properties) ? properties : [properties]
  const flat = list.map((one: { type?: string; values?: unknown; key?: string }) => {
    if (one.key !== undefined) {
      return [{ ...(one as Filter), operator: (one as Filter).operator ?? 'exact' }]
    }
    return one.type === 'AND' || (Array.isArray(one.values) && one.values.length <= 1)
      ? filtersOf(one.values)
      : undefined
  })
  return flat.some((one) => one === undefined)
    ? undefined
    : flat.flatMap((one) => one ?? []).map((one) => ({ ...one, type: one.type ?? 'event' }))
}

/** The property by which a question is broken down. */
export function breakdownOf(question: QuestionNode): { type: string; key: string } | undefined {
  const [first] = breakdownsOf(question)
  const { breakdowns, breakdown_type: type } = question.breakdownFilter ?? {}
  return first && { type: breakdowns?.[0]?.type ?? type ?? 'event', key: first.key }
}

/** The text of the formula of a question; empty for none. */
export const formulaOf = (question: QuestionNode): string => formulasOf(question)[0]?.formula ?? ''

/** Replaces the formula. */
export function withFormula(question: QuestionNode, formula: string): QuestionNode {
  const { formula: _, formulas: __, formulaNodes: ___, ...others } = question.trendsFilter ?? {}
  return { ...question, trendsFilter: { ...others, ...(formula && { formula }) } }
}

/** A request for the answer to a question, for a terminal or a program. */
export type CopyForm = 'curl' | 'json' | 'typescript'

/** Writes a question as a request. */
export function copyText(form: CopyForm, question: QuestionNode, url: string): string {
  const query = JSON.stringify({ query: question }, null, 2)
  switch (form) {
    case 'json':
      return JSON.stringify(question, null, 2)
    case 'curl':
      return [
        `curl '${url}'`,
        `-H "Authorization: Bearer $KEY"`,
        `-H 'Content-Type: application/json'`,
        `-d '${query.replaceAll("'", `'\\''`)}'`
      ].join(' \\\n  ')
    case 'typescript':
      return `const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.KEY}\`,
    'Content-Type': 'application/json'
  },
  body: JSON.stringify(${query.replaceAll('\n', '\n  ')})
})
if (!answer.ok) {
  throw new Error(await answer.text())
}
const { results } = await answer.json()
`
  }
}
