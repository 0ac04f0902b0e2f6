import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { toIso } from '../../../src/calendar/clock.ts'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import { failingBucket, failingQueue } from '../../support/bindings.ts'
import { gzip } from '../../support/capture.ts'
import { aroundCalls } from '../../support/faults.ts'
import { listenToLog, measureRows } from '../../support/log.ts'
import { db, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, objectsOf, packed, snapshotEvent, visit } from '../../support/recordings.ts'
import { until } from '../../support/until.ts'

const PART = '01a1fc87-edb9-7e53-8071-b177be79cec4'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

/** Downloads a part of a recording. Returns its lines. */
const linesOf = async (project: TestProject, session: string, part: string) => {
  const { headers, text } = await project.call(
    'GET',
    `session_recordings/${session}/snapshots?blob_key=${part}`
  )
  expect(headers.get('Content-Type')).toBe('application/jsonl')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('POST /s of a project that does not record', () => {
  it.each([
    ['snapshots', (project: TestProject) => [snapshotEvent(project), snapshotEvent(project)], 2],
    ['an event that is not a snapshot', ({ token }: TestProject) => [{ properties: { token } }], 1]
  ])('answers 200, stores nothing and logs a warning: %s', async (_, eventsOf, count) => {
    const { project, get, held, post, drain } = await newStage({ recording: false })
    const log = listenToLog()

    const { status, body } = await post(JSON.stringify(eventsOf(project)))

    expect([status, body]).toEqual([200, { status: 'Ok' }])
    expect(held).toEqual([])
    await drain()
    expect((await get()).count).toBe(0)
    expect(await objectsOf(project, 'session')).toEqual([])
    expect(log.lines('ingestion warning')).toEqual([
      {
        level: 'warn',
        message: 'ingestion warning',
        project: project.id,
        type: 'recording_is_off',
        count
      }
    ])
  })
})

describe('POST /s', () => {
  it('stores the snapshots of a session as its recording', async () => {
    const { project, get, record } = await newStage()
    const now = Date.now()

    await record(snapshotEvent(project, { uuid: PART, snapshots: visit(now) }))

    const recording = {
      id: 'session',
      distinct_id: 'ada',
      viewed: false,
      viewers: [],
      recording_duration: 3,
      active_seconds: 2,
      inactive_seconds: 1,
      start_time: toIso(now),
      end_time: toIso(now + 3_000),
      click_count: 1,
      keypress_count: 0,
      mouse_activity_count: 2,
      console_log_count: 0,
      console_warn_count: 0,
      console_error_count: 0,
      activity: [0, 1, 0, 1],
      start_url: 'https://shop.example/',
      person: {
        id: null,
        name: 'ada',
        distinct_ids: 'ada',
        properties: {},
        created_at: toIso(now),
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/)
      },
      storage: 'object_storage',
      snapshot_source: 'web',
      ongoing: true,
      activity_score: 60
    }
    expect(await get('session')).toEqual(recording)
    expect(await get()).toEqual({ count: 1, next: null, previous: null, results: [recording] })
    expect(await get('session/snapshots')).toEqual({
      sources: [
        {
          source: 'blob_v2',
          blob_key: PART,
          start_timestamp: toIso(now),
          end_timestamp: toIso(now + 3_000)
        }
      ]
    })
    expect(await linesOf(project, 'session', PART)).toEqual(
      visit(now).map((snapshot) => ['window', snapshot])
    )
  })

  it.each<[string, (text: string) => Promise<[BodyInit, Record<string, string>]>]>([
    ['JSON', async (text) => [text, { 'Content-Type': 'application/json' }]],
    ['undeclared gzip', async (text) => [await gzip(text), { 'Content-Type': 'text/plain' }]],
    ['declared gzip', async (text) => [await gzip(text), { 'Content-Encoding': 'gzip' }]],
    ['base64 in a form', async (text) => [`data=${encodeURIComponent(btoa(text))}`, {}]]
  ])('reads %s', async (_, encode) => {
    const { project, get, post, drain } = await newStage()

    const { status, body } = await post(...(await encode(JSON.stringify([snapshotEvent(project)]))))
    await drain()

    expect([status, body]).toEqual([200, { status: 'Ok' }])
    expect(await get('session')).toMatchObject({ click_count: 1 })
  })

  it('keeps several sessions of one request apart, and the windows of one session together', async () => {
    const { project, get, record } = await newStage()
    const now = Date.now()

    await record(
      snapshotEvent(project, { session: 'a', snapshots: visit(now) }),
      snapshotEvent(project, { session: 'b', distinct_id: 'bob', snapshots: visit(now + 1) }),
      snapshotEvent(project, { session: 'a', window: 'other', snapshots: visit(now + 10_000) })
    )

    expect((await get()).results).toMatchObject([
      { id: 'b', distinct_id: 'bob', click_count: 1 },
      { id: 'a', distinct_id: 'ada', click_count: 2, active_seconds: 4 }
    ])
    expect((await get('a/snapshots')).sources).toHaveLength(2)
  })

  it('counts a repeated part once: in one batch, in a later batch, and in batches at once', async () => {
    const { project, get, post, deliver, held } = await newStage()
    const body = JSON.stringify([
      snapshotEvent(project),
      snapshotEvent(project, { snapshots: visit(Date.now() + 5_000) })
    ])
    await Promise.all([post(body), post(body)])
    const messages = held.splice(0)
    expect(messages).toHaveLength(4)

    await deliver(messages)
    await Promise.all([
      deliver(messages),
      deliver(messages.toReversed()),
      deliver(messages.slice(1))
    ])

    expect(await get('session')).toMatchObject({ click_count: 2, mouse_activity_count: 4 })
    expect(await objectsOf(project, 'session')).toHaveLength(2)
  })

  it('adds up the parts of one session that several consumers store at once', async () => {
    const { project, get, post, deliver, held } = await newStage()
    const now = Date.now()
    const events = Array.from({ length: 12 }, (_, n) =>
      snapshotEvent(project, { snapshots: visit(now + n) })
    )
    await post(JSON.stringify(events))
    const messages = held.splice(0)

    await Promise.all([0, 3, 6, 9].map((at) => deliver(messages.slice(at, at + 3))))

    expect(await get('session')).toMatchObject({
      click_count: 12,
      start_time: toIso(now)
    })
    expect((await get()).count).toBe(1)
  })

  it('shows the person that an anonymous visitor becomes, also if the merge arrives first', async () => {
    const { project, get, record } = await newStage()
    await record(snapshotEvent(project, { distinct_id: 'anon' }))
    expect((await get('session')).person).toMatchObject({ id: null, distinct_ids: 'anon' })

    await project.ingest([
      {
        event: '$identify',
        distinct_id: 'ada',
        properties: { $anon_distinct_id: 'anon', $set: { name: 'Ada' } }
      }
    ])

    const person = { name: 'Ada', distinct_ids: 'anon', properties: { name: 'Ada' } }
    expect(await get('session')).toMatchObject({ distinct_id: 'anon', person })
    await record(snapshotEvent(project, { session: 'next', distinct_id: 'ada' }))
    expect((await get('next')).person.id).toBe((await get('session')).person.id)
  })

  it('moves recordings along with a distinct id that is split off', async () => {
    const { project, get, record } = await newStage()
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } }
    ])
    await record(snapshotEvent(project, { distinct_id: 'anon' }))
    const { id } = (await get('session')).person

    await project.send('POST', `persons/${id}/split`, { main_distinct_id: 'ada' })

    const { person } = await get('session')
    expect(person.distinct_ids).toBe('anon')
    expect(person.id).not.toBe(id)
  })

  it.each(['first', 'last'])(
    'takes distinct id, source and start URL from the earliest snapshots, which come %s',
    async (place) => {
      const { project, get, record } = await newStage()
      const now = Date.now()
      const earliest = snapshotEvent(project, {
        distinct_id: 'anon',
        snapshots: visit(now - 60_000, 'https://shop.example/first'),
        properties: { $snapshot_source: 'mobile' }
      })
      const later = snapshotEvent(project, { snapshots: visit(now) })

      for (const event of place === 'first' ? [earliest, later] : [later, earliest]) {
        await record(event)
      }

      expect(await get('session')).toMatchObject({
        distinct_id: 'anon',
        snapshot_source: 'mobile',
        start_url: 'https://shop.example/first'
      })
    }
  )

  it('corrects a clock that is hours off, and leaves the snapshots as they were sent', async () => {
    const { project, get, record } = await newStage()
    const ahead = Date.now() + 3 * HOUR

    await record({
      ...snapshotEvent(project, { uuid: PART, snapshots: visit(ahead) }),
      sent_at: new Date(ahead).toISOString()
    })

    expect(Date.parse((await get('session')).start_time)).toBe(ahead - 3 * HOUR)
    expect((await linesOf(project, 'session', PART))[0][1].timestamp).toBe(ahead)
  })

  it('identifies snapshots without a valid uuid by their content', async () => {
    const { project, get, record } = await newStage()
    const { uuid: _, ...event } = snapshotEvent(project)

    await record(event, { ...event, uuid: 'not one' })
    await record(event, snapshotEvent(project, { snapshots: visit(Date.now() + 1) }))

    expect(await get('session')).toMatchObject({ click_count: 2 })
  })

  it.each<[string, (project: TestProject) => unknown, string]>([
    [
      'no session',
      (p) => snapshotEvent(p, { properties: { $session_id: null } }),
      'without a valid $session_id'
    ],
    [
      'a session with other characters',
      (p) => snapshotEvent(p, { session: '../x' }),
      'without a valid $session_id'
    ],
    [
      'a session of 71 characters',
      (p) => snapshotEvent(p, { session: 'x'.repeat(71) }),
      'without a valid $session_id'
    ],
    [
      'no data',
      (p) => snapshotEvent(p, { properties: { $snapshot_data: null } }),
      'without $snapshot_data'
    ],
    ['a text as data', (p) => snapshotEvent(p, { snapshots: 'x' }), 'without $snapshot_data'],
    ['a number as data', (p) => snapshotEvent(p, { snapshots: 1 }), 'without $snapshot_data'],
    ['no distinct id', (p) => snapshotEvent(p, { distinct_id: '' }), 'without a distinct_id'],
    [
      'snapshots from eight days ago',
      (p) => snapshotEvent(p, { snapshots: visit(Date.now() - 8 * DAY) }),
      'within 7 days of now'
    ],
    [
      'snapshots from eight days ahead',
      (p) => snapshotEvent(p, { snapshots: visit(Date.now() + 8 * DAY) }),
      'within 7 days of now'
    ],
    [
      'compressed snapshots that unpack to more than 32 MB',
      (p) => snapshotEvent(p, { snapshots: [packed(16_000_000), packed(16_000_001)] }),
      'unpack to more than 32000000 bytes'
    ],
    [
      'a compressed member that unpacks to more than 32 MB',
      (p) => snapshotEvent(p, { snapshots: packed(32_000_001, (adds) => ({ source: 0, adds })) }),
      'unpack to more than 32000000 bytes'
    ],
    [
      'compressed snapshots that are cut off',
      (p) => snapshotEvent(p, { snapshots: packed(100, (data) => data.slice(0, -9)) }),
      'cannot be unpacked'
    ]
  ])('drops %s, and keeps the rest', async (_, wrong, reason) => {
    const { project, get, post, drain, held } = await newStage()
    const refused = await post(JSON.stringify([wrong(project)]))
    expect([refused.status, refused.body.code, held.length]).toEqual([400, 'invalid_input', 0])
    expect(refused.body.detail).toContain(reason)

    const { status, body } = await post(
      JSON.stringify([wrong(project), snapshotEvent(project, { session: 'right' })])
    )
    await drain()

    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'Ok',
      dropped: [{ uuid: expect.any(String), reason: refused.body.detail }]
    })
    expect((await get()).results).toMatchObject([{ id: 'right' }])
  })

  it('unpacks at most 32 MB of compressed snapshots in one request', async () => {
    const { project, post } = await newStage()
    const sized = (bytes: number) => snapshotEvent(project, { snapshots: packed(bytes) })

    const { body } = await post(
      JSON.stringify([sized(20_000_000), sized(20_000_000), sized(1), snapshotEvent(project)])
    )

    const reason = 'compressed snapshots unpack to more than 32000000 bytes'
    expect(body.dropped).toEqual([
      { uuid: expect.any(String), reason },
      { uuid: expect.any(String), reason }
    ])
  })

  it.each<[string, unknown]>([
    ['an empty list', []],
    [
      'snapshots without a time',
      [{ type: 4 }, { type: 4, timestamp: 0 }, { type: 4, timestamp: 'now' }, null, 7]
    ],
    ['an empty object', {}]
  ])('accepts %s, and stores nothing', async (_, snapshots) => {
    const { project, post, held } = await newStage()

    const { status, body } = await post(
      JSON.stringify([snapshotEvent(project, { snapshots: snapshots as [] })])
    )

    expect([status, body, held]).toEqual([200, { status: 'Ok' }, []])
  })

  it('is refused without a known token, with too many events, and when it is too large', async () => {
    const { project, post } = await newStage()
    const events = (count: number, token = project.token) =>
      JSON.stringify(
        Array.from({ length: count }, () => snapshotEvent({ ...project, token }, { snapshots: [] }))
      )

    expect(await post(events(1, 'phc_unknown'))).toMatchObject({
      status: 401,
      body: { code: 'authentication_failed' }
    })
    expect(await post(events(101))).toMatchObject({
      status: 413,
      body: { code: 'request_too_large' }
    })
    expect(await post(events(100))).toMatchObject({ status: 200 })
    expect(await post(await gzip(`"${'x'.repeat(10_000_001)}"`))).toMatchObject({ status: 413 })
  })

  it.each<[string, Partial<Env>]>([
    ['bucket', { BUCKET: failingBucket() }],
    ['queue', { RECORDING_QUEUE: failingQueue() }]
  ])(
    'asks the SDK to retry if the %s fails, and then stores the snapshots once',
    async (_, more) => {
      listenToLog()
      const { project, get, post, drain } = await newStage()
      const body = JSON.stringify([snapshotEvent(project)])

      const { status, headers } = await post(body, {}, more)
      expect([status, headers.get('Retry-After')]).toEqual([503, '5'])
      await post(body)
      await drain()

      expect(await get('session')).toMatchObject({ click_count: 1 })
    }
  )
})

