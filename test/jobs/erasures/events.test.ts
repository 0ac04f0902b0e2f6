import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { continueMessage } from '../../../src/erasures/engine/consumer.ts'
import type { RemovalMessage } from '../../../src/erasures/engine/message.ts'
import type { EventDeletionReceipt } from '../../../src/erasures/events/schemas.ts'
import { sha256 } from '../../../src/hash.ts'
import type { Json } from '../../../src/input/json.ts'
import { EVERY_15_MINUTES, WEEKLY } from '../../../src/jobs/cron.ts'
import { MAX_QUERIES } from '../../../src/queues/invocation.ts'
import { expectEqualToRows, listSegments, newShop, seal, VIEW } from '../../support/columns.ts'
import { holdErasures } from '../../support/erasures.ts'
import { cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { invoke } from '../../support/platform.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { numberedUuid } from '../../support/text.ts'

beforeEach(() => void listenToLog())

const NOON = Date.UTC(2026, 9, 1, 12)

/** Six events, a minute apart, of Ada and Bob in two sessions. */
const STORY: TestEvent[] = [
  { event: 'opened', distinct_id: 'ada', properties: { email: 'ada@example.com' } },
  { event: 'opened', distinct_id: 'bob', properties: { $session_id: 's1', plan: 'pro' } },
  {
    event: 'bought',
    distinct_id: 'ada',
    properties: {
      $session_id: 's2',
      price: 5,
      $set: { email: 'ada@example.com', plan: 'pro' },
      $set_once: { email: 'a' }
    }
  },
  { event: 'bought', distinct_id: 'bob', properties: { $session_id: 's1', price: 7 } },
  { event: 'closed', distinct_id: 'ada', properties: { $session_id: 's2', email: null } },
  { event: 'closed', distinct_id: 'bob', properties: { $session_id: 's1' } }
].map((event, n) => ({ ...event, timestamp: NOON + 60_000 * n, uuid: numberedUuid(n) }))

async function newStory() {
  const project = await newProject()
  await project.ingest(STORY)
  return project
}

type Asked = Record<string, Json>

const ask = (project: TestProject, body: Asked) => project.send('POST', 'events/delete', body)

/** Sends a dry run, then the request with its token. @returns both answers */
async function requestRemoval(project: TestProject, filters: Asked) {
  const tried = await ask(project, { ...filters, dry_run: true })
  expect(tried.status).toBe(200)
  const asked = await ask(project, { ...filters, token: tried.body.token })
  expect(asked.status).toBe(201)
  return { tried: tried.body, asked: asked.body }
}

/** Starts the run of next Sunday, and processes what it queues. */
async function runSunday(more: Partial<Env> = {}) {
  const { cron, drain } = holdErasures()
  await cron(WEEKLY, Date.now() + 1_000)
  await drain(more)
}

const deletionOf = async (project: TestProject, id: string) =>
  (await project.call('GET', `events/deletions/${id}`)).body

/** Lists the numbers of a story's events that are stored, oldest first. */
async function stored(project: TestProject): Promise<number[]> {
  const rows = await db.all<{ uuid: string }>(
    sql`select hex(uuid) as uuid from events where project_id = ${project.id} order by timestamp`
  )
  return rows.map((row) => Number(row.uuid.slice(-6)))
}

const storeOf = (receipt: EventDeletionReceipt, name: string) =>
  receipt.stores.find(({ store }) => store === name)

describe('a dry run', () => {
  it.each<[string, Asked, number[]]>([
    ['names', { events: ['opened', 'closed', 'unknown'] }, [0, 1, 4, 5]],
    ['a time', { after: '2026-10-01T12:01:00Z', before: '2026-10-01T12:03:00Z' }, [1, 2]],
    ['a distinct id', { distinct_id: 'bob' }, [1, 3, 5]],
    ['a session', { session_id: 's1' }, [1, 3, 5]],
    ['properties', { property_filters: [{ key: 'price', operator: 'gt', value: 5 }] }, [3]],
    [
      'a group of properties',
      {
        property_filters: {
          type: 'OR',
          values: [
            { key: 'price', value: [5] },
            { key: 'plan', value: 'pro' }
          ]
        }
      },
      [1, 2]
    ],
    [
      'properties of the person',
      { property_filters: { key: 'email', operator: 'is_set', type: 'person' } },
      [2, 4]
    ],
    ['several at once', { events: ['bought'], distinct_id: 'ada', session_id: 's2' }, [2]],
    ['a property to remove', { distinct_id: 'ada', properties: ['email'] }, [0, 2, 4]]
  ])('finds the events of %s, and executing removes exactly these', async (_, filters, numbers) => {
    const project = await newStory()

    const { tried, asked } = await requestRemoval(project, filters)

    expect(tried).toMatchObject({ dry_run: true, events: numbers.length })
    expect(asked).toMatchObject({ status: 'queued', events: { found: numbers.length } })
    expect(await stored(project)).toEqual([0, 1, 2, 3, 4, 5])
    await runSunday()
    const { status, receipt } = await deletionOf(project, asked.id)
    expect(status).toBe('completed')
    expect(storeOf(receipt, 'events')).toEqual({
      store: 'events',
      found: numbers.length,
      removed: numbers.length,
      remaining: 0
    })
    const all = [0, 1, 2, 3, 4, 5]
    const left = filters.properties ? all : all.filter((n) => !numbers.includes(n))
    expect(await stored(project)).toEqual(left)
    expect(receipt.matching).toBe(0)
  })

  it('finds all events of a session, even if it has more persons than it lists', async () => {
    const project = await newProject()
    await project.ingest(
      Array.from({ length: 105 }, (_, n) => ({
        event: 'opened',
        distinct_id: `person ${n}`,
        timestamp: NOON + n,
        properties: { $session_id: n === 104 ? 's2' : 's1' }
      }))
    )

    const { tried } = await requestRemoval(project, { session_id: 's1' })
    expect(tried).toMatchObject({ events: 104, persons: 104, sessions: 1 })
    await runSunday()

    const { body } = await project.call('GET', 'events?session_id=s1')
    expect(body.results).toEqual([])
    expect(
      await db.all(sql`select session_id from sessions where project_id = ${project.id}`)
    ).toEqual([{ session_id: 's2' }])
  })

  it.each([
    ['a name with other capitals', { events: ['Opened'] }],
    ['an unknown distinct id', { distinct_id: 'Ada' }],
    ['a property that no event has', { distinct_id: 'ada', properties: ['Email'] }]
  ])('finds nothing for %s, and then has no token', async (_, filters) => {
    const project = await newStory()
    const { status, body } = await ask(project, { ...filters, dry_run: true })

    expect(status).toBe(200)
    expect(body).toMatchObject({ events: 0, token: null, expires_at: null })
  })

  it('counts the events by name, the persons and the sessions, and says what stays', async () => {
    const project = await newStory()

    const { body } = await ask(project, { after: '2026-10-01', dry_run: true })

    expect(body).toMatchObject({
      by_name: [
        { event: 'bought', count: 2 },
        { event: 'closed', count: 2 },
        { event: 'opened', count: 2 }
      ],
      persons: 2,
      sessions: 2,
      oldest: '2026-10-01T12:00:00Z',
      newest: '2026-10-01T12:05:00Z'
    })
    expect(body.kept.join()).toContain('delete_property')
    expect(await stored(project)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it.each<[string, Asked, Record<string, Json>]>([
    ['no filter', { dry_run: true }, { code: 'required' }],
    ['an empty filter', { property_filters: [], dry_run: true }, { code: 'required' }],
    ['neither a dry run nor a token', { distinct_id: 'ada' }, { attr: 'token' }],
    ['both', { distinct_id: 'ada', dry_run: true, token: 'x' }, { attr: 'token' }],
    ['dry_run: false', { distinct_id: 'ada', dry_run: false }, { attr: 'dry_run' }],
    [
      'a token that the service has not made',
      { distinct_id: 'ada', token: 'bm8=.no' },
      { attr: 'token' }
    ],
    ['an unknown filter', { event: 'opened', dry_run: true }, { attr: 'event' }],
    ['a misspelt filter', { distinct_ids: ['ada'], dry_run: true }, { attr: 'distinct_ids' }],
    ['a wrong date', { after: 'yesterday', dry_run: true }, { attr: 'after' }],
    [
      'a range that ends before it begins',
      { after: '2026-02-01', before: '2026-01-01', dry_run: true },
      { attr: 'after' }
    ],
    [
      'a filter that cannot be read',
      { property_filters: [{ key: 'a', operator: 'like', value: 1 }], dry_run: true },
      { attr: 'property_filters' }
    ],
    [
      'a filter without values, which would match every event',
      { property_filters: [{ key: 'plan', operator: 'exact', value: [] }], dry_run: true },
      { attr: 'property_filters' }
    ],
    [
      'no name',
      { events: [], dry_run: true },
      { attr: 'events', detail: 'Name at least one event.' }
    ],
    [
      'filters in a text',
      { property_filters: '[]', dry_run: true },
      { detail: 'Send a list of filters, one filter or a group.' }
    ],
    ['no property', { distinct_id: 'ada', properties: [], dry_run: true }, { attr: 'properties' }],
    [
      'a property twice',
      { distinct_id: 'ada', properties: ['a', 'a'], dry_run: true },
      { attr: 'properties' }
    ]
  ])('refuses %s', async (_, body, error) => {
    const project = await newStory()
    const answer = await ask(project, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject(error)
  })
})

describe('a deletion by filters', () => {
  it('is refused with both numbers if an event has arrived since the dry run', async () => {
    const project = await newStory()
    const { body } = await ask(project, { distinct_id: 'ada', dry_run: true })
    await project.ingest([{ distinct_id: 'ada', timestamp: NOON, uuid: numberedUuid(9) }])

    const refused = await ask(project, { distinct_id: 'ada', token: body.token })

    expect(refused.status).toBe(409)
    expect(refused.body.code).toBe('conflict')
    expect(refused.body.detail).toContain('found 3 events, and now 4 match')
    expect((await project.call('GET', 'events/deletions')).body.count).toBe(0)
  })

  it('is not refused because of events that happen after the dry run', async () => {
    const project = await newStory()
    const { body } = await ask(project, { distinct_id: 'ada', dry_run: true })
    await project.ingest([
      { distinct_id: 'ada', timestamp: Date.now() + 1_000, uuid: numberedUuid(9) }
    ])

    const { status } = await ask(project, { distinct_id: 'ada', token: body.token })

    expect(status).toBe(201)
    await runSunday()
    expect(await stored(project)).toEqual([1, 3, 5, 9])
  })

  it('is refused for a token with anything added to it', async () => {
    const project = await newStory()
    const { body } = await ask(project, { distinct_id: 'ada', dry_run: true })

    for (const token of [`${body.token}.x`, `${body.token}.`, `x${body.token}`]) {
      const answer = await ask(project, { distinct_id: 'ada', token })
      expect([answer.status, answer.body.attr]).toEqual([400, 'token'])
    }
  })

  it('is refused for other filters, other properties and another project', async () => {
    const [project, other] = [await newStory(), await newStory()]
    const { body } = await ask(project, { distinct_id: 'ada', dry_run: true })
    const { token } = body

    for (const answer of [
      await ask(project, { distinct_id: 'bob', token }),
      await ask(project, { distinct_id: 'ada', properties: ['email'], token }),
      await ask(project, { distinct_id: 'ada', events: ['opened'], token }),
      await ask(other, { distinct_id: 'ada', token })
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body.attr).toBe('token')
    }
  })

  it('is done once, however often the token is sent', async () => {
    const project = await newStory()
    const { body } = await ask(project, { distinct_id: 'ada', dry_run: true })
    const wanted = { distinct_id: 'ada', token: body.token }
    const first = await ask(project, wanted)
    const second = await ask(project, wanted)
    await runSunday()

    const third = await ask(project, wanted)

    expect(second.body).toEqual(first.body)
    expect(third.body).toMatchObject({ id: first.body.id, status: 'completed' })
    expect((await project.call('GET', 'events/deletions')).body.count).toBe(1)
  })

  it('is refused more than an hour after the dry run, unless it was requested before', async () => {
    const project = await newStory()
    const { body } = await ask(project, { distinct_id: 'ada', dry_run: true })
    const other = await ask(project, { distinct_id: 'bob', dry_run: true })
    const wanted = { distinct_id: 'ada', token: body.token }
    const first = await ask(project, wanted)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61 * 60_000 })

    const again = await ask(project, wanted)
    const late = await ask(project, { distinct_id: 'bob', token: other.body.token })
    vi.useRealTimers()

    expect([again.status, again.body.id]).toEqual([first.status, first.body.id])
    expect([late.status, late.body.attr, late.body.detail]).toEqual([
      400,
      'token',
      'The token has expired: send the request with `dry_run` again.'
    ])
  })

  it('waits for Sunday, and is taken up by the sweep if the run was missed', async () => {
    const project = await newStory()
    const { asked } = await requestRemoval(project, { distinct_id: 'ada' })
    const { cron, drain } = holdErasures()
    await cron(EVERY_15_MINUTES)
    await drain()
    expect(await stored(project)).toHaveLength(6)

    await db.run(
      sql`update event_removals set due_at = 1, progress_at = 1 where project_id = ${project.id}`
    )
    await cron(EVERY_15_MINUTES)
    await drain()

    expect(await stored(project)).toEqual([1, 3, 5])
    expect((await deletionOf(project, asked.id)).status).toBe('completed')
  })

  it('is queued once if the cron fires twice for the same run', async () => {
    const project = await newStory()
    await requestRemoval(project, { distinct_id: 'ada' })
    const { held, cron } = holdErasures()
    const sunday = Date.now() + 1
    vi.useFakeTimers({ toFake: ['Date'], now: sunday + 100 })
    await cron(WEEKLY, sunday)
    vi.setSystemTime(sunday + 10_000)
    await cron(WEEKLY, sunday)
    vi.useRealTimers()

    const mine = held.filter((message) => message.project_id === project.id)
    expect(mine).toHaveLength(1)
  })

  it('has a page with its receipt once it is completed', async () => {
    const project = await newStory()
    const { asked } = await requestRemoval(project, { events: ['opened'], properties: ['email'] })
    const open = (query: string) => project.call('GET', `events/deletions/${asked.id}/${query}`)
    expect((await open('?format=html')).status).toBe(404)
    await runSunday()

    const page = await open('?format=html')

    expect(page.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
    expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(page.text).toContain('The property “email” was removed from events of the project')
    expect(page.text).toContain('<dt>Names of the events</dt><dd>opened</dd>')
    expect((await open('?format=json')).body.status).toBe('completed')
  })

  it('forgets its filters, and signs hashes of them', async () => {
    const project = await newStory()
    const filters = {
      events: ['opened', 'bought', 'closed'],
      distinct_id: 'ada',
      session_id: 's2',
      property_filters: [{ key: 'price', value: [5] }]
    }
    const { asked } = await requestRemoval(project, filters)
    expect(asked.filters).toMatchObject(filters)
    await runSunday()

    const { filters: kept, receipt } = await deletionOf(project, asked.id)

    expect(kept).toBeNull()
    expect(receipt.filters).toEqual({
      events: filters.events,
      after: null,
      before: asked.filters.before
    })
    const hashOf = (text: string) => sha256(`${receipt.subject.salt}${text}`)
    expect(receipt.subject).toMatchObject({
      distinct_ids: [hashOf('ada')],
      session_id: hashOf('s2'),
      property_filters: hashOf('[{"key":"price","value":[5]}]')
    })
    const { body } = await project.send('POST', 'persons/deletion_receipts/verify', receipt)
    expect(body.valid).toBe(true)
    const [row] = await db.all<{ receipt: string }>(
      sql`select receipt from event_removals where id = ${asked.id}`
    )
    expect(row?.receipt).not.toContain(receipt.subject.salt)
  })
})

describe('removed events', () => {
  it('are not stored again when they are sent again', async () => {
    const project = await newStory()
    await requestRemoval(project, { distinct_id: 'ada' })
    await runSunday()

    await project.ingest(STORY)

    expect(await stored(project)).toEqual([1, 3, 5])
  })

  it('leave counts, sessions, columns and trends correct', async () => {
    const project = await newShop()
    await seal(project.id)
    expect(await listSegments(project.id)).toHaveLength(1)
    const filters = {
      property_filters: {
        type: 'OR',
        values: [
          { key: 'price', operator: 'lt', value: 20 },
          { key: '$session_id', operator: 'icontains', value: 'session-' }
        ]
      }
    }
    const { tried, asked } = await requestRemoval(project, filters)
    expect(tried.events).toBe(120)
    const before = await totalOf(project)

    await runSunday()

    const { receipt } = await deletionOf(project, asked.id)
    expect(receipt.matching).toBe(0)
    expect(storeOf(receipt, 'segments')?.removed).toBe(1)
    // Sessions are computed again, and not removed.
    expect(storeOf(receipt, 'sessions')).toBeUndefined()
    await expectConsistent(project, before - tried.events)
    await seal(project.id)
    expect(await expectEqualToRows(project.id)).toBe(1)
    await expectConsistent(project, before - tried.events)
  })

  it('are removed once by two invocations at the same time', async () => {
    const project = await newShop()
    const { tried, asked } = await requestRemoval(project, { events: [VIEW], before: '2026-10-02' })
    const { held, bindings, cron, deliver } = holdErasures()
    await cron(WEEKLY, Date.now() + 1_000)
    const mine = held.filter((message) => 'removal' in message && message.project_id === project.id)
    expect(mine).toHaveLength(1)

    const both = await Promise.all([deliver(mine[0], bindings), deliver(mine[0], bindings)])

    expect(both).toEqual([true, true])
    const { status, receipt } = await deletionOf(project, asked.id)
    expect(status).toBe('completed')
    expect(storeOf(receipt, 'events')?.removed).toBe(tried.events)
    await expectConsistent(
      project,
      await db.$count(sql`(select 1 from events where project_id = ${project.id})`)
    )
  })

  it.each(['before', 'after'] as const)(
    'are removed exactly once, wherever the work is cut %s a call',
    async (side) => {
      const project = await newStory()
      const { asked } = await requestRemoval(project, { distinct_id: 'ada' })
      const message: RemovalMessage = { project_id: project.id, removal: asked.id, waited: 0 }
      for (let call = 1; ; call += 1) {
        const { DB, isReached } = cutAt(env.DB, call, side)
        await deliverWith(message, DB).catch(() => undefined)
        if (!isReached()) {
          break
        }
      }

      expect(await stored(project)).toEqual([1, 3, 5])
      const { status, receipt } = await deletionOf(project, asked.id)
      expect(status).toBe('completed')
      expect(storeOf(receipt, 'events')?.removed).toBe(3)
      await expectConsistent(project, 3)
    }
  )

  it('are removed by as many invocations as it takes', async () => {
    const project = await newShop()
    const { tried, asked } = await requestRemoval(project, { events: [VIEW] })
    const message: RemovalMessage = { project_id: project.id, removal: asked.id, waited: 0 }
    const sent: unknown[] = [message]
    let invocations = 0
    while (sent.length > 0) {
      invocations += 1
      const usage = { ...newUsage(), queries: MAX_QUERIES - 15 }
      const ERASURE_QUEUE = { send: async (body: unknown) => void sent.push(body) }
      await invoke({ ...env, ERASURE_QUEUE }, (limited) =>
        continueMessage(sent.shift() as RemovalMessage, {
          env: limited,
          usage,
          clock: () => new Date()
        })
      )
    }

    expect(invocations).toBeGreaterThan(2)
    expect(storeOf((await deletionOf(project, asked.id)).receipt, 'events')?.removed).toBe(
      tried.events
    )
  })

  it('that were deleted in the meantime are counted as no longer stored', async () => {
    const project = await newStory()
    const { asked } = await requestRemoval(project, { events: ['bought'] })
    const { body } = await project.call('GET', 'persons?distinct_id=ada')
    const { drain, call } = holdErasures()
    await call(project, 'DELETE', `persons/${body.results[0].id}?delete_events=true`)
    await drain()
    await db.run(
      sql`delete from events where project_id = ${project.id} and timestamp = ${NOON + 120_000}`
    )

    await runSunday()

    const { receipt } = await deletionOf(project, asked.id)
    expect(receipt).toMatchObject({ events_listed: 2, no_longer_stored: 1 })
    expect(storeOf(receipt, 'events')).toMatchObject({ removed: 1, remaining: 0 })
  })

  it('wait for events that were accepted before the request', async () => {
    const project = await newStory()
    const { asked } = await requestRemoval(project, { distinct_id: 'ada' })
    const waiting = `capture/${project.id}/${new Date(Date.now() - 60_000).toISOString()}/a.json`
    await env.BUCKET.put(waiting, JSON.stringify(project.message([{ distinct_id: 'ada' }])))
    await runSunday()
    expect(await stored(project)).toEqual([1, 3, 5])
    const open = await deletionOf(project, asked.id)
    expect(open).toMatchObject({ status: 'running', receipt: null })
    expect(open.error).toContain('not processed yet')

    await project.ingest([{ distinct_id: 'ada', timestamp: NOON, uuid: numberedUuid(8) }])
    await env.BUCKET.delete(waiting)
    await deliverWith({ project_id: project.id, removal: asked.id, waited: 0 })

    expect((await deletionOf(project, asked.id)).receipt).toMatchObject({ matching: 1 })
    expect(await stored(project)).toEqual([8, 1, 3, 5])
  })

  it('match as of the dry run, even by relative dates in properties', async () => {
    const project = await newStory()
    const signedUp = (n: number): TestEvent => ({
      event: 'signed up',
      distinct_id: 'eve',
      timestamp: NOON,
      uuid: numberedUuid(n),
      // Within the hour before the dry run, and not within the hour before the request.
      properties: { at: new Date(Date.now() - 50 * 60_000).toISOString() }
    })
    await project.ingest([signedUp(8)])
    const filters = { property_filters: [{ key: 'at', operator: 'is_date_after', value: '-1h' }] }
    const tried = await ask(project, { ...filters, dry_run: true })
    const late = signedUp(9)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60_000 })
    try {
      const asked = await ask(project, { ...filters, token: tried.body.token })
      await project.ingest([late])
      vi.setSystemTime(Date.now() + 1_000)
      await runSunday()

      const { receipt } = await deletionOf(project, asked.body.id)
      expect(receipt).toMatchObject({ events_listed: 1, matching: 1 })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('removed properties', () => {
  it('are gone from the event, its `$set` and its `$set_once`; everything else stays', async () => {
    const project = await newStory()

    const { asked } = await requestRemoval(project, {
      distinct_id: 'ada',
      properties: ['email', 'price']
    })
    await runSunday()

    const { body } = await project.call('GET', 'events?distinct_id=ada')
    expect(body.results.map(({ properties }: { properties: Json }) => properties)).toEqual([
      { $session_id: 's2' },
      { $session_id: 's2', $set: { plan: 'pro' }, $set_once: {} },
      {}
    ])
    expect((await deletionOf(project, asked.id)).receipt.properties).toEqual(['email', 'price'])
    expect(
      (await project.call('GET', 'persons?distinct_id=ada')).body.results[0].properties
    ).toMatchObject({
      email: 'ada@example.com'
    })
  })

  it.each(['a.b', 'a"b', 'a\\b', '[0]', '$', 'ä ö', "it's", '\u0001', 'a\nb', '🦊', '"'])(
    'may be called %j',
    async (name) => {
      const project = await newProject()
      const properties = { [name]: 1, [`${name}x`]: 2, a: { b: 3 }, $set: { [name]: 4 } }
      await project.ingest([{ event: 'odd', timestamp: NOON, properties }])

      await requestRemoval(project, { events: ['odd'], properties: [name] })
      await runSunday()

      const { body } = await project.call('GET', 'events?event=odd')
      expect(body.results[0].properties).toEqual({ [`${name}x`]: 2, a: { b: 3 }, $set: {} })
    }
  )

  it('leave columns and sessions correct', async () => {
    const project = await newShop()
    await seal(project.id)
    const before = await totalOf(project)
    const { asked } = await requestRemoval(project, {
      events: [VIEW],
      properties: ['plan', '$session_id']
    })

    await runSunday()

    const { receipt } = await deletionOf(project, asked.id)
    expect(storeOf(receipt, 'segments')?.removed).toBe(1)
    expect(receipt.matching).toBe(0)
    await seal(project.id)
    expect(await expectEqualToRows(project.id)).toBe(1)
    await expectConsistent(project, before)
    expect(await totalOf(project, 'pro')).toBe(0)
  })
})

/** Returns the total of a trend over all events of the shop, or those with a plan. */
async function totalOf(project: TestProject, plan?: string): Promise<number> {
  const { body } = await project.send('POST', 'insights/trend', {
    events: [{ id: VIEW, properties: plan === undefined ? [] : [{ key: 'plan', value: plan }] }],
    date_from: '2026-09-01',
    date_to: '2026-12-31',
    interval: 'month'
  })
  return body.result[0].count
}

/** Checks that counts, sessions and trends are those of the stored events. */
async function expectConsistent(project: TestProject, events: number) {
  const [found] = await db.all<Record<string, number>>(sql`select
    (select count(*) from events where project_id = ${project.id}) as events,
    (select coalesce(sum(count), 0) from event_counts where project_id = ${project.id}) as counted,
    (select count(*) from sessions where project_id = ${project.id} and is_stale) as stale,
    (select count(*) from sessions s where project_id = ${project.id} and events <> (
      select count(*) from events e where e.project_id = s.project_id and e.session_id = s.session_id)) as wrong`)
  expect(found).toEqual({ events, counted: events, stale: 0, wrong: 0 })
  const trend = await totalOf(project)
  const [views] = await db.all<{ count: number }>(sql`select count(*) as count from events
    join event_names n on n.id = event_id where events.project_id = ${project.id} and n.name = ${VIEW}`)
  expect(trend).toBe(views?.count)
}

/** Continues a removal in one invocation, with this database. */
const deliverWith = (message: RemovalMessage, DB: D1Database = env.DB) =>
  invoke({ ...env, DB, ERASURE_QUEUE: { send: async () => undefined } }, (limited) =>
    continueMessage(message, { env: limited, usage: newUsage(), clock: () => new Date() })
  )
