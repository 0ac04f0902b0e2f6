import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import { deleteOldSalts, findSalt, SALT_PREFIX } from '../../../src/capture/cookieless/salts.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { personsOf, send } from '../../support/capture.ts'
import { beforeCall } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { invoke } from '../../support/platform.ts'
import { consume, db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { sessionsOf } from '../../support/sessions.ts'
import { ask } from '../../support/trends.ts'
import { until } from '../../support/until.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const SENTINEL = '$posthog_cookieless'
/** Yesterday at noon UTC, which is far from midnight in Europe. */
const NOON = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR - 12 * HOUR

/** Returns the time this many minutes after `NOON`. */
const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString()

const DAY_BEFORE = -24 * 60

/** Returns an event as posthog-js sends it in cookieless mode. */
const visit = (fields: JsonObject = {}, properties: JsonObject = {}): JsonObject => ({
  event: '$pageview',
  distinct_id: SENTINEL,
  timestamp: at(0),
  ...fields,
  properties: {
    $cookieless_mode: true,
    $process_person_profile: false,
    $device_id: null,
    $host: 'shop.example.com',
    $raw_user_agent: 'Firefox',
    $timezone: 'Europe/Berlin',
    ...properties
  }
})

/** Sends events from an address, and returns the answer and the queued events. */
const sendFrom = (project: TestProject, address: string, ...batch: Json[]) =>
  send(JSON.stringify({ api_key: project.token, batch }), {
    headers: { 'X-Forwarded-For': address }
  })

/** Waits until this many events of the project are stored. */
const untilStored = (project: TestProject, count: number) =>
  until(async () => {
    const [stored] = await db.all<{ count: number }>(
      sql`select count(*) as count from events where project_id = ${project.id}`
    )
    return stored?.count === count
  })

/** Returns the distinct id that an event gets. */
async function nameOf(
  project: TestProject,
  { address = '203.0.113.7', ...properties }: JsonObject & { address?: string } = {}
) {
  const { status, events } = await sendFrom(project, address, visit({}, properties))
  expect(status).toBe(200)
  return events[0]?.distinct_id
}

describe('a visitor without cookies', () => {
  it('is named by a hash of project, address, root domain, user agent and `$cookieless_extra`', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const name = await nameOf(project)

    expect(name).toMatch(/^cookieless_[0-9a-f]{32}$/)
    expect(await nameOf(project)).toBe(name)
    expect(await nameOf(project, { $host: 'www.example.com:8080' })).toBe(name)
    expect(await nameOf(project, { address: '203.0.113.7, 10.0.0.1' })).toBe(name)
    expect(await nameOf(project, { address: '10.0.0.1', $ip: '203.0.113.7' })).toBe(name)
    const others = [
      await nameOf(other),
      await nameOf(project, { address: '203.0.113.8' }),
      await nameOf(project, { $host: 'example.org' }),
      await nameOf(project, { $raw_user_agent: 'Chrome' }),
      await nameOf(project, { $cookieless_extra: 'a' }),
      await nameOf(project, { $cookieless_extra: 'b' })
    ]
    expect(new Set([name, ...others]).size).toBe(7)
  })

  it('has another hash on each day of the visitor’s time zone', async () => {
    const project = await newProject()
    const nameAt = async (minutes: number, zone: string) => {
      const event = visit({ timestamp: at(minutes) }, { $timezone: zone })
      const { events } = await sendFrom(project, '203.0.113.7', event)
      return events[0]?.distinct_id
    }
    const noon = await nameAt(0, 'UTC')

    expect(await nameAt(DAY_BEFORE, 'UTC')).not.toBe(noon)
    expect(await nameAt(11 * 60, 'UTC')).toBe(noon)
    expect(await nameAt(11 * 60, 'Asia/Kathmandu')).not.toBe(noon)
    expect(await nameAt(0, 'asia/kathmandu')).toBe(noon)
    expect(await nameAt(11 * 60, 'No/Such_Zone')).toBe(noon)
    expect(await nameAt(11 * 60, '+05:30')).toBe(noon)
  })

  it('leaves no address, user agent or `$cookieless_extra` in the queued event', async () => {
    const project = await newProject()
    const event = visit({}, { $ip: '203.0.113.7', $cookieless_extra: 'Suite 5', plan: 'pro' })

    const { events } = await sendFrom(project, '203.0.113.9', event)

    const text = JSON.stringify(events)
    expect(text).toContain('"plan":"pro"')
    expect(text).not.toMatch(/203\.0\.113|Firefox|Suite 5|\$posthog_cookieless/)
    expect(events[0]?.properties.$device_id).toMatch(/^cookielessd_[0-9a-f]{32}$/)
  })

  it('counts as one actor per day', async () => {
    const project = await newProject()
    const before = visit({ timestamp: at(DAY_BEFORE) })
    await sendFrom(project, '203.0.113.1', visit(), visit(), visit())
    await sendFrom(project, '203.0.113.2', visit(), before)
    await sendFrom(project, '203.0.113.3', before)
    await untilStored(project, 6)

    const { body } = await ask(project, {
      events: [{ id: '$pageview', math: 'dau' }],
      date_from: at(DAY_BEFORE).slice(0, 10),
      date_to: at(0).slice(0, 10)
    })

    expect(body.result[0].data).toEqual([2, 2])
    expect((await personsOf(project)).count).toBe(0)
  })
})