describe('the consumer of recordings', () => {
  it('makes a dead letter of what cannot be read at once, and stores all others', async () => {
    listenToLog()
    const { project, get, post, deliver, held } = await newStage()
    await post(
      JSON.stringify([
        snapshotEvent(project, { uuid: PART }),
        snapshotEvent(project, { session: 'other' })
      ])
    )
    await env.BUCKET.put(`recordings/${project.id}/session/${PART}.jsonl.gz`, 'not gzip')
    const messages = [...held.splice(0), { nonsense: true }]

    const { explicitAcks, retryMessages } = await deliver(messages)

    expect([explicitAcks.length, retryMessages]).toEqual([3, []])
    expect((await get()).results).toMatchObject([{ id: 'other', click_count: 1 }])
    await until(
      async () =>
        (await db.all(sql`select 1 from dead_letters where project_id = ${project.id}`)).length ===
        1
    )
  })

  it('stores everything once, whichever call to the database fails', async () => {
    listenToLog()
    const failed = new Set<number>()
    const calls = [1, 2, 3, 4, 5]
    for (const failing of calls) {
      for (const isDone of [false, true]) {
        const { project, get, post, deliver, held } = await newStage()
        await post(
          JSON.stringify([snapshotEvent(project), snapshotEvent(project, { session: 'other' })])
        )
        const DB = aroundCalls(env.DB, async (run, call) => {
          if (call !== failing) {
            return run()
          }
          failed.add(call)
          if (isDone) {
            await run()
          }
          throw new Error('D1_ERROR: Network connection lost.')
        })

        const messages = held.splice(0)
        const { explicitAcks } = await deliver(messages, { more: { DB } })
        if (explicitAcks.length < 2) {
          await deliver(messages)
        }

        expect((await get()).results).toMatchObject([{ click_count: 1 }, { click_count: 1 }])
        expect((await get()).count).toBe(2)
      }
    }
    expect([...failed]).toEqual(calls)
  })

  it('stores no more than a recording may hold, and deletes the objects of the rest', async () => {
    const { project, get, record } = await newStage()
    await record(snapshotEvent(project, { uuid: PART }))
    await db.run(sql`update recordings set parts = 10000 where project_id = ${project.id}`)

    await record(snapshotEvent(project), snapshotEvent(project, { session: 'other' }))

    expect((await get('session')).click_count).toBe(1)
    expect(await objectsOf(project, 'session')).toEqual([`${PART}.jsonl.gz`])
    expect((await get('other')).click_count).toBe(1)
  })
})

