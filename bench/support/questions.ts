import { type Answer, sendOk } from './client.ts'
import { DAYS, midnight } from './events.ts'

const DAY = 86_400_000

/** Questions to a daily trend: a series, and other fields of the body. */
const BODIES = {
  total: { series: {} },
  filter: { series: { properties: [{ key: 'plan', value: 'pro' }] } },
  sum: { series: { math: 'sum', math_property: 'price' } },
  breakdown: { series: {}, more: { breakdown: '$browser' } },
  dau: { series: { math: 'dau' } },
  'weekly active': { series: { math: 'weekly_active' } }
} satisfies Record<string, { series: object; more?: object }>

export type QuestionName = keyof typeof BODIES

export const QUESTIONS = Object.keys(BODIES) as QuestionName[]

/** Days covered by a question. */
export const range = (): { from: number; until: number } => ({
  from: midnight() - DAYS * DAY,
  until: midnight()
})

export type Ask = (event: string, question: QuestionName) => Promise<Answer>

/** Requests the trend of an event from the service. */
export function questionsTo(service: URL, projectId: number, key: string): Ask {
  const url = new URL(`/api/environments/${projectId}/insights/trend/`, service)
  const options = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  }
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  return (event, question) => {
    const { from, until } = range()
    const { series, more = {} }: { series: object; more?: object } = BODIES[question]
    const body = {
      events: [{ id: event, ...series }],
      date_from: day(from),
      date_to: day(until - 1),
      ...more
    }
    return sendOk(url, options, Buffer.from(JSON.stringify(body)))
  }
}
