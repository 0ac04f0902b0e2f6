import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import { EVERY_15_MINUTES } from '../../../src/jobs/cron.ts'
import { shinglesOf } from '../../../src/sessions/shingles.ts'
import { closeSessions } from '../../../src/sessions/upkeep/close.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent, visit } from '../../support/recordings.ts'
import worker from '../../support/worker.ts'

afterAll(untilQuiet)

const page = (path: string): TestEvent => ({
  properties: { $current_url: `https://shop.example${path}` }
})
const event = (name: string): TestEvent => ({ event: name })

const BUY = [
  page('/'),
  page('/shoes/1'),
  event('added to cart'),
  page('/cart'),
  event('bought'),
  page('/thanks')
]

/** Returns the events of a session two hours ago, one event per second. */
const did = (session: string, steps: TestEvent[]): TestEvent[] =>
  steps.map((step, i) => ({
    ...step,
    timestamp: Date.now() - 2 * HOUR + i * 1000,
    properties: { ...step.properties, $session_id: session }
  }))

/** Captures sessions of two hours ago, records them, and closes them. */
async function record(project: TestProject, sessions: Record<string, TestEvent[]>) {
  const events = Object.entries(sessions).flatMap(([session, steps]) => did(session, steps))
  await project.ingest(events, Date.now() - 2 * HOUR)
  const snapshots = visit(Date.now() - 2 * HOUR)
  await holdRecordings().record(
    ...Object.keys(sessions).map((session) => snapshotEvent(project, { session, snapshots }))
  )
  await closeSessions(db, new Date())
}

const similarTo = async (project: TestProject, session: string, query = '') =>
  (await project.call('GET', `session_recordings/${session}/analyze/similar${query}`)).body

const ids = (body: { results: { id: string }[] }) => body.results.map(({ id }) => id)

const SHOP = {
  buys: BUY,
  'buys-another': BUY.with(1, page('/shoes/2')),
  'looks-around-and-buys': [page('/news'), ...BUY],
  'leaves-at-the-cart': BUY.slice(0, 4),
  'reads-the-docs': [page('/docs'), page('/docs/api'), page('/docs/sdk'), event('copied code')]
}

