import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PostHog } from 'posthog-node'
import { expect, inject, it } from 'vitest'
import { administer, newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const SCRIPT = join(import.meta.dirname, '../../fixtures/scripts/weekly_report.py')

const hasPython = spawnSync('python3', ['--version']).status === 0

/** Creates a project with five events of two persons, and a key as a script has it. */
async function openProject() {
  const project = await newProject()
  const client = new PostHog(project.token, { host: project.url })
  for (const [distinctId, event, path] of EVENTS) {
    client.capture({
      distinctId,
      event,
      properties: { $pathname: path, $set: { email: `${distinctId}@example.com` } }
    })
  }
  await client.shutdown()
  const { key } = await administer(
    inject('service').stateDir,
    'key',
    'create',
    '--label',
    'report',
    '--scopes',
    'query:read,person:read',
    '--project',
    String(project.projectId)
  )
  const ask = askerOf(project.url, key)
  await until(async () => (await ask('SELECT count() FROM events')).results[0]?.[0] === 5)
  return { url: project.url, key, ask }
}

const EVENTS = [
  ['ada', '$pageview', '/'],
  ['ada', '$pageview', '/pricing'],
  ['ada', 'signed up', null],
  ['bob', '$pageview', '/'],
  ['bob', '$pageview', '/']
] as const

/** Asks as scripts in TypeScript do. */
const askerOf =
  (host: string, key: string) =>
  async (query: string, values: object = {}) => {
    const response = await fetch(`${host}/api/projects/@current/query/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: { kind: 'HogQLQuery', query, values } })
    })
    if (!response.ok) {
      throw new Error(`HogQL query failed: ${response.status} ${await response.text()}`)
    }
    return (await response.json()) as { results: unknown[][]; columns: string[] }
  }

it('answers scripts that were written for PostHog', async (context) => {
  const { url, key, ask } = await openProject()

  const { columns, results } = await ask(
    'SELECT event, count() AS n, uniq(person_id) FROM events WHERE timestamp > now() - INTERVAL 1 DAY AND event != {other} GROUP BY event ORDER BY n DESC',
    { other: 'never' }
  )
  expect(columns).toEqual(['event', 'n', 'uniq(person_id)'])
  expect(results).toEqual([
    ['$pageview', 4, 2],
    ['signed up', 1, 1]
  ])
  await expect(ask('SELECT evnt FROM events')).rejects.toThrow('Did you mean: event?')

  context.skip(!hasPython, 'python3 is not installed')
  const { status, stdout, stderr } = spawnSync('python3', [SCRIPT], {
    env: { ...process.env, POSTHOG_HOST: url, POSTHOG_PERSONAL_API_KEY: key },
    encoding: 'utf8'
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    totals: { events: 5, users: 2, pageviews: 4, converted: 1 },
    pages: [
      { path: '/', views: 3 },
      { path: '/pricing', views: 1 }
    ],
    days: expect.arrayContaining([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), n: 5 }]),
    users: [
      { email: 'ada@example.com', n: 3, last_seen: expect.any(String) },
      { email: 'bob@example.com', n: 2, last_seen: expect.any(String) }
    ]
  })
})
