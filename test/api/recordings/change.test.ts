import { createMessageBatch, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { getTableColumns, sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createKey, updateProject } from '../../../src/access/store.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { describeMoment } from '../../../src/calendar/words.ts'
import { newUsage, type Usage } from '../../../src/db/client.ts'
import { recordings } from '../../../src/db/schema.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { EVERY_15_MINUTES, WEEKLY } from '../../../src/jobs/cron.ts'
import { MAX_QUERIES } from '../../../src/queues/invocation.ts'
import { consumeRecordings } from '../../../src/recordings/consumer.ts'
import { sweepOrphans } from '../../../src/recordings/sweep.ts'
import { failingQueue } from '../../support/bindings.ts'
import { tablesWith } from '../../support/erasures.ts'
import { beforeCall } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { invoke } from '../../support/platform.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, objectsOf, snapshotEvent, visit } from '../../support/recordings.ts'
import worker from '../../support/worker.ts'

const PART = '01a1fc87-edb9-7e53-8071-b177be79cec4'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

/** Fires the Cron Trigger that runs every 15 minutes. */
const cron = (bindings: Partial<Env>) =>
  worker.scheduled(
    createScheduledController({ cron: EVERY_15_MINUTES, scheduledTime: new Date() }),
    { ...env, ...bindings }
  )

describe('PATCH session_recordings/{id}', () => {
  /** Creates Ada, who is recorded, and Bob. */
  async function newCast() {
    const stage = await newStage()
    const { project, record } = stage
    await project.ingest([
      { event: '$set', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } },
      { event: '$identify', distinct_id: 'bob', properties: { $anon_distinct_id: 'bob-2' } }
    ])
    await record(snapshotEvent(project))
    const { body } = await project.call('GET', 'persons?distinct_id=bob')
    const bob: { id: number; uuid: string } = body.results[0]
    const patch = (json: Json) => project.send('PATCH', 'session_recordings/session', json)
    return { ...stage, bob, patch }
  }

  it.each<[string, (bob: { id: number; uuid: string }) => JsonObject, string]>([
    ['a distinct id', () => ({ distinct_id: 'bob' }), 'bob'],
    ['another distinct id', () => ({ distinct_id: 'bob-2' }), 'bob-2'],
    ['a person’s distinct id', () => ({ person: 'bob-2' }), 'bob-2'],
    ['a person with an id', ({ id }) => ({ person: { id } }), 'bob'],
    ['a person with a uuid', ({ uuid }) => ({ person: { uuid: uuid.toUpperCase() } }), 'bob'],
    ['a person with distinct ids', () => ({ person: { distinct_ids: ['bob-2', 'bob'] } }), 'bob-2'],
    ['a person with a distinct id', () => ({ person: { distinct_ids: 'bob' } }), 'bob'],
    [
      'a distinct id beside a person with nothing but properties',
      () => ({ person: { properties: {} }, distinct_id: 'bob-2' }),
      'bob-2'
    ],
    [
      'a person and its distinct id',
      ({ id }) => ({ person: { id }, distinct_id: 'bob-2' }),
      'bob-2'
    ]
  ])('assigns the recording to %s', async (_, update, distinctId) => {
    const { bob, get, patch } = await newCast()

    const { status, body } = await patch(update(bob))

    expect(status).toBe(200)
    expect(body).toMatchObject({
      distinct_id: distinctId,
      person: { id: bob.id, distinct_ids: distinctId }
    })
    expect(await get('session')).toEqual(body)
  })

  it('assigns the recording to a new distinct id, and to its person as soon as there is one', async () => {
    const { project, get, patch } = await newCast()

    const { body } = await patch({ distinct_id: 'eve' })
    expect(body).toMatchObject({ distinct_id: 'eve', person: { id: null, properties: {} } })
    await project.ingest([
      { event: '$set', distinct_id: 'eve', properties: { $set: { name: 'Eve' } } }
    ])

    expect((await get('session')).person).toMatchObject({ id: expect.any(Number), name: 'Eve' })
  })

  it('replaces a null character in a distinct id, as capture does', async () => {
    const { patch } = await newCast()

    expect((await patch({ distinct_id: 'a\0b' })).body.distinct_id).toBe('a\uFFFDb')
  })

  it('keeps the new owner when earlier snapshots arrive', async () => {
    const { project, get, patch, record } = await newCast()
    await patch({ distinct_id: 'bob' })

    await record(
      snapshotEvent(project, { distinct_id: 'ada', snapshots: visit(Date.now() - 60_000) })
    )

    expect(await get('session')).toMatchObject({ distinct_id: 'bob', click_count: 2 })
  })

  it('accepts a whole recording, and changes only the field that differs', async () => {
    const { get, patch, bob } = await newCast()
    const shown = await get('session')

    expect((await patch(shown)).body).toEqual(shown)
    expect((await patch({ ...shown, distinct_id: 'bob' })).body).toMatchObject({
      click_count: 1,
      person: { id: bob.id }
    })
    expect(
      (await patch({ ...(await get('session')), person: { ...shown.person } })).body.person.id
    ).toBe(shown.person.id)
    const { body: placeholder } = await patch({ distinct_id: 'nobody' })
    expect((await patch(placeholder)).body).toEqual(placeholder)
  })

  it('accepts a recording as it was before more snapshots arrived, and refuses other values', async () => {
    const { project, get, patch, record } = await newCast()
    const before = await get('session')
    await record(
      snapshotEvent(project, {
        snapshots: visit(Date.parse(before.start_time) - 60_000, 'https://a.example/')
      }),
      snapshotEvent(project, { snapshots: visit(Date.parse(before.end_time) + 60_000) })
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 })

    const { status, body } = await patch({ ...before, distinct_id: 'bob' })

    expect(status).toBe(200)
    expect(body).toMatchObject({ distinct_id: 'bob', click_count: 3, ongoing: false })
    for (const [name, value] of Object.entries({
      click_count: 4,
      start_time: '2020-01-01T00:00:00Z',
      end_time: '2099-01-01T00:00:00Z',
      storage: 'none'
    })) {
      const refused = await patch({ ...before, distinct_id: 'bob', [name]: value })
      expect([refused.status, refused.body.attr]).toEqual([400, name])
    }
  })

  it('stores who has viewed the recording', async () => {
    const { project, get, patch } = await newCast()
    const other = await newProject()
    const grace = await createKey(
      db,
      { label: 'test', scopes: ['*'], projectIds: [project.id], userId: other.user.id },
      new Date()
    )

    expect((await patch({ viewed: true })).body).toMatchObject({ viewed: true, viewers: [] })
    await patch({ viewed: true })

    expect(await get('session')).toMatchObject({ viewed: true, viewers: [] })
    const { body } = await request(
      'GET',
      `/api/projects/${project.id}/session_recordings/session`,
      {
        Authorization: `Bearer ${grace.key}`
      }
    )
    expect(body).toMatchObject({ viewed: false, viewers: [project.user.email] })
  })

  it.each<[string, JsonObject, string, string | null]>([
    ['nothing', {}, 'invalid_input', null],
    ['nothing that may be changed', { click_count: 3 }, 'invalid_input', null],
    ['an empty distinct id', { distinct_id: ' ' }, 'blank', 'distinct_id'],
    [
      'a distinct id of 201 characters',
      { distinct_id: 'x'.repeat(201) },
      'max_length',
      'distinct_id'
    ],
    ['a number as distinct id', { distinct_id: 7 }, 'invalid_input', 'distinct_id'],
    ['an unknown person', { person: 'nobody' }, 'does_not_exist', 'person'],
    ['an unknown id', { person: { id: 999_999_999 } }, 'does_not_exist', 'person'],
    ['a person without a name', { person: { name: 'Bob' } }, 'invalid_input', 'person'],
    [
      'a person with nothing but properties',
      { person: { properties: {} } },
      'invalid_input',
      'person'
    ],
    [
      'an empty distinct id of a person',
      { person: { distinct_ids: ['', 'bob'] } },
      'blank',
      'person__distinct_ids__0'
    ],
    [
      'a person with an empty distinct id',
      { person: { distinct_ids: '' } },
      'blank',
      'person__distinct_ids'
    ],
    ['a blank text as person', { person: ' ' }, 'blank', 'person'],
    ['a number as person', { person: 7 }, 'invalid_input', 'person'],
    ['null', { person: null }, 'invalid_input', 'person'],
    ['a text as viewed', { viewed: 'yes' }, 'invalid_input', 'viewed'],
    [
      'another person’s distinct id',
      { person: 'bob', distinct_id: 'eve' },
      'invalid_input',
      'distinct_id'
    ]
  ])('refuses %s', async (_, update, code, attr) => {
    const { get, patch } = await newCast()
    const before = await get('session')

    const { status, body } = await patch(update)

    expect([status, body.code, body.attr]).toEqual([400, code, attr])
    expect(await get('session')).toEqual(before)
  })

  it.each<[string, (bob: { id: number; uuid: string }) => JsonObject]>([
    ['an unknown uuid beside its id', ({ id }) => ({ id, uuid: PART })],
    ['another person’s distinct id beside its id', ({ id }) => ({ id, distinct_ids: 'ada' })],
    [
      'one distinct id of another person beside its id',
      ({ id }) => ({ id, distinct_ids: ['bob', 'ada'] })
    ],
    [
      'another person’s distinct id beside its uuid',
      ({ uuid }) => ({ uuid, distinct_ids: ['ada'] })
    ],
    ['distinct ids of two persons', () => ({ distinct_ids: ['bob', 'ada'] })],
    ['the owner’s distinct id before another person’s', () => ({ distinct_ids: ['ada', 'bob'] })]
  ])('refuses a person with %s', async (_, person) => {
    const { get, patch, bob } = await newCast()
    const before = await get('session')

    const { status, body } = await patch({ person: person(bob) })

    expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', 'person'])
    expect(await get('session')).toEqual(before)
    const whole = { id: bob.id, uuid: bob.uuid, distinct_ids: ['bob', 'bob-2'] }
    expect((await patch({ person: whole })).body.person.id).toBe(bob.id)
  })

  it('refuses another person’s distinct id beside the name of an owner without a person', async () => {
    const { get, patch } = await newCast()
    await patch({ distinct_id: 'nobody' })
    const before = await get('session')
    const { uuid } = before.person

    for (const person of [{ uuid, distinct_ids: 'bob' }, { distinct_ids: ['nobody', 'bob'] }]) {
      expect(await patch({ person })).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', attr: 'person' }
      })
    }
    expect(await get('session')).toEqual(before)
  })

  it('does not find persons of another project', async () => {
    const { patch } = await newCast()
    const stranger = await newProject()
    await stranger.ingest([
      { event: '$set', distinct_id: 'mallory', properties: { $set: { name: 'M' } } }
    ])
    const { body } = await stranger.call('GET', 'persons')
    const { id, uuid } = body.results[0]

    for (const person of ['mallory', { id }, { uuid }]) {
      expect(await patch({ person })).toMatchObject({
        status: 400,
        body: { code: 'does_not_exist' }
      })
    }
  })
})

