import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type LocalService, newStateDir, readRows, runScript } from '../../support/processes.ts'
import { startService } from '../../support/service.ts'

type Person = {
  id: number
  uuid: string
  distinct_ids: string[]
  properties: { email: string }
  created_at: string
}

/** A small demo. Its anchor is fixed, so that two runs match even across midnight. */
const SMALL = ['--persons', '40', '--days', '7', '--anchor', '2026-11-01']

const run = (args: string[], env: Record<string, string>) => runScript('demo', args, env)

/** Runs the demo. @returns its output, and the number of events that it says it has sent */
async function demonstrate(stateDir: string, service: LocalService) {
  const { code, stdout, stderr } = await run(SMALL, {
    STATE_DIR: stateDir,
    PORT: new URL(service.url).port
  })
  expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
    code: 0,
    stderr: '40 persons, 7 days until 2026-11-01T00:00:00.000Z, seed harbour'
  })
  return { stdout, eventCount: Number(/100 % {2}(\d+) events/.exec(stderr)?.[1]) }
}

const Dashboards = z.object({ results: z.array(z.object({ id: z.int() })) })
const Dashboard = z.object({
  tiles: z.array(z.object({ insight: z.object({ name: z.string() }) }))
})

const Alerts = z.object({ results: z.array(z.object({ name: z.string(), enabled: z.boolean() })) })

const asker =
  ({ url, projectId, key }: LocalService) =>
  async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${url}/api/environments/${projectId}/${path}`, { headers })
    return answer.json()
  }

/** Returns the names of the insights on each dashboard. */
async function readDashboards(service: LocalService): Promise<string[][]> {
  const ask = asker(service)
  const { results } = Dashboards.parse(await ask('dashboards/'))
  const all = await Promise.all(results.map(({ id }) => ask(`dashboards/${id}/`)))
  return all.map((one) => Dashboard.parse(one).tiles.map(({ insight }) => insight.name))
}

/** Returns all persons from the API, without the ids that the service generates. */
async function readPersons({ url, projectId, key }: LocalService) {
  const response = await fetch(`${url}/api/environments/${projectId}/persons/?limit=1000`, {
    headers: { authorization: `Bearer ${key}` }
  })
  const { results }: { results: Person[] } = await response.json()
  return results
    .map(({ id: _, uuid: __, ...person }) => ({
      ...person,
      distinct_ids: person.distinct_ids.toSorted()
    }))
    .sort((a, b) => (a.properties.email < b.properties.email ? -1 : 1))
}

const Events = z.array(
  z.object({
    uuid: z.string(),
    timestamp: z.int(),
    session: z.string().nullable(),
    country: z.string().nullable()
  })
)

const readEvents = (stateDir: string) =>
  Events.parse(
    readRows(
      stateDir,
      `select lower(hex(uuid)) as uuid, timestamp, properties ->> '$.$session_id' as session,
         properties ->> '$.$geoip_country_code' as country from events order by uuid`
    )
  )

/** Returns the page that the demo says is its dashboard's. */
const dashboardIn = (stdout: string) =>
  /dashboard of the last month:\s+(\S+)/.exec(stdout)?.[1] ?? ''

describe('npm run demo', () => {
  it('fills two empty databases with the same persons and events, and changes nothing when run again', async () => {
    const [first, second] = [newStateDir(), newStateDir()]
    const service = await startService(first)
    const { stdout, eventCount } = await demonstrate(first, service)
    const [persons, events] = [await readPersons(service), readEvents(first)]

    expect(stdout).toContain('The project now has 40 persons, 40 of them new. Examples:')
    expect(stdout).toContain(`${persons[0]?.properties.email}`.split('@')[1])
    expect(persons).toHaveLength(40)
    expect(eventCount).toBeGreaterThan(300)
    expect(events).toHaveLength(eventCount)
    // Only the product's server sends events outside a session.
    for (const { session, country } of events) {
      expect(country).toEqual(session === null ? null : expect.stringMatching(/^[A-Z]{2}$/))
    }
    expect(new Set(events.map(({ country }) => country)).size).toBeGreaterThan(5)
    const dashboards = await readDashboards(service)
    expect(dashboards).toEqual([
      [
        'Sign-ups',
        'Visitors by browser',
        'From the first visit to a paid plan',
        'Who comes back after signing up',
        'What people do',
        'Visitors by country'
      ]
    ])
    const page = await fetch(dashboardIn(stdout), { headers: { Accept: 'text/html' } })
    const text = await page.text()
    expect(page.status).toBe(200)
    expect(text).toContain('Funnel, ')
    expect(text).toContain('All, weighted')

    const again = await demonstrate(first, service)
    expect(again.stdout).toContain('The project now has 40 persons, 0 of them new. Examples:')
    expect(await readPersons(service)).toEqual(persons)
    expect(readEvents(first)).toEqual(events)
    expect(dashboardIn(again.stdout)).toBe(dashboardIn(stdout))
    expect(again.stdout).toMatch(
      /An alert on sign-ups would have fired (once|\d+ times) in the last 30 days/
    )
    expect(Alerts.parse(await asker(service)('alerts/')).results).toEqual([
      { name: 'Fewer sign-ups than a week ago', enabled: true }
    ])
    expect(await readDashboards(service)).toEqual(dashboards)

    const stranger = await run(SMALL, { STATE_DIR: second, PORT: new URL(service.url).port })
    expect(stranger).toEqual({
      code: 1,
      stdout: '',
      stderr: `The service at ${service.url} does not know the key in ${second}. Run STATE_DIR=${first} npm run demo.\n`
    })
    await service.stop('SIGTERM')

    const other = await startService(second)
    await demonstrate(second, other)
    expect(await readPersons(other)).toEqual(persons)
    expect(readEvents(second)).toEqual(events)
  })

  it('reports in one line that no service answers', async () => {
    const { code, stdout, stderr } = await run(SMALL, { STATE_DIR: newStateDir(), PORT: '9' })
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No service is ready on http://127.0.0.1:9. Start it first: npm start\n'
    })
  })

  it.each([
    ['--persons must be a whole number from 1 to 20000', ['--persons', 'many']],
    ['--anchor must not be in the future', ['--anchor', '2999-01-01']],
    ["Unknown option '--size'", ['--size', '3']]
  ])('explains the error: %s', async (message, args) => {
    const { code, stdout, stderr } = await run(args, { PORT: '9' })
    expect({ code, stdout, message: stderr.split('\n')[0] }).toEqual({
      code: 1,
      stdout: '',
      message
    })
  })
})