describe('GET session_recordings/{id}/analyze/similar', () => {
  it('lists sessions with the same or similar steps, most similar first', async () => {
    const project = await newProject()
    await record(project, SHOP)

    const body = await similarTo(project, 'buys')

    expect(ids(body)).toEqual(['buys-another', 'looks-around-and-buys', 'leaves-at-the-cart'])
    expect(body).toMatchObject({
      count: 3,
      reason: null,
      steps: [
        '$pageview /',
        '$pageview /shoes/:id',
        'added to cart',
        '$pageview /cart',
        'bought',
        '$pageview /thanks'
      ]
    })
    expect(body.results[0]).toEqual({
      id: 'buys-another',
      similarity: 1,
      shared_steps: body.steps,
      step_count: 6,
      start_time: expect.any(String),
      recording_duration: 3
    })
    expect(body.results[2].shared_steps).toEqual(body.steps.slice(0, 4))
    expect(await similarTo(project, 'reads-the-docs')).toMatchObject({
      count: 0,
      results: [],
      reason: null
    })
  })

  it('lists the requested number of recordings', async () => {
    const project = await newProject()
    await record(project, SHOP)

    expect(ids(await similarTo(project, 'buys', '?limit=1'))).toEqual(['buys-another'])
  })

  it('leaves out deleted recordings, sessions without a recording, and other projects', async () => {
    const [project, other] = [await newProject(), await newProject()]
    await record(other, { ...SHOP, secret: BUY })
    await project.ingest(did('not-recorded', BUY), Date.now() - 2 * HOUR)
    await record(project, SHOP)
    const { status } = await project.call('DELETE', 'session_recordings/buys-another')

    expect(status).toBe(204)
    expect(ids(await similarTo(project, 'buys'))).toEqual([
      'looks-around-and-buys',
      'leaves-at-the-cart'
    ])
    expect(
      (await project.call('GET', 'session_recordings/buys-another/analyze/similar')).status
    ).toBe(404)
    expect((await project.call('GET', 'session_recordings/secret/analyze/similar')).status).toBe(
      404
    )
    expect(
      (await project.call('GET', 'session_recordings/not-recorded/analyze/similar')).status
    ).toBe(404)
  })

  it('says why a session cannot be compared', async () => {
    const project = await newProject()
    await record(project, { ...SHOP, short: BUY.slice(0, 2), silent: [] })
    const reason = 'The session has fewer than 3 steps.'

    expect(await similarTo(project, 'short')).toMatchObject({ count: 0, results: [], reason })
    expect(await similarTo(project, 'silent')).toEqual({ count: 0, results: [], steps: [], reason })
  })

  it('says that sessions which are still open cannot be found', async () => {
    const project = await newProject()
    await record(project, { buys: BUY })
    const alone = await similarTo(project, 'buys')
    const events = did('buys-now', BUY)
    await project.ingest(events)
    const snapshots = visit(Date.now())
    await holdRecordings().record(snapshotEvent(project, { session: 'buys-now', snapshots }))

    expect(alone).toMatchObject({ count: 0, reason: null })
    expect(await similarTo(project, 'buys')).toMatchObject({
      count: 0,
      reason: expect.stringContaining('still open')
    })
    expect(await similarTo(project, 'buys-now')).toMatchObject({ count: 1, reason: null })
  })

  it('says so among thousands of newer open sessions, when a recording has arrived late', async () => {
    const project = await newProject()
    await record(project, { buys: BUY })
    await project.ingest(did('late', BUY), Date.now() - 2 * HOUR)
    await closeSessions(db, new Date())
    await holdRecordings().record(snapshotEvent(project, { session: 'late' }))
    const other = await newProject()
    await db.run(sql`
      insert into sessions (project_id, session_id, identities, start_time, end_time, events, pageviews, autocaptures,
                            screens, open_slot)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 3000)
      select ${other.id}, 'o-' || n, '[]', 1, 2, 1, 1, 0, 0, 1000 + n from numbers`)

    const body = await similarTo(project, 'buys')

    await db.run(sql`delete from sessions where project_id = ${other.id}`)
    expect(body).toMatchObject({ count: 0, reason: expect.stringContaining('still open') })
  })

  it('shows the same duration as the recording', async () => {
    const project = await newProject()
    const start = Math.floor(Date.now() / 1000 - 7_200) * 1_000 + 900
    const snapshots = visit(start).map((one, i) => ({ ...one, timestamp: start + i * 1_423 }))
    await project.ingest([...did('a', BUY), ...did('b', BUY)], Date.now() - 2 * HOUR)
    await holdRecordings().record(
      snapshotEvent(project, { session: 'a', snapshots }),
      snapshotEvent(project, { session: 'b', snapshots })
    )
    await closeSessions(db, new Date())

    const { results } = await similarTo(project, 'a')
    const { body } = await project.call('GET', 'session_recordings/b')

    expect(results).toMatchObject([{ id: 'b', recording_duration: body.recording_duration }])
    expect(Number.isInteger(body.recording_duration)).toBe(true)
  })

  it('compares a session that is still open, and finds a session whose recording came late', async () => {
    const project = await newProject()
    await record(project, SHOP)
    await project.ingest(did('late', BUY), Date.now() - 2 * HOUR)
    await closeSessions(db, new Date())
    await project.ingest(did('goes-on', BUY.slice(2)), Date.now())
    await holdRecordings().record(
      snapshotEvent(project, { session: 'goes-on' }),
      snapshotEvent(project, { session: 'late' })
    )
    expect(ids(await similarTo(project, 'goes-on'))).not.toContain('late')

    await closeSessions(db, new Date())

    const found = await similarTo(project, 'goes-on')
    expect(ids(found).slice(0, 3).sort()).toEqual(['buys', 'buys-another', 'late'])
    expect(found.steps).toHaveLength(4)
    expect(ids(await similarTo(project, 'buys'))).not.toContain('goes-on')
  })

  it.each([
    ['limit=0', 'invalid_input'],
    ['limit=101', 'invalid_input'],
    ['limit=x', 'invalid_input']
  ])('refuses ?%s', async (query, code) => {
    const project = await newProject()

    const { status, body } = await project.call(
      'GET',
      `session_recordings/x/analyze/similar?${query}`
    )

    expect([status, body.code, body.attr]).toEqual([400, code, 'limit'])
  })
})