describe('DELETE session_recordings/{id}', () => {
  it('hides the recording at once, then purges its objects and all rows but the tombstone', async () => {
    const { project, get, bindings, drain, held, record } = await newStage()
    const part = crypto.randomUUID()
    await record(
      snapshotEvent(project, { uuid: part }),
      snapshotEvent(project, { session: 'other' })
    )
    await project.send('PATCH', 'session_recordings/session', { viewed: true })
    const { body } = await project.send('PATCH', 'session_recordings/session/sharing', {
      enabled: true
    })

    const { status, text } = await project.send(
      'DELETE',
      'session_recordings/session',
      undefined,
      bindings
    )

    expect([status, text]).toEqual([204, ''])
    for (const path of [
      'session',
      'session/snapshots',
      `session/snapshots?blob_key=${part}`,
      'session/sharing'
    ]) {
      await get(path, 404)
    }
    expect((await request('GET', `/shared/${body.access_token}`)).status).toBe(404)
    expect(await get()).toMatchObject({ count: 1, results: [{ id: 'other' }] })
    expect(
      (await project.send('DELETE', 'session_recordings/session', undefined, bindings)).status
    ).toBe(404)

    expect(held).toEqual([{ project_id: project.id, purge: ['session'] }])
    await drain()
    expect(await objectsOf(project, 'session')).toEqual([])
    expect(await objectsOf(project, 'other')).toHaveLength(1)
    expect(await tablesWith(part)).toEqual([])
    const rows = await db.all(sql`
      select (select count(*) from recording_parts where session_id = r.session_id and project_id = r.project_id)
           + (select count(*) from recording_views where session_id = r.session_id and project_id = r.project_id) as left,
        identity, start_url, urls, activity, access_token, shared_hash, purged_at is not null as purged
      from recordings r where project_id = ${project.id} and session_id = 'session'`)
    expect(rows).toEqual([
      {
        left: 0,
        identity: 0,
        start_url: null,
        urls: '[]',
        activity: '{"width":1000,"first":0,"counts":[]}',
        access_token: '',
        shared_hash: null,
        purged: 1
      }
    ])
  })

  it('discards late snapshots, whether they were queued before the deletion or sent after it', async () => {
    const { project, get, bindings, drain, held, post, record, deliver } = await newStage()
    await record(snapshotEvent(project))
    await post(JSON.stringify([snapshotEvent(project)]))
    const [late] = held.splice(0)
    await project.send('DELETE', 'session_recordings/session', undefined, bindings)
    await drain()
    expect(await objectsOf(project, 'session')).toEqual([])

    await post(JSON.stringify([snapshotEvent(project)]))
    expect(await objectsOf(project, 'session')).toHaveLength(1)
    await drain()
    const { explicitAcks } = await deliver([late])

    expect(explicitAcks).toHaveLength(1)
    expect(await objectsOf(project, 'session')).toEqual([])
    await get('session', 404)
    expect((await get()).count).toBe(0)
  })

  it('purges snapshots that were stored during the deletion', async () => {
    const { project, get, bindings, drain, held, post, record, deliver } = await newStage()
    await record(snapshotEvent(project))
    await post(JSON.stringify([snapshotEvent(project), snapshotEvent(project)]))
    // The deletion comes between the consumer's read and its write.
    const { DB, isReached } = beforeCall(env.DB, 4, () =>
      project.send('DELETE', 'session_recordings/session', undefined, bindings)
    )

    await deliver(held.splice(0), { more: { DB } })
    await drain()

    expect(isReached()).toBe(true)
    expect(await objectsOf(project, 'session')).toEqual([])
    await get('session', 404)
    expect((await get()).count).toBe(0)
  })

  it('is counted even if the invocation then has no queries left, and continues at the retry', async () => {
    const { project, bindings, held, record } = await newStage()
    const sessions = ['one', 'two']
    await record(...sessions.map((session) => snapshotEvent(project, { session })))
    for (const session of sessions) {
      await project.send('DELETE', `session_recordings/${session}`, undefined, bindings)
    }
    held.length = 0
    const body = { project_id: project.id, purge: sessions }
    const usage = newUsage()
    /** Uses up the queries during the first purge: each purge reads the time once. */
    const clock = () => {
      usage.queries = MAX_QUERIES
      return new Date()
    }
    const deliver = (more: { usage: Usage; clock: () => Date }) =>
      invoke({ ...env, ...bindings }, (limited) =>
        consumeRecordings(
          createMessageBatch('edge-analytics-recordings', [
            { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body }
          ]),
          { env: limited, ...more }
        )
      )

    const first = await deliver({ usage, clock })
    const second = await deliver({ usage: newUsage(), clock: () => new Date() })

    expect([first, second]).toMatchObject([
      { purged: 1, retried: 1 },
      { purged: 1, retried: 0 }
    ])
  })

  it('is completed by the sweep if the queue refuses its message', async () => {
    listenToLog()
    const { project, bindings, drain, record } = await newStage()
    await record(snapshotEvent(project))
    await project.send('DELETE', 'session_recordings/session', undefined, {
      RECORDING_QUEUE: failingQueue()
    })
    await drain()
    expect(await objectsOf(project, 'session')).toHaveLength(1)

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 16 * 60_000 })
    await cron(bindings)
    await drain()

    expect(await objectsOf(project, 'session')).toEqual([])
  })

  it('is completed by the first sweep after a restart that lost its message', async () => {
    listenToLog()
    const { project, bindings, drain, held, record } = await newStage()
    await record(snapshotEvent(project))
    await project.send('DELETE', 'session_recordings/session', undefined, bindings)
    held.length = 0
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })

    await cron({ ...bindings, QUEUES_SINCE: String(Date.now()) })
    await drain()

    expect(await objectsOf(project, 'session')).toEqual([])
  })
})

