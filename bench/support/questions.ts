import { type Answer, sendOk } from './client.ts'
import { DAYS, kindOf, MIDNIGHT } from './events.ts'

const DAY = 86_400_000

/** Trends of 90 days, by day unless `more` has an interval. `series`: fields of the series; `more`: other fields of the request. */
const TRENDS = {
  total: { series: {} },
  filter: { series: { properties: [{ key: 'plan', value: 'pro' }] } },
  sum: { series: { math: 'sum', math_property: 'price' } },
  median: { series: { math: 'median', math_property: 'price' } },
  breakdown: { series: {}, more: { breakdown: '$browser' } },
  'two breakdowns': {
    series: {},
    more: { breakdowns: [{ property: '$browser' }, { property: '$os' }] }
  },
  'person breakdown': { series: {}, more: { breakdown: 'plan', breakdown_type: 'person' } },
  dau: { series: { math: 'dau' } },
  'dau by the hour': { series: { math: 'dau' }, more: { interval: 'hour' } },
  'weekly active': { series: { math: 'weekly_active' } },
  'first time': { series: { math: 'first_time_for_user' } }
} satisfies Record<string, { series: object; more?: object }>

export type TrendName = keyof typeof TRENDS

export const TREND_NAMES = Object.keys(TRENDS) as TrendName[]

/** The range of every question, ms UTC; `until` is exclusive. */
export const RANGE: { from: number; until: number } = {
  from: MIDNIGHT - DAYS * DAY,
  until: MIDNIGHT
}

/** The events that follow the asked one in a funnel. */
export const LATER_STEPS: readonly string[] = [kindOf(2), kindOf(3)]

/** The days within which the steps of a funnel follow the first one. */
export const WINDOW_DAYS = 14

/** The weeks of a table of retention, which are also its columns. */
export const WEEKS = 11

/** The tables of an overview, and how many rows each has; then how many events are listed besides. */
export const TABLES = [
  'Page',
  'InitialReferringDomain',
  'Country',
  'Browser',
  'DeviceType'
] as const
export const TABLE_ROWS = 6
export const LISTED_EVENTS = 8

const funnelOf = (event: string) => ({
  kind: 'FunnelsQuery',
  series: [event, ...LATER_STEPS].map((step) => ({ kind: 'EventsNode', event: step })),
  funnelsFilter: { funnelWindowInterval: WINDOW_DAYS, funnelWindowIntervalUnit: 'day' }
})

/** Other questions than trends, over 90 days, but for retention. An overview is about page views, whatever the event. */
const NODES = {
  funnel: funnelOf,
  'funnel with breakdown': (event: string) => ({
    ...funnelOf(event),
    breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' }
  }),
  retention: (event: string) => ({
    kind: 'RetentionQuery',
    dateRange: { date_to: dayOf(RANGE.until - 1) },
    retentionFilter: {
      targetEntity: { id: event, type: 'events' },
      returningEntity: { id: event, type: 'events' },
      period: 'Week',
      totalIntervals: WEEKS
    }
  }),
  lifecycle: (event: string) => ({
    kind: 'LifecycleQuery',
    series: [{ kind: 'EventsNode', event }]
  }),
  // As the console's page asks it.
  overview: () => ({
    kind: 'WebOverviewQuery',
    properties: [],
    interval: 'day',
    tables: TABLES.map((breakdownBy) => ({ breakdownBy, limit: TABLE_ROWS })),
    events: { limit: LISTED_EVENTS }
  })
} satisfies Record<string, (event: string) => object>

export type NodeName = keyof typeof NODES

export const NODE_NAMES = Object.keys(NODES) as NodeName[]

/** The middle of the range, from which `totals` counts persons. */
export const MIDDLE = (RANGE.from + RANGE.until) / 2

const timeText = (time: number): string => `'${new Date(time).toISOString()}'`

/** Statements in SQL about the events of a name. */
const STATEMENTS = {
  'top list': (where: string) => `
    SELECT properties.$current_url AS url, count() AS n, count(DISTINCT person_id) AS u
    FROM events WHERE ${where} GROUP BY url ORDER BY n DESC, url LIMIT 20`,
  totals: (where: string) => `
    SELECT countIf(properties.plan = 'pro'), countIf(properties.$browser IN ('Chrome', 'Edge')),
      countIf(properties.price > 1000), uniqIf(person_id, properties.$os = 'iOS'),
      uniqIf(person_id, timestamp >= ${timeText(MIDDLE)})
    FROM events WHERE ${where}`,
  'daily series': (where: string) => `
    SELECT toDate(timestamp) AS day, properties.$browser AS browser, count() AS n
    FROM events WHERE ${where} GROUP BY day, browser ORDER BY day, browser LIMIT 10000`,
  'per person': (where: string) => `
    SELECT person_id, count() AS n, min(timestamp), max(timestamp)
    FROM events WHERE ${where} GROUP BY person_id ORDER BY n DESC LIMIT 100`
} satisfies Record<string, (where: string) => string>

export type StatementName = keyof typeof STATEMENTS

export const STATEMENT_NAMES = Object.keys(STATEMENTS) as StatementName[]

export type QuestionName = TrendName | NodeName | StatementName

export const QUESTIONS: readonly QuestionName[] = [...TREND_NAMES, ...NODE_NAMES]

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Asks a question about the events of one name. */
export type Ask = (event: string, question: QuestionName) => Promise<Answer>

/** Returns a function that asks the service a question about an event. @throws for any status but 2xx */
export function questionsTo(service: URL, projectId: number, key: string): Ask {
  const project = new URL(`/api/environments/${projectId}/`, service)
  const options = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  }
  return (event, question) => {
    const { path, body } = requestOf(event, question)
    return sendOk(new URL(path, project), options, Buffer.from(JSON.stringify(body)))
  }
}

function requestOf(event: string, question: QuestionName): { path: string; body: object } {
  if (isStatement(question)) {
    const where = `event = '${event}' AND timestamp >= ${timeText(RANGE.from)} AND timestamp < ${timeText(RANGE.until)}`
    const query = { kind: 'HogQLQuery', query: STATEMENTS[question](where) }
    return { path: 'query/', body: { query } }
  }
  const range = { date_from: dayOf(RANGE.from), date_to: dayOf(RANGE.until - 1) }
  if (isNode(question)) {
    const query = { dateRange: range, ...NODES[question](event) }
    return { path: 'query/', body: { query } }
  }
  const { series, more = {} }: { series: object; more?: object } = TRENDS[question]
  const body = { events: [{ id: event, ...series }], ...range, ...more }
  return { path: 'insights/trend/', body }
}

const isStatement = (question: QuestionName): question is StatementName => question in STATEMENTS

const isNode = (question: QuestionName): question is NodeName => question in NODES