it('a search reads at most 5,000 rows, however many sessions share each pair of steps', async () => {
  const project = await newProject()
  const paths = Array.from(
    { length: 30 },
    (_, i) => `/page-${String.fromCharCode(97 + (i % 26))}${i < 26 ? '' : 'x'}`
  )
  await record(project, { long: paths.map(page) })
  const shingles = shinglesOf(
    paths.map((path) => `$pageview ${path}`),
    100,
    3
  )
  const others = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100),
    others(id, shingle) as (
      select 'o-' || shingle.key || '-' || n, shingle.value from json_each(${JSON.stringify(shingles)}) as shingle, numbers)`
  await db.run(sql`insert into session_shingles (project_id, shingle, session_id)
    ${others} select ${project.id}, shingle, id from others`)
  await db.run(sql`insert into sessions (project_id, session_id, identities, start_time, end_time, events, pageviews,
                                         autocaptures, screens, steps)
    ${others} select ${project.id}, id, '[]', 1, 2, 1, 1, 0, 0, '["$pageview /page-a"]' from others`)
  await db.run(sql`insert into recordings (project_id, session_id, identity, is_relinked, start_time, end_time, first_part,
      snapshot_source, active_ms, click_count, keypress_count, mouse_activity_count, console_log_count,
      console_warn_count, console_error_count, urls, parts, bytes, last_received_at, created_at, access_token)
    ${others} select ${project.id}, id, 1, 0, 1, 2, '', 'web', 0, 0, 0, 0, 0, 0, 0, '[]', 1, 1, 1, 1, id from others`)
  await similarTo(project, 'long')
  const log = listenToLog()

  const { count } = await similarTo(project, 'long', '?limit=100')

  const rows = Number(log.lines('request')[0]?.rows_read)
  expect(count).toBe(100)
  expect(rows).toBeGreaterThan(4_000)
  expect(rows).toBeLessThanOrEqual(5_000)
  await db.run(sql`delete from session_shingles where project_id = ${project.id}`)
})

describe('what closing a session costs', () => {
  const FULL = {
    $referrer: 'https://www.google.com/',
    $referring_domain: 'www.google.com',
    utm_source: 'google',
    utm_medium: 'cpc',
    utm_campaign: 'spring',
    utm_term: 'shoes',
    utm_content: 'red',
    gclid: 'abc'
  }

  it('is at most 40 rows written, for a recorded session with all campaign properties', async () => {
    const project = await newProject()
    const steps = [...BUY, page('/a'), page('/b'), page('/c'), page('/d'), page('/e')]
    const full = steps.map((step) => ({ ...step, properties: { ...step.properties, ...FULL } }))
    // For the second session, each value exists already and moves in the order by frequency.
    await record(project, { first: full })
    await project.ingest(did('second', full), Date.now() - 2 * HOUR)
    const { post, drain } = holdRecordings()
    await post(JSON.stringify([snapshotEvent(project, { session: 'second' })]))
    await drain()
    const log = listenToLog()
    await worker.scheduled(createScheduledController({ cron: EVERY_15_MINUTES }), env)
    const line = log.lines('sessions closed').find(({ database }) => database === 'DB')

    expect(line).toMatchObject({ closed: 1 })
    expect(Number(line?.rows_written)).toBeGreaterThan(20)
    expect(Number(line?.rows_written)).toBeLessThanOrEqual(40)
    expect(ids(await similarTo(project, 'first'))).toEqual(['second'])
  })
})
