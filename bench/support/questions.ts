import { type Answer, sendOk } from './client.ts'
import { DAYS, MIDNIGHT } from './events.ts'

const DAY = 86_400_000

/** Trends of 90 days, by day unless `more` has an interval. `series`: fields of the series; `more`: other fields of the request. */
const BODIES = {
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

export type QuestionName = keyof typeof BODIES

export const QUESTIONS = Object.keys(BODIES) as QuestionName[]

/** The range of every question, ms UTC; `until` is exclusive. */
export const RANGE: { from: number; until: number } = {
  from: MIDNIGHT - DAYS * DAY,
  until: MIDNIGHT
}

/** Asks a question about the events of one name. */
export type Ask = (event: string, question: QuestionName) => Promise<Answer>

/** Returns a function that requests the trend of an event from the service. @throws for any status but 2xx */
export function questionsTo(service: URL, projectId: number, key: string): Ask {
  const url = new URL(`/api/environments/${projectId}/insights/trend/`, service)
  const options = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  }
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  return (event, question) => {
    const { series, more = {} }: { series: object; more?: object } = BODIES[question]
    const body = {
      events: [{ id: event, ...series }],
      date_from: day(RANGE.from),
      date_to: day(RANGE.until - 1),
      ...more
    }
    return sendOk(url, options, Buffer.from(JSON.stringify(body)))
  }
}
