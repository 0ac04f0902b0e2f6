import { newProject, type TestEvent, type TestProject } from './project.ts'

/** Returns a time in June 2025 in ms: `03T12:00:00` is noon UTC on the third. */
export const at = (text: string) => Date.parse(`2025-06-${text}Z`)

/**
 * Events of three days: two page views of Ada on the first; a purchase of Bob on the second; page views of Ada, of Bob and
 * of x, who has no person, on the third.
 */
export const EVENTS: TestEvent[] = [
  {
    distinct_id: 'ada',
    timestamp: at('01T10:00:00'),
    properties: { $browser: 'Firefox', price: 5, $set: { plan: 'free' } }
  },
  {
    distinct_id: 'ada',
    timestamp: at('01T23:59:59.999'),
    properties: { $browser: 'Chrome', price: '7.5' }
  },
  {
    distinct_id: 'ada',
    timestamp: at('03T00:00:00'),
    properties: { $browser: 'Firefox', price: 1, $set: { plan: 'pro' } }
  },
  {
    distinct_id: 'bob',
    timestamp: at('03T12:00:00'),
    properties: { $browser: '', price: 'much', $set: { plan: 'pro' } }
  },
  {
    distinct_id: 'x',
    timestamp: at('03T13:00:00'),
    properties: { $process_person_profile: false }
  },
  {
    event: 'bought',
    distinct_id: 'bob',
    timestamp: at('02T13:00:00'),
    properties: { $session_id: 's1' }
  }
]

/** The three days of `EVENTS`. */
export const RANGE = { date_from: '2025-06-01', date_to: '2025-06-03' }

/** Creates a project with `EVENTS`. */
export async function newStory() {
  const project = await newProject()
  await project.ingest(EVENTS)
  return project
}

/** Requests a trend. */
export const ask = (project: TestProject, body: object, query = '', bindings: Partial<Env> = {}) =>
  project.send('POST', `insights/trend/${query}`, body, bindings)

/** A series in a trend's answer. */
export type Result = {
  label: string
  data: number[]
  count: number
  aggregated_value?: number
  breakdown_value?: unknown
}

/** Returns label and numbers of each series. */
export const lines = (answer: { body: { result: Result[] } }) =>
  answer.body.result.map(({ label, data, aggregated_value }) => [label, aggregated_value ?? data])

/** Builds a request for page views as a filter object, with these fields in its series. */
export const asTrend = (fields: object) => ({ events: [{ id: '$pageview', ...fields }], ...RANGE })

/** Builds a request for page views as a TrendsQuery, with these fields in the query. */
export const asNode = (fields: object) => ({
  query: {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview' }],
    dateRange: RANGE,
    ...fields
  }
})