describe('recordings', () => {
  it.each(['', '/snapshots', `/snapshots?blob_key=${PART}`])(
    'of another project are not found: %s',
    async (path) => {
      const { project, record, get } = await newStage()
      const stranger = await newStage()
      await record(snapshotEvent(project, { uuid: PART }))
      await stranger.record(snapshotEvent(stranger.project, { session: 'own' }))

      await get(`session${path}`)
      expect(await stranger.get(`session${path}`, 404)).toMatchObject({ code: 'not_found' })
      expect(await stranger.get(`own/snapshots?blob_key=${PART}`, 404)).toMatchObject({
        code: 'not_found'
      })
    }
  )

  it('do not have an unknown part, and refuse an unknown source', async () => {
    const { project, get, record } = await newStage()
    await record(snapshotEvent(project))

    expect(await get('session/snapshots?blob_key=nothing', 404)).toMatchObject({
      code: 'not_found'
    })
    expect(await get('session/snapshots?blob_key=../../1/x', 404)).toMatchObject({
      code: 'not_found'
    })
    expect(await get('session/snapshots?source=realtime', 400)).toMatchObject({
      code: 'invalid_choice',
      attr: 'source'
    })
  })

  it('are listed page by page, newest first', async () => {
    const { project, get, record } = await newStage()
    const now = Date.now()
    const ids = Array.from({ length: 7 }, (_, n) => `s${n}`)
    await record(
      ...ids.map((session, n) =>
        snapshotEvent(project, { session, snapshots: visit(now - n * 1000) })
      )
    )

    const found: string[] = []
    for (let next: string | null = `?limit=3`; next; ) {
      const page: { count: number; next: string | null; results: { id: string }[] } =
        await get(next)
      expect(page.count).toBe(7)
      found.push(...page.results.map(({ id }) => id))
      next = page.next && new URL(page.next).search
    }

    expect(found).toEqual(ids)
    expect((await get('?limit=2&offset=5')).results).toMatchObject([{ id: 's5' }, { id: 's6' }])
  })
})

