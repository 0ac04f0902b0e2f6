import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { closeSessions } from '../../../src/sessions/upkeep/close.ts'
import { measureRows } from '../../support/log.ts'
import { measure } from '../../support/measure.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const NOW = Date.UTC(2026, 10, 1, 12)

/** Captures one session, with a single event, for each object of properties in `pages`; received at `at`, ms UTC. */
async function visit(project: TestProject, pages: JsonObject[], at = NOW - HOUR) {
  await project.ingest(
    pages.map((properties, i) => ({
      timestamp: at,
      properties: { $session_id: `${at}-${i}`, ...properties }
    })),
    at
  )
}

const close = (at = NOW) => closeSessions(db, new Date(at))

const valuesOf = async (project: TestProject, key: string, value?: string) => {
  const query = new URLSearchParams({ key, ...(value !== undefined && { value }) })
  const { status, body } = await project.call('GET', `sessions/values?${query}`)
  expect(status).toBe(200)
  return body.results.map(({ name, count }: { name: string; count: number }) => [name, count])
}

describe('GET sessions/property_definitions', () => {
  it('lists all of PostHog’s properties and those of the place, each with its type', async () => {
    const project = await newProject()

    const { body } = await project.call('GET', 'sessions/property_definitions')

    expect(body.count).toBe(44)
    expect(body.results).toHaveLength(44)
    expect(body.results.slice(0, 3)).toEqual([
      {
        id: '$start_timestamp',
        name: '$start_timestamp',
        is_numerical: false,
        property_type: 'DateTime',
        is_seen_on_filtered_events: null,
        tags: []
      },
      expect.objectContaining({ name: '$end_timestamp', property_type: 'DateTime' }),
      expect.objectContaining({ name: '$entry_current_url', property_type: 'String' })
    ])
    expect(body.results.at(-1)).toMatchObject({
      name: '$is_bounce',
      property_type: 'Boolean',
      is_numerical: false
    })
  })

  it.each([
    ['search=DURATION', ['$session_duration']],
    ['search=Utm+entry+me', ['$entry_utm_medium']],
    ['search=nothing', []],
    [
      'is_numerical=true',
      ['$pageview_count', '$autocapture_count', '$screen_count', '$vitals_lcp', '$session_duration']
    ],
    ['is_numerical=false&search=bounce', ['$is_bounce']]
  ])('is narrowed by %s', async (query, names) => {
    const project = await newProject()

    const { body } = await project.call('GET', `sessions/property_definitions?${query}`)

    expect(body.results.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(body.count).toBe(names.length)
  })

  it.each([
    ['is_numerical=maybe', 'is_numerical'],
    [`search=${'x'.repeat(201)}`, 'search']
  ])('refuses %s', async (query, attr) => {
    const project = await newProject()

    const { status, body } = await project.call('GET', `sessions/property_definitions?${query}`)

    expect([status, body.attr]).toEqual([400, attr])
  })
})

describe('GET sessions/values', () => {
  it('lists the values of the sessions that are over, the most frequent first', async () => {
    const project = await newProject()
    const from = (utm_source: string) => ({ utm_source, $current_url: 'https://a.example/' })
    await visit(project, [
      from('google'),
      from('newsletter'),
      from('google'),
      from('Bing'),
      from('bing'),
      from('google')
    ])
    await visit(project, [from('bing')], NOW - 29 * 60_000)

    expect(await valuesOf(project, '$entry_utm_source')).toEqual([])
    expect(await close()).toBe(6)

    expect(await valuesOf(project, '$entry_utm_source')).toEqual([
      ['google', 3],
      ['Bing', 1],
      ['bing', 1],
      ['newsletter', 1]
    ])
    expect(await valuesOf(project, '$entry_utm_source', 'BING')).toEqual([
      ['Bing', 1],
      ['bing', 1]
    ])
    expect(await valuesOf(project, '$entry_utm_source', 'no such')).toEqual([])
    expect(await valuesOf(project, '$is_bounce')).toEqual([['true', 6]])
    expect(await valuesOf(project, '$entry_pathname')).toEqual([['/', 6]])
    expect(await valuesOf(project, '$pageview_count')).toEqual([])
    expect(await close(NOW + HOUR)).toBe(1)
    expect(await valuesOf(project, '$entry_utm_source', 'bing')).toEqual([
      ['bing', 2],
      ['Bing', 1]
    ])
  })

  it('counts each session once, with its new values if it gets more events later', async () => {
    const project = await newProject()
    const page = (url: string, minute: number) => ({
      timestamp: NOW - 5 * HOUR + minute * 60_000,
      properties: { $session_id: 's', $current_url: url }
    })
    await project.ingest(
      [page('https://a.example/b', 10), page('https://a.example/c', 20)],
      NOW - 4 * HOUR
    )
    await close()
    await close()
    expect(await valuesOf(project, '$entry_pathname')).toEqual([['/b', 1]])

    await project.ingest([page('https://a.example/a', 0)], NOW - 3 * HOUR)
    expect([await close(), await close()]).toEqual([1, 0])

    expect(await valuesOf(project, '$entry_pathname')).toEqual([['/a', 1]])
    expect(await valuesOf(project, '$end_pathname')).toEqual([['/c', 1]])
    expect(await valuesOf(project, '$is_bounce')).toEqual([['false', 1]])
  })

  it('closes each session once, however many invocations do it at once', async () => {
    const project = await newProject()
    const pages = Array.from({ length: 120 }, (_, i) => ({ utm_source: `source ${i % 3}` }))
    await visit(project, pages)

    const closed = await Promise.all([close(), close(), close()])

    expect(closed.reduce((sum, count) => sum + count)).toBe(120)
    expect(await valuesOf(project, '$entry_utm_source')).toEqual([
      ['source 0', 40],
      ['source 1', 40],
      ['source 2', 40]
    ])
  })

  it('shows 20 values, of its own project only', async () => {
    const [project, other] = [await newProject(), await newProject()]
    await visit(
      project,
      Array.from({ length: 30 }, (_, i) => ({ utm_term: `term ${String(i).padStart(2, '0')}` }))
    )
    await visit(other, [{ utm_term: 'secret' }])
    await close()

    const values = await valuesOf(project, '$entry_utm_term')

    expect([values.length, values[0], values[19]]).toEqual([20, ['term 00', 1], ['term 19', 1]])
    expect(await valuesOf(project, '$entry_utm_term', 'secret')).toEqual([])
    expect(await valuesOf(project, '$entry_utm_term', '29')).toEqual([['term 29', 1]])
  })

  it.each([
    ['', 'required', 'key'],
    ['key=', 'invalid_choice', 'key'],
    ['key=$browser', 'invalid_choice', 'key'],
    [`key=$channel_type&value=${'x'.repeat(401)}`, 'max_length', 'value']
  ])('refuses ?%s', async (query, code, attr) => {
    const project = await newProject()

    const { status, body } = await project.call('GET', `sessions/values?${query}`)

    expect([status, body.code, body.attr]).toEqual([400, code, attr])
  })
})

describe('what sessions cost', () => {
  const URLS = {
    $current_url: 'https://a.example/landing?utm_source=google',
    $referrer: 'https://www.google.com/'
  }
  const FULL = {
    ...URLS,
    $referring_domain: 'www.google.com',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring',
    utm_term: 'shoes',
    utm_content: 'red',
    gclid: 'abc'
  }
  const written = async (run: () => Promise<unknown>) => (await measureRows(run)).written

  it('is at most 10 rows written to open a session, and 2 for a further event', async () => {
    const project = await newProject()
    const event = (properties: JsonObject) => project.ingest([{ timestamp: NOW, properties }], NOW)
    await event(FULL)
    const without = await written(() => event(FULL))
    const opening = await written(() => event({ ...FULL, $session_id: 'one' }))
    const going = await written(() => event({ ...FULL, $session_id: 'one' }))

    expect(without).toBeGreaterThan(0)
    expect(opening - without).toBeLessThanOrEqual(10)
    expect(going - without).toBeLessThanOrEqual(2)
  })

  it.each([
    ['values of all frequencies', '1 + n % 5000'],
    ['most values in a single session each', 'case when n % 200 = 0 then n else 1 end'],
    ['all values in a single session each', '1'],
    ['values of the same frequency', '7']
  ])('is at most 2,000 rows read for 100,000 values: %s', async (_, distribution) => {
    const project = await newProject()
    await env.DB.prepare(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
       insert into session_values (project_id, key, value, count)
       select ?, '$entry_utm_term', 'term ' || n, ${distribution} from numbers`
    )
      .bind(project.id)
      .run()
    const read = (query: string) => measure(project, `sessions/values?key=$entry_utm_term${query}`)
    await read('')

    const [all, none, some] = [
      await read(''),
      await read('&value=nobody'),
      await read('&value=term')
    ]
    expect([all, none, some].map(({ body }) => body.results.length)).toEqual([20, 0, 20])
    expect(all.rows).toBeLessThanOrEqual(100)
    expect(none.rows).toBeLessThanOrEqual(2_000)
    expect(some.rows).toBeLessThanOrEqual(2_000)
    await db.run(sql`delete from session_values where project_id = ${project.id}`)
  })
})