describe('the retention of recordings', () => {
  it('deletes recordings older than 30 days, and finally removes their tombstones', async () => {
    listenToLog()
    const { project, get, bindings, drain, record } = await newStage()
    const today = Math.floor(Date.now() / DAY) * DAY
    // Otherwise the sweeps would be busy with the recordings of other tests, which expire too.
    await db.run(sql`delete from counters where name = 'recordings'`)
    await record(
      snapshotEvent(project, { session: 'last', snapshots: visit(today - 1_000) }),
      snapshotEvent(project, { session: 'first', snapshots: visit(today) })
    )

    vi.useFakeTimers({ toFake: ['Date'], now: today + 29 * DAY })
    await cron(bindings)
    await drain()
    expect((await get()).results).toMatchObject([{ id: 'first' }])
    expect(await objectsOf(project, 'last')).toEqual([])
    expect(await objectsOf(project, 'first')).toHaveLength(1)

    vi.setSystemTime(today + 30 * DAY)
    await cron(bindings)
    const rows = await db.all(
      sql`select session_id from recordings where project_id = ${project.id}`
    )
    expect(rows).toEqual([{ session_id: 'first' }])
    vi.setSystemTime(today + 31 * DAY)
    await cron(bindings)
    await drain()
    expect((await get()).count).toBe(0)
  })

  it('discards parts of a deleted session, even if they are young enough to be kept', async () => {
    listenToLog()
    const { project, get, bindings, drain, record } = await newStage()
    const today = Math.floor(Date.now() / DAY) * DAY
    await record(snapshotEvent(project, { snapshots: visit(today - 1_000) }))
    await project.send('DELETE', 'session_recordings/session', undefined, bindings)
    await drain()
    await updateProject(db, project.id, { recording_retention_days: 1 })
    await cron(bindings)

    await record(snapshotEvent(project, { snapshots: visit(today) }))

    expect((await get()).count).toBe(0)
    expect(await objectsOf(project, 'session')).toEqual([])
  })

  it('removes orphaned snapshots that are older than recordings are kept', async () => {
    listenToLog()
    const { project, bindings, post, held, record } = await newStage()
    await record(snapshotEvent(project))
    await post(JSON.stringify([snapshotEvent(project, { session: 'unnamed' })]))
    held.splice(0)
    const weekly = (days: number) =>
      worker.scheduled(
        createScheduledController({
          cron: WEEKLY,
          scheduledTime: new Date(Date.now() + days * DAY)
        }),
        { ...env, ...bindings }
      )

    await weekly(29)
    expect(await objectsOf(project, 'unnamed')).toHaveLength(1)
    await weekly(31)

    expect(await objectsOf(project, 'unnamed')).toEqual([])
    expect(await objectsOf(project, 'session')).toHaveLength(1)
  })

  it('removes orphaned snapshots also of a project that has never had a recording', async () => {
    listenToLog()
    const { project, bindings, post } = await newStage()
    await post(JSON.stringify([snapshotEvent(project)]))
    expect(await objectsOf(project, 'session')).toHaveLength(1)

    const scheduledTime = new Date(Date.now() + 31 * DAY)
    const controller = createScheduledController({ cron: WEEKLY, scheduledTime })
    await worker.scheduled(controller, { ...env, ...bindings })
    // One run sweeps 50 projects at most, and this file creates more.
    await worker.scheduled(controller, { ...env, ...bindings })

    expect(await objectsOf(project, 'session')).toEqual([])
  })

  it.each([
    ['pages', { pages: 1, orphans: 100 }],
    ['sessions without a row', { pages: 100, orphans: 2 }]
  ])('stops at a limit of %s, and continues there the next time', async (_, limits) => {
    const { project, post, held, record } = await newStage()
    await record(snapshotEvent(project, { session: 'b' }), snapshotEvent(project, { session: 'd' }))
    const unnamed = ['a', 'c', 'e', 'f', 'g']
    await post(JSON.stringify(unnamed.map((session) => snapshotEvent(project, { session }))))
    held.splice(0)
    const sweep = {
      database: `of-${project.id}`,
      projects: [project.id, (await newProject()).id],
      daysKept: () => 30,
      now: Date.now() + 31 * DAY,
      begins: false
    }

    expect(await sweepOrphans(db, env.BUCKET, sweep, limits)).toBeUndefined()
    const swept = []
    for (let begins = true; swept.at(-1)?.isDone !== true; begins = false) {
      swept.push(await sweepOrphans(db, env.BUCKET, { ...sweep, begins }, limits))
    }

    expect(swept.length).toBeGreaterThan(1)
    expect(
      (await Promise.all(unnamed.map((session) => objectsOf(project, session)))).flat()
    ).toEqual([])
    expect(await objectsOf(project, 'd')).toHaveLength(1)
    expect(await sweepOrphans(db, env.BUCKET, sweep, limits)).toBeUndefined()
  })

  it.each(['DB', 'DB_TWO'])('is set by each project, in the database %s', async (database) => {
    const brief = await newStage({}, database)
    const usual = await newStage({}, database)
    for (const { project, record } of [brief, usual]) {
      await record(snapshotEvent(project))
    }
    await updateProject(db, brief.project.id, { recording_retention_days: 3 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * DAY })

    await cron(brief.bindings)
    await brief.drain()

    expect([(await brief.get()).count, (await usual.get()).count]).toEqual([0, 1])
    expect(await objectsOf(brief.project, 'session')).toEqual([])
  })

  it('ends in some projects per sweep, however many projects have recordings', async () => {
    const { project, bindings, record } = await newStage()
    await record(snapshotEvent(project))
    const base = 1_000_000
    const range = (length: number) => JSON.stringify(Array.from({ length }, (_, i) => base + i))
    const { projectId: _, startTime: __, ...copied } = getTableColumns(recordings)
    const columns = sql.raw(
      Object.values(copied)
        .map(({ name }) => name)
        .join()
    )
    // 41 projects with an expired recording, and 300 with none.
    await db.run(sql`insert into recordings (project_id, start_time, ${columns})
      select value, 0, ${columns} from recordings, json_each(${range(41)}) where project_id = ${project.id}`)
    await db.run(sql`insert into counters (project_id, name, value)
      select value, 'recordings', 1 from json_each(${range(341)})`)

    const left: number[] = []
    while (left.at(-1) !== 0) {
      await cron(bindings)
      const [row] = await db.all<{ count: number }>(sql`
        select count(*) as count from recordings where project_id >= ${base} and not deleted`)
      left.push(row?.count ?? 0)
      expect(left.at(-1)).toBeLessThan(left.at(-2) ?? 41)
    }

    expect(left.length).toBeGreaterThan(1)
  })

  it('discards parts that are older than the project keeps recordings', async () => {
    const { project, get, post, drain } = await newStage()
    const old = visit(Date.now() - 3 * DAY)
    await updateProject(db, project.id, { recording_retention_days: 2 })
    await post(JSON.stringify([snapshotEvent(project, { snapshots: old })]))

    await drain()

    expect((await get()).count).toBe(0)
    expect(await objectsOf(project, 'session')).toEqual([])
  })

  it('discards parts that are older than the deployment keeps recordings', async () => {
    const { project, get, post, drain } = await newStage()
    await post(JSON.stringify([snapshotEvent(project, { snapshots: visit(Date.now() - 3 * DAY) })]))

    await drain({ RECORDING_RETENTION_DAYS: '2' })

    expect((await get()).count).toBe(0)
    expect(await objectsOf(project, 'session')).toEqual([])
  })
})