describe('what recordings cost', () => {
  it('is at most ten rows written for a new visitor’s first part, and two for a further part', async () => {
    const { project, post, drain } = await newStage()
    const send = async (...events: object[]) => {
      await post(JSON.stringify(events))
      return measureRows(drain)
    }

    expect((await send(snapshotEvent(project))).written).toBeLessThanOrEqual(10)
    const more = await send(snapshotEvent(project, { snapshots: visit(Date.now() + 5_000) }))
    expect(more.written).toBeLessThanOrEqual(2)
    expect(more.read).toBeLessThanOrEqual(20)
    const many = Array.from({ length: 10 }, (_, n) =>
      snapshotEvent(project, {
        session: `s${n}`,
        distinct_id: `p${n}`,
        snapshots: visit(Date.now() + n)
      })
    )
    expect((await send(...many)).written).toBeLessThanOrEqual(80)
  })

  it('does not grow with the number of recordings, on the first page and on the last', async () => {
    const { project, get } = await newStage()
    const rows = 5_000
    await db.run(sql`
      insert into recordings (project_id, session_id, identity, is_relinked, start_time, end_time, first_part,
        snapshot_source, active_ms, click_count, keypress_count, mouse_activity_count, console_log_count,
        console_warn_count, console_error_count, urls, parts, bytes, last_received_at, created_at, access_token)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${rows})
      select ${project.id}, printf('s%05d', n), 0, 0, 1000 * n, 1000 * n, '', 'web', 0, 0, 0, 0, 0, 0, 0, '[]', 1, 1, 0, 0, ''
      from numbers`)
    await db.run(
      sql`insert into counters (project_id, name, value) values (${project.id}, 'recordings', ${rows})`
    )
    await get('?limit=1')

    const { next } = await get('?limit=100&offset=4800')
    const first = await measureRows(() => get('?limit=100'))
    const last = await measureRows(() => get(new URL(next).search))
    const person = await measureRows(() => get('?distinct_id=nobody'))

    expect(first.read).toBeLessThanOrEqual(100 * 6)
    expect(last.read).toBeLessThanOrEqual(100 * 6)
    expect(person.read).toBeLessThanOrEqual(20)
  })
})
