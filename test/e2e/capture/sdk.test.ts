import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PostHog } from 'posthog-node'
import { afterEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { drain } from '../../../scripts/drain.ts'
import { readRows } from '../../support/processes.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

type Person = {
  id: number
  uuid: string
  name: string
  distinct_ids: string[]
  properties: Record<string, unknown>
  created_at: string
}

async function openProject() {
  const project = await newProject()
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${project.url}/api/environments/${project.projectId}/${path}`, {
      headers: { Authorization: `Bearer ${project.key}` }
    })
    expect(response.status).toBe(200)
    return response.json() as Promise<T>
  }
  const list = (query = '') => get<{ count: number; results: Person[] }>(`persons/${query}`)
  return { ...project, get, list }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the unmodified posthog-node', () => {
  it.each([
    ['v0', '/batch/'],
    ['v1', '/i/v1/analytics/events']
  ])(
    'sends everything in one request without an error, and its person appears: %s',
    async (mode, endpoint) => {
      vi.stubEnv('POSTHOG_CAPTURE_MODE', mode)
      const project = await openProject()
      const errors: unknown[] = []
      const sent: [string, number][] = []
      const client = new PostHog(project.token, {
        host: project.url,
        fetch: async (url, options) => {
          const response = await fetch(url, options as RequestInit)
          sent.push([new URL(url).pathname, response.status])
          return response
        }
      })
      client.on('error', (error) => errors.push(error))

      client.identify({ distinctId: 'ada', properties: { email: 'ada@example.com', plan: 'free' } })
      client.capture({
        distinctId: 'ada',
        event: 'signed up',
        properties: { $set: { plan: 'pro' } }
      })
      client.alias({ distinctId: 'ada', alias: 'ada-on-her-phone' })
      client.capture({ distinctId: 'ada-on-her-phone', event: 'opened the app' })
      await client.shutdown()
      await until(async () => (await project.list()).count > 0)

      expect(errors).toEqual([])
      expect(sent).toEqual([[endpoint, 200]])
      const { count, results } = await project.list('?email=ada@example.com')
      expect(count).toBe(1)
      expect(results[0]).toMatchObject({
        name: 'ada@example.com',
        distinct_ids: ['ada', 'ada-on-her-phone'],
        properties: { email: 'ada@example.com', plan: 'pro' }
      })
      expect((await project.list('?distinct_id=ada-on-her-phone')).results).toEqual(results)
      expect(await project.get(`persons/${results[0]?.uuid}/`)).toEqual(results[0])
      expect(await project.get(`persons/${results[0]?.id}/`)).toEqual(results[0])
    }
  )

  it('evaluates feature flags locally, and finds none', async () => {
    const { token, url } = await newProject()
    const errors: unknown[] = []
    const asked: [string, number][] = []
    const client = new PostHog(token, {
      host: url,
      personalApiKey: 'phx_of_another_place',
      fetch: async (address, options) => {
        const response = await fetch(address, options as RequestInit)
        asked.push([new URL(address).pathname, response.status])
        return response
      }
    })
    onTestFinished(() => client.shutdown())
    client.on('error', (error) => errors.push(error))

    await client.reloadFeatureFlags()
    const flags = await client.getAllFlags('ada')

    expect(flags).toEqual({})
    expect(errors).toEqual([])
    expect(asked).toContainEqual(['/flags/definitions', 200])
    expect(asked.filter(([, status]) => status !== 200)).toEqual([])
  })
})

describe('the recorded traffic of posthog-node 5.70', () => {
  const recorded: {
    path: string
    headers: Record<string, string>
    body: Record<string, unknown>
  }[] = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../fixtures/posthog-node-5.70.json'), 'utf8')
  )

  it('creates each person once, even if every request arrives twice', async () => {
    const project = await openProject()
    for (const { path, headers, body } of [...recorded, ...recorded]) {
      const payload = gzipSync(JSON.stringify({ ...body, api_key: project.token }))
      const response = await fetch(project.url + path, { method: 'POST', headers, body: payload })
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ status: 'Ok' })
    }
    const sent = recorded.flatMap(({ body }) => body.batch)
    expect(await drain(project.url, 60_000)).toBeUndefined()
    const counting = `select count(*) as stored from events where project_id = ${project.projectId}`
    expect(readRows(inject('service').stateDir, counting)).toEqual([{ stored: sent.length }])

    // 20 users, 5 of them with an alias, and 2 groups, which have distinct ids; the 5 anonymous visitors have no profile.
    const { count, results } = await project.list()
    expect(count).toBe(22)
    expect(results.flatMap(({ distinct_ids }) => distinct_ids)).toHaveLength(27)
    const [aliased] = (await project.list('?distinct_id=r1_user_02_alias')).results
    expect(aliased?.created_at).toMatch(/^2025-03/)
    const [user] = (await project.list('?search=R1_USER_15@')).results
    expect(user).toMatchObject({
      name: 'r1_user_15@example.com',
      distinct_ids: ['r1_user_15'],
      // The `$unset` of `age` is dated before the `$identify` that set it.
      properties: {
        email: 'r1_user_15@example.com',
        plan: 'free',
        age: 35,
        first_seen_index: 15,
        $browser: 'Chrome'
      }
    })
    expect((await project.list('?distinct_id=r1_user_00_alias')).results[0]?.distinct_ids).toEqual([
      'r1_user_00',
      'r1_user_00_alias'
    ])
  })
})