describe('sharing', () => {
  const share = (project: TestProject, enabled: boolean) =>
    project.send('PATCH', 'session_recordings/session/sharing', { enabled })

  it('is off until it is turned on, and always has the same token', async () => {
    const { project, get, record } = await newStage()
    await record(snapshotEvent(project))

    const sharing = await get('session/sharing')
    expect(sharing).toEqual({
      created_at: expect.stringMatching(/Z$/),
      enabled: false,
      access_token: expect.stringMatching(/^\d+-[0-9A-Za-z]{33}$/),
      url: expect.stringMatching(/^https?:/)
    })
    expect(new URL(sharing.url).pathname).toBe(`/shared/${sharing.access_token}`)
    expect(await get('session/sharing')).toEqual(sharing)
    expect((await request('GET', `/shared/${sharing.access_token}`)).status).toBe(404)

    expect((await share(project, true)).body).toEqual({ ...sharing, enabled: true })
    expect(await get('session/sharing')).toEqual({ ...sharing, enabled: true })
  })

  it('explains a dead link to a browser, and keeps links out of search engines', async () => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project))
    const { access_token } = (await share(project, true)).body
    const dead = access_token.replace(/.$/, (end: string) => (end === 'A' ? 'B' : 'A'))
    const headersOf = ({ headers }: { headers: Headers }) =>
      ['X-Robots-Tag', 'Referrer-Policy', 'Cache-Control'].map((name) => headers.get(name))

    const page = await request('GET', `/shared/${dead}`, { Accept: 'text/html,*/*;q=0.8' })
    const json = await request('GET', `/shared/${dead}`)
    const alive = await request('GET', `/shared/${access_token}`)

    expect([page.status, page.headers.get('Content-Type')]).toEqual([
      404,
      'text/html; charset=UTF-8'
    ])
    expect(page.text).toContain('This link does not work')
    expect(page.text).not.toContain(dead)
    expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src/)
    expect([json.status, json.body.code]).toEqual([404, 'not_found'])
    for (const answer of [page, json, alive]) {
      expect(headersOf(answer)).toEqual(['noindex', 'no-referrer', 'no-store'])
    }
  })

  it('names the date, the country and the device of a recording on its page', async () => {
    const { project, record } = await newStage()
    const at = Date.now() - 60_000
    const device = { $session_id: 'session', $browser: 'Firefox', $os: 'Mac OS X' }
    const ingest = (name: string, timestamp: number, properties: JsonObject) =>
      project.ingest([{ event: name, distinct_id: 'ada', timestamp, properties }])
    const factsOf = async (token: string) => {
      const { text, headers } = await request('GET', `/shared/${token}`, { Accept: 'text/html' })
      expect(headers.get('Content-Security-Policy')).toMatch(
        /^default-src 'none';.* script-src https:\/\/analytics\.test\/player\/;/
      )
      const [, header = ''] = /<header id="header">(.*?)<\/header>/s.exec(text) ?? []
      return header.split(/<[^>]+>/).filter(Boolean)
    }
    await record(snapshotEvent(project, { snapshots: visit(at) }))
    const { access_token } = (await share(project, true)).body
    const date = describeMoment(at, 'UTC')
    expect(date).toMatch(/^[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d UTC$/)
    expect(await factsOf(access_token)).toEqual(['shop.example/', date])

    await ingest('$pageview', at, { $session_id: 'session' })
    await ingest('$pageview', at + 10, { ...device, $geoip_country_code: 'PT' })
    await ingest('$pageview', at + 20, { ...device, $session_id: 'other', $browser: 'Safari' })
    expect(await factsOf(access_token)).toEqual([
      'shop.example/',
      date,
      'Portugal',
      'Firefox on macOS'
    ])
  })

  it('shows the recording and its snapshots without a key, but not its person', async () => {
    const { project, get, record } = await newStage()
    await project.ingest([
      { event: '$set', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } }
    ])
    const now = Date.now()
    await record(snapshotEvent(project, { uuid: PART, snapshots: visit(now) }))
    const { person, distinct_id, viewed, viewers, ...recording } = await get('session')
    const { sources } = await get('session/snapshots')
    const { access_token } = (await share(project, true)).body

    const answer = await request('GET', `/shared/${access_token}`)
    const parts = await request('GET', `/shared/${access_token}/snapshots`)
    const part = await request('GET', `/shared/${access_token}/snapshots?blob_key=${PART}`)

    expect([distinct_id, person.properties.email, viewed, viewers]).toEqual([
      'ada',
      'ada@example.com',
      false,
      []
    ])
    expect([answer.status, answer.body]).toEqual([200, { ...recording, sources }])
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(parts.body).toEqual({ sources })
    expect(
      part.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    ).toEqual(visit(now).map((snapshot) => ['window', snapshot]))
  })

  it('gives access to nothing but that recording', async () => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project), snapshotEvent(project, { session: 'other', uuid: PART }))
    const { access_token } = (await share(project, true)).body
    const key = { Authorization: `Bearer ${access_token}` }

    expect(
      (await request('GET', `/shared/${access_token}/snapshots?blob_key=${PART}`)).status
    ).toBe(404)
    expect(
      (await request('GET', `/api/projects/${project.id}/session_recordings/session`, key)).status
    ).toBe(401)
    expect((await request('GET', `/shared/${access_token}`.toLowerCase())).status).toBe(404)
  })

  it.each<[string, (token: string, project: TestProject) => Promise<string>]>([
    ['of sharing that is off again', (token, project) => share(project, false).then(() => token)],
    [
      'from before a refresh',
      (token, project) =>
        project.send('POST', 'session_recordings/session/sharing/refresh').then(() => token)
    ],
    ['that is wrong', async (token) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['with the id of another project', async (token) => token.replace(/^\d+/, '999999999')],
    ['in no known form', async () => 'x'],
    ['that is too long', async (token) => token + 'x'.repeat(500)]
  ])('is the same 404 for every invalid token: one %s', async (_, change) => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project))
    const { access_token } = (await share(project, true)).body
    expect((await request('GET', `/shared/${access_token}`)).status).toBe(200)

    const token = await change(access_token, project)

    for (const path of ['', '/snapshots', `/snapshots?blob_key=${PART}`]) {
      const { status, body } = await request('GET', `/shared/${token}${path}`)
      expect([status, body]).toEqual([
        404,
        { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null }
      ])
    }
  })

  it('has one valid token, however many requests refresh it at once', async () => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project))
    await share(project, true)

    const refreshed = await Promise.all(
      Array.from({ length: 8 }, () =>
        project.send('POST', 'session_recordings/session/sharing/refresh')
      )
    )

    expect(refreshed.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const alive = await Promise.all(
      refreshed.map(({ body }) => request('GET', `/shared/${body.access_token}`))
    )
    expect(alive.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('stays on with a refreshed token if it was on, and off if it was off', async () => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project))
    const refresh = async () =>
      (await project.send('POST', 'session_recordings/session/sharing/refresh')).body

    const off = await refresh()
    expect(off.enabled).toBe(false)
    const { access_token } = (await share(project, true)).body
    expect(access_token).toBe(off.access_token)
    const on = await refresh()

    expect(on).toMatchObject({ enabled: true, created_at: off.created_at })
    expect(on.access_token).not.toBe(access_token)
    expect((await request('GET', `/shared/${on.access_token}`)).status).toBe(200)
  })

  it('is a 404 without a recording, and a change needs `enabled`', async () => {
    const { project, get, record } = await newStage()
    await record(snapshotEvent(project))

    await get('nothing/sharing', 404)
    expect(
      (await project.send('PATCH', 'session_recordings/nothing/sharing', { enabled: true })).status
    ).toBe(404)
    expect((await project.send('POST', 'session_recordings/nothing/sharing/refresh')).status).toBe(
      404
    )
    expect(await project.send('PATCH', 'session_recordings/session/sharing', {})).toMatchObject({
      status: 400,
      body: { code: 'required', attr: 'enabled' }
    })
  })
})
