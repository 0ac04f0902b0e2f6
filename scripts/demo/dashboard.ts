import { z } from 'zod'

/** Sends a request below the project's path, and returns the JSON of its answer. */
export type CallApi = (method: string, path: string, body?: object) => Promise<unknown>

const NAME = 'Harbour, last month'

/** Days in the charts: they end with the demo's data. */
const RANGE = { date_from: '-30d', date_to: '-1d' }
const VIEWS = [{ id: '$pageview', math: 'dau' }]

const INSIGHTS = [
  { name: 'Sign-ups', filters: { events: [{ id: 'signed up' }], interval: 'day' } },
  {
    name: 'Visitors by browser',
    filters: { events: VIEWS, breakdown: '$browser', interval: 'week', display: 'ActionsBar' }
  },
  {
    name: 'What people do',
    filters: {
      events: ['task created', 'comment posted', 'project opened'].map((id) => ({ id })),
      display: 'ActionsAreaGraph'
    }
  },
  {
    name: 'Visitors by country',
    filters: { events: VIEWS, breakdown: '$geoip_country_name', display: 'ActionsPie' }
  }
]

const Dashboards = z.object({
  results: z.array(z.object({ id: z.int(), name: z.string().nullable() }))
})
const Dashboard = z.object({
  id: z.int(),
  tiles: z.array(z.object({ insight: z.object({ name: z.string().nullable() }) })).default([])
})
const Shared = z.object({ url: z.url() })

/**
 * Makes the demo's dashboard, or what is missing of it, and shares it. @returns the address of its
 * page
 */
export async function shareDashboard(call: CallApi): Promise<string> {
  const { results } = Dashboards.parse(await call('GET', 'dashboards/?limit=1000'))
  const known = results.find(({ name }) => name === NAME)
  const dashboard = Dashboard.parse(
    known
      ? await call('GET', `dashboards/${known.id}/`)
      : await call('POST', 'dashboards/', {
          name: NAME,
          description: 'What the board looks at every Monday.'
        })
  )
  const placed = dashboard.tiles.map(({ insight }) => insight.name)
  for (const { name, filters } of INSIGHTS.filter((insight) => !placed.includes(insight.name))) {
    await call('POST', 'insights/', {
      name,
      filters: { ...RANGE, ...filters },
      dashboards: [dashboard.id]
    })
  }
  return share(call, `dashboards/${dashboard.id}/`)
}

/** Shares a dashboard or a recording. @returns the address of its page */
export async function share(call: CallApi, path: string): Promise<string> {
  return Shared.parse(await call('PATCH', `${path}sharing/`, { enabled: true })).url
}