describe('sessions of visitors without cookies', () => {
  it('end after half an hour without an event', async () => {
    const project = await newProject()
    const visitAt = (minutes: number) =>
      visit({ timestamp: at(minutes) }, { $session_id: 'of the browser' })
    await sendFrom(project, '203.0.113.1', visitAt(0), visitAt(20), visitAt(70))
    await sendFrom(project, '203.0.113.2', visitAt(20))
    await untilStored(project, 4)
    await sendFrom(project, '203.0.113.1', visitAt(40), visitAt(91))
    await untilStored(project, 6)

    const sessions = await sessionsOf(project.id)

    expect(sessions.map(({ events }) => events).sort()).toEqual([1, 2, 3])
    expect(sessions.map(({ identities }) => identities.length)).toEqual([1, 1, 1])
  })

  it('continue when the visitor signs in', async () => {
    const project = await newProject()
    const signIn = visit(
      { event: '$identify', distinct_id: 'ada', timestamp: at(1) },
      { $process_person_profile: true, $anon_distinct_id: SENTINEL, $set: { plan: 'pro' } }
    )
    const later = visit({ distinct_id: 'ada', timestamp: at(2) }, { $process_person_profile: true })

    await sendFrom(project, '203.0.113.1', visit(), signIn, later)
    await untilStored(project, 3)

    const [session, ...others] = await sessionsOf(project.id)
    expect(others).toEqual([])
    expect(session?.events).toBe(3)
    expect(session?.identities).toHaveLength(2)
  })

  it('begin once, however many consumers see the first event at the same time', async () => {
    const project = await newProject()
    const { events } = await sendFrom(project, '203.0.113.1', visit())
    await untilStored(project, 1)
    const [first] = events
    if (!first) {
      throw new Error('The event was not accepted.')
    }
    const late = Array.from({ length: 8 }, (_, n) => ({
      ...first,
      uuid: crypto.randomUUID(),
      visitor: 'f'.repeat(32),
      timestamp: first.timestamp + n * 60_000
    }))

    await Promise.all(late.map((event) => project.ingest([event])))

    const sessions = await sessionsOf(project.id)
    expect(sessions.map((session) => session.events).sort()).toEqual([1, 8])
  })

  /** Returns an event of one visitor, as it is queued, this many minutes after `NOON`. */
  const queuedAt = (minutes: number) => ({
    visitor: 'a'.repeat(32),
    timestamp: NOON + minutes * 60_000,
    properties: { $process_person_profile: false }
  })

  it('may begin shortly before a session that is already stored', async () => {
    const project = await newProject()
    await project.ingest([queuedAt(0)])

    const late = await project.ingest([queuedAt(-40), queuedAt(-25)])

    expect(late.explicitAcks).toHaveLength(1)
    const sessions = await sessionsOf(project.id)
    expect(sessions.map(({ events }) => events).sort()).toEqual([1, 2])
  })

  it('do not begin shortly before a session that another consumer extends at the same time', async () => {
    const project = await newProject()
    await project.ingest([queuedAt(0)])
    const { DB, isReached } = beforeCall(env.DB, 3, () => project.ingest([queuedAt(-25)]))

    await consume([project.message([queuedAt(-40)])], 1, { DB })

    expect(isReached()).toBe(true)
    const sessions = await sessionsOf(project.id)
    expect(sessions.map(({ events }) => events)).toEqual([3])
  })
})

describe('identities in cookieless mode', () => {
  it('are never merged by signing in', async () => {
    const project = await newProject()
    const signIn = (id: string) =>
      visit(
        { event: '$identify', distinct_id: id },
        { $process_person_profile: true, $anon_distinct_id: SENTINEL, $set: { name: id } }
      )
    await sendFrom(project, '203.0.113.1', visit(), signIn('ada'))
    await sendFrom(project, '203.0.113.2', visit(), signIn('bob'))
    await untilStored(project, 4)

    const { results } = await personsOf(project)

    expect(results.map((person: { distinct_ids: string[] }) => person.distinct_ids).sort()).toEqual(
      [['ada'], ['bob']]
    )
    const [named] = await db.all<{ count: number }>(
      sql`select count(*) as count from events where project_id = ${project.id} and properties ->> '$."$anon_distinct_id"' is not null`
    )
    expect(named?.count).toBe(0)
  })

  it.each(['$create_alias', '$merge_dangerously'])(
    'are not merged by %s, which is dropped with a warning',
    async (event) => {
      const project = await newProject()
      const log = listenToLog()
      const alias = visit(
        { event, distinct_id: 'ada' },
        { alias: SENTINEL, $process_person_profile: true }
      )

      const { status, body, events } = await sendFrom(project, '203.0.113.1', visit(), alias, alias)

      expect(status).toBe(200)
      expect(events).toHaveLength(1)
      const reason = `\`${event}\` is not allowed in cookieless mode: persons without cookies are never merged`
      expect(body.dropped.map((one: { reason: string }) => one.reason)).toEqual([reason, reason])
      expect(log.lines('ingestion warning')).toMatchObject([
        { project: project.id, type: 'alias_in_cookieless_mode', count: 2 }
      ])
    }
  )
})

