import { z } from 'zod'

/** Sends a request below the project's path, and returns the JSON of its answer. */
export type CallApi = (method: string, path: string, body?: object) => Promise<unknown>

const NAME = 'Harbour, last month'

/** Days in the charts: they end with the demo's data. */
const RANGE = { date_from: '-30d', date_to: '-1d' }
const VIEWS = [{ id: '$pageview', math: 'dau' }]

const INSIGHTS = [
  {
    name: 'Sign-ups',
    filters: { ...RANGE, events: [{ id: 'signed up' }], interval: 'day' }
  },
  {
    name: 'Visitors by browser',
    filters: {
      ...RANGE,
      events: VIEWS,
      breakdown: '$browser',
      interval: 'week',
      display: 'ActionsBar'
    }
  },
  {
    name: 'From the first visit to a paid plan',
    query: {
      kind: 'FunnelsQuery',
      series: [
        {
          kind: 'EventsNode',
          event: '$pageview',
          custom_name: 'Visited the site',
          properties: [{ key: '$pathname', value: '/', type: 'event' }]
        },
        { kind: 'EventsNode', event: 'signed up', custom_name: 'Signed up' },
        { kind: 'EventsNode', event: 'teammate invited', custom_name: 'Invited a teammate' },
        { kind: 'EventsNode', event: 'plan upgraded', custom_name: 'Upgraded' }
      ],
      dateRange: RANGE
    }
  },
  {
    name: 'Who comes back after signing up',
    query: {
      kind: 'RetentionQuery',
      dateRange: RANGE,
      retentionFilter: {
        targetEntity: { id: 'signed up', type: 'events' },
        returningEntity: { id: null, type: 'events' },
        retentionType: 'retention_first_time',
        period: 'Week',
        totalIntervals: 5
      }
    }
  },
  {
    name: 'What people do',
    filters: {
      ...RANGE,
      events: ['task created', 'comment posted', 'project opened'].map((id) => ({ id })),
      display: 'ActionsAreaGraph'
    }
  },
  {
    name: 'Visitors by country',
    filters: {
      ...RANGE,
      events: VIEWS,
      breakdown: '$geoip_country_name',
      display: 'ActionsPie'
    }
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
  for (const insight of INSIGHTS.filter(({ name }) => !placed.includes(name))) {
    await call('POST', 'insights/', { ...insight, dashboards: [dashboard.id] })
  }
  return share(call, `dashboards/${dashboard.id}/`)
}

/** Shares a dashboard or a recording. @returns the address of its page */
export async function share(call: CallApi, path: string): Promise<string> {
  return Shared.parse(await call('PATCH', `${path}sharing/`, { enabled: true })).url
}