describe('a placeholder instead of a distinct id', () => {
  it.each([
    [SENTINEL],
    ['00000000-0000-0000-0000-000000000000'],
    ['system'],
    ['"USER"'],
    ['anonymous-user'],
    ['NAN'],
    [' backend ']
  ])('is never merged with another person: %s', async (placeholder) => {
    const project = await newProject()
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: placeholder } },
      { event: '$identify', distinct_id: 'bob', properties: { $anon_distinct_id: placeholder } },
      { event: '$create_alias', distinct_id: placeholder, properties: { alias: 'ada' } }
    ])

    const { results } = await personsOf(project)

    const sizes = results.map((person: { distinct_ids: string[] }) => person.distinct_ids.length)
    expect(sizes).toEqual([1, 1, 1])
  })
})

describe('an event in cookieless mode is refused', () => {
  it.each<[string, JsonObject]>([
    [
      '`distinct_id` may be `$posthog_cookieless` only in events with the property `$cookieless_mode: true`',
      { $cookieless_mode: false }
    ],
    ['a cookieless event needs `$host` or `$current_url`', { $host: '' }],
    ['a cookieless event needs `$raw_user_agent` or a User-Agent header', { $raw_user_agent: null }]
  ])('with the reason: %s', async (reason, properties) => {
    const project = await newProject()

    const { status, body } = await sendFrom(project, '203.0.113.1', visit({}, properties))

    expect(status).toBe(400)
    expect(body.detail).toBe(reason)
  })

  it('as part of a recording', async () => {
    const project = await newProject()
    const snapshot = visit(
      { event: '$snapshot' },
      { token: project.token, $session_id: 's', $snapshot_data: [{ type: 4, timestamp: NOON }] }
    )

    const { status, body } = await send(JSON.stringify([snapshot]), { path: '/s/' })

    expect(status).toBe(400)
    expect(body.detail).toBe('visitors in cookieless mode are not recorded')
  })

  it('when its day ended too long ago', async () => {
    const project = await newProject()
    const day = new Date(Date.now() - 6 * 24 * HOUR).toISOString().slice(0, 10)

    const { status, body } = await sendFrom(
      project,
      '203.0.113.1',
      visit({ timestamp: `${day}T12:00:00Z` })
    )

    expect(status).toBe(400)
    expect(body.detail).toContain(`cookieless events of ${day} are accepted only`)
  })

  it('with a 503 when the salt cannot be read, so that the SDK sends it again', async () => {
    const project = await newProject()
    const broken = { get: () => Promise.reject(new Error('down')) } as unknown as R2Bucket
    // A day without other events in these tests: a salt stays in memory once it has been read.
    const event = visit({ timestamp: at(2 * DAY_BEFORE) })
    const body = JSON.stringify({ api_key: project.token, batch: [event] })

    const { status } = await request('POST', '/batch/', {}, body, { BUCKET: broken })

    expect(status).toBe(503)
  })
})

describe('the salt of a day', () => {
  const DAY = '2031-05-02'
  const during = Date.parse(`${DAY}T12:00:00Z`)
  /** The time 72 hours after the day has ended at UTC-12, ms UTC. */
  const end = Date.parse(`${DAY}T00:00:00Z`) + (24 + 12 + 72) * HOUR
  const stored = async () =>
    (await env.BUCKET.list({ prefix: SALT_PREFIX })).objects.map(({ key }) => key)

  it('is made once, kept 72 hours after the day has ended everywhere, and then deleted', async () => {
    const salts = await Promise.all(
      Array.from({ length: 5 }, () => invoke(env, ({ BUCKET }) => findSalt(BUCKET, DAY, during)))
    )

    expect(salts[0]).toHaveLength(32)
    expect(new Set(salts.map(String)).size).toBe(1)
    await deleteOldSalts(env.BUCKET, end - 1)
    expect(await stored()).toContain(`${SALT_PREFIX}${DAY}`)
    expect(String(await findSalt(env.BUCKET, DAY, end - 1))).toBe(String(salts[0]))
    expect(await findSalt(env.BUCKET, DAY, end)).toBeUndefined()
    await deleteOldSalts(env.BUCKET, end)
    expect(await stored()).not.toContain(`${SALT_PREFIX}${DAY}`)
  })

  it('is not made for a day that has not begun anywhere', async () => {
    const begin = Date.parse(`${DAY}T00:00:00Z`) - 14 * HOUR

    expect(await findSalt(env.BUCKET, DAY, begin - 1)).toBeUndefined()
    expect(await findSalt(env.BUCKET, DAY, begin)).toHaveLength(32)
    await deleteOldSalts(env.BUCKET, end)
  })
})
