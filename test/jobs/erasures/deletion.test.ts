import { env } from 'cloudflare:workers'
import { getTableName, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { insertDeadLetter } from '../../../src/capture/store.ts'
import { newUsage } from '../../../src/db/client.ts'
import * as schema from '../../../src/db/schema.ts'
import { continueErasures } from '../../../src/erasures/consumer.ts'
import type { ErasureMessage } from '../../../src/erasures/message.ts'
import {
  countRows,
  holdErasures,
  QUARTERLY,
  searchTerms,
  tablesWith,
  WEEKLY
} from '../../support/erasures.ts'
import { aroundCalls, cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db, newProject, type TestEvent } from '../../support/project.ts'

/** What the erasure of a person does to each table. A new table fails a test until it is thought of here. */
const BECOMES: Record<string, string> = {
  persons: 'deleted at once',
  distinct_ids: 'deleted at once',
  activity: 'its values removed at once',
  person_versions: 'removed by the queue, verified',
  events: 'removed by the weekly batch if asked, verified',
  event_counts: 'corrected with each piece of events',
  sessions:
    'worked out anew from the events that are left, or removed, by the weekly batch if asked, verified',
  session_values: 'corrected with each session',
  session_shingles: 'corrected with each session',
  dead_letters: 'their events are removed by the weekly batch if asked',
  erasures: 'the task and its proof: no distinct id, no property',
  erased_identities: 'keyed hashes, so that late events do not bring the person back',
  deletion_runs: 'of nobody',
  counters: 'moved along',
  sequences: 'of nobody',
  guard: 'always empty',
  event_names: 'of nobody',
  insights: 'what users have saved',
  dashboards: 'what users have saved',
  dashboard_tiles: 'what users have saved',
  subscriptions: 'what users have saved',
  subscription_deliveries:
    'to whom users had something sent, and when, for 90 days: none of what it said',
  idempotency_keys: 'what users have saved, for a day',
  recordings: 'deleted at once if asked: of nobody from then on',
  recording_parts: 'removed by the queue if asked, with their snapshots, verified',
  recording_views: 'removed by the queue if asked, verified',
  users: 'of nobody whose events are captured',
  projects: 'of nobody',
  api_keys: 'of nobody'
}

const AT = Date.UTC(2026, 10, 1)

const identify = (distinct_id: string, anon: string, $set = {}): TestEvent => ({
  event: '$identify',
  distinct_id,
  timestamp: AT,
  properties: { $anon_distinct_id: anon, $set }
})
const event = (distinct_id: string, n = 1): TestEvent[] =>
  Array.from({ length: n }, (_, i) => ({ event: `event ${i % 3}`, distinct_id, timestamp: AT + i }))

/** A project with Ada (two ids, 22 events) and Bob (10 events). */
async function newTown() {
  const project = await newProject()
  await project.ingest([
    ...event('anon-ada', 10),
    identify('ada', 'anon-ada', { email: 'ada@example.com', name: 'Ada' }),
    ...event('ada', 10),
    { event: '$set', distinct_id: 'ada', timestamp: AT + 5, properties: { $set: { plan: 'pro' } } },
    ...event('bob', 10)
  ])
  const { body } = await project.call('GET', 'persons?distinct_id=ada')
  const ada: { id: number; uuid: string } = body.results[0]
  return { project, ada, ...holdErasures() }
}

type Town = Awaited<ReturnType<typeof newTown>>

const status = async (town: Town, query = '') =>
  (await town.call(town.project, 'GET', `persons/deletion_status${query}`)).body

describe('a deletion', () => {
  it('takes the person, the distinct ids and the versions, and leaves the events as those of one actor', async () => {
    const town = await newTown()
    const { project, ada, call, drain } = town

    const { status, text } = await call(project, 'DELETE', `persons/${ada.id}`)
    await drain()

    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(404)
    expect((await call(project, 'DELETE', `persons/${ada.id}`)).status).toBe(404)
    expect((await call(project, 'GET', 'persons?search=ada@exa')).body.count).toBe(0)
    expect(await countRows(project.id)).toEqual({
      persons: 1,
      counted: 1,
      distinct_ids: 1,
      versions: 1,
      search: 0,
      events: 32
    })
    const actors = await db.all(sql`
      select distinct coalesce(d.person_id, t.person_id) as actor from events e
      left join distinct_ids d on d.key = e.identity left join erased_identities t on t.key = e.identity
      where e.project_id = ${project.id}`)
    expect(actors).toHaveLength(2)
    expect((await call(project, 'GET', 'persons/deletion_status')).body.count).toBe(0)
  })

  it('has the events removed by the next weekly batch, and proves it', async () => {
    const town = await newTown()
    const { project, ada, call, drain, cron } = town
    await call(project, 'DELETE', `persons/${ada.uuid}?delete_events=true`)
    await drain()
    const before = (await status(town)).results[0]
    expect(before).toMatchObject({
      status: 'queued',
      person_uuid: ada.uuid,
      receipt: null,
      delete_verified_at: null
    })
    expect(before.events).toEqual({ found: null, removed: 0, remaining: null, dropped: 0 })
    expect(new Date(before.scheduled_for).getUTCDay()).toBe(0)
    expect(before.scheduled_for).toMatch(/T05:00:00.000Z$/)

    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 10, versions: 1 })
    const [task] = (await status(town)).results
    expect(task).toMatchObject({
      status: 'completed',
      events: { found: 22, removed: 22, remaining: 0, dropped: 0 }
    })
    expect(task.receipt).toMatchObject({
      person_uuid: ada.uuid,
      delete_events: true,
      stores: expect.arrayContaining([
        { store: 'events', found: 22, removed: 22, remaining: 0 },
        { store: 'persons', found: 1, removed: 1, remaining: 0 },
        { store: 'distinct_ids', found: 2, removed: 2, remaining: 0 },
        { store: 'search_index', found: 1, removed: 1, remaining: 0 },
        { store: 'dead_letters', found: 0, removed: 0, remaining: 0 }
      ])
    })
    const verify = (receipt: object) =>
      call(project, 'POST', 'persons/deletion_receipts/verify', receipt)
    expect((await verify(task.receipt)).body.valid).toBe(true)
    const [first, ...rest] = task.receipt.stores
    expect(
      (await verify({ ...task.receipt, stores: [{ ...first, removed: 99 }, ...rest] })).body.valid
    ).toBe(false)
    expect((await verify({ ...task.receipt, extra: 1 })).body.valid).toBe(false)
    const noted = [{ ...first, note: 'x' }, ...rest]
    expect((await verify({ ...task.receipt, stores: noted })).body.valid).toBe(false)
  })

  it('leaves nothing that the person was called or had, in any table', async () => {
    const { project, call, drain, cron, held } = await newTown()
    const secret = `ǂǂǂ${crypto.randomUUID()}`
    await project.ingest([
      identify(secret, `anon-${secret}`, { email: `${secret}@example.com`, note: secret }),
      {
        event: 'said',
        distinct_id: secret,
        properties: { $set: { plan: secret }, message: secret }
      },
      { event: '$merge_dangerously', distinct_id: secret, properties: { alias: 'bob' } }
    ])
    expect(await searchTerms('ǂ')).toBeGreaterThan(0)
    expect(await tablesWith(secret)).toEqual([
      'distinct_ids',
      'events',
      'person_versions',
      'persons',
      'persons_search',
      'persons_search_content'
    ])

    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: [secret],
      delete_events: true
    })
    await cron(WEEKLY, Date.now() + 1000)
    expect(held.length).toBeGreaterThan(0)
    await drain()

    expect(await tablesWith(secret)).toEqual([])
    expect(await searchTerms('ǂ')).toBe(0)
  })
})

describe('events that come after the deletion of whose they were', () => {
  it('go with the others when they were accepted before, and start a new person when after', async () => {
    const { project, ada, call, drain, cron } = await newTown()
    const late = project.message(event('ada', 3))
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=1`)
    await consume([late])
    await project.ingest(event('ada', 2), Date.now() + 60_000)
    expect(await countRows(project.id)).toMatchObject({ persons: 2, distinct_ids: 2, events: 37 })

    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await countRows(project.id)).toMatchObject({ persons: 2, distinct_ids: 2, events: 12 })
  })
})

describe('a deletion that is disturbed', () => {
  const outcome = async (town: Town) => {
    const rows = await countRows(town.project.id)
    const { count } = await status(town)
    return { ...rows, tasks: count }
  }

  it.each([2, 3].flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
    'has happened or not when it is cut at call %i, %s it, and can be repeated',
    async (call, side) => {
      const town = await newTown()
      const { project, ada } = town
      const DB = aroundCalls(env.DB, async (run, at) => {
        const result = at === call && side === 'before' ? undefined : await run()
        if (at === call) {
          throw new Error('D1_ERROR: Network connection lost.')
        }
        return result as Awaited<ReturnType<typeof run>>
      })

      expect(
        (
          await town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`, undefined, {
            DB
          })
        ).status
      ).toBe(503)
      const isDone = call === 3 && side === 'after'
      expect(await outcome(town)).toMatchObject(
        isDone ? { persons: 1, tasks: 1 } : { persons: 2, tasks: 0, distinct_ids: 3 }
      )
      const again = await town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)

      expect(again.status).toBe(isDone ? 404 : 204)
      expect(await outcome(town)).toMatchObject({
        persons: 1,
        counted: 1,
        distinct_ids: 1,
        tasks: 1,
        events: 32
      })
    }
  )

  it.each([2, 3])(
    'takes along what capture adds to the person just before its call %i',
    async (call) => {
      const town = await newTown()
      const { project, ada } = town
      const DB = aroundCalls(env.DB, async (run, at) => {
        if (at === call) {
          await project.ingest([
            {
              event: '$identify',
              distinct_id: 'ada',
              properties: { $anon_distinct_id: 'tablet', $set: { n: 1 } }
            },
            { event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: 'bob' } }
          ])
        }
        return run()
      })

      expect(
        (await town.call(project, 'DELETE', `persons/${ada.id}`, undefined, { DB })).status
      ).toBe(204)
      await town.drain()

      expect(await countRows(project.id)).toMatchObject({
        persons: 0,
        counted: 0,
        distinct_ids: 0,
        versions: 0
      })
    }
  )

  it.each([2, 3, 4])(
    'is not undone by a batch of events at whose call %i it happens',
    async (call) => {
      const town = await newTown()
      const { project, ada } = town
      let isDeleted = false
      const DB = aroundCalls(env.DB, async (run, at) => {
        if (at === call && !isDeleted) {
          isDeleted = true
          await town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
        }
        return run()
      })
      const message = project.message([
        {
          event: '$identify',
          distinct_id: 'ada',
          properties: { $set: { email: 'back@example.com' } }
        },
        {
          event: '$identify',
          distinct_id: 'ada',
          properties: { $anon_distinct_id: 'new', $set: { back: 1 } }
        },
        { event: 'new kind', distinct_id: 'anon-ada' }
      ])
      await consume([message], 1, { DB })
      expect(isDeleted).toBe(true)
      await town.cron(WEEKLY, Date.now() + 1000)
      await town.drain()

      expect(await countRows(project.id)).toMatchObject({
        persons: 1,
        counted: 1,
        distinct_ids: 1,
        events: 10
      })
      expect((await town.call(project, 'GET', 'persons?search=back@ex')).body.count).toBe(0)
    }
  )

  it('does not bring a person back that was made and erased between reading and writing', async () => {
    const town = await newTown()
    const { project } = town
    let done = false
    const message = project.message([{ event: 'seen', distinct_id: 'eve' }])
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements > 5 && !done) {
        done = true
        await project.ingest([{ event: 'seen first', distinct_id: 'eve' }])
        await town.call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['eve'] })
      }
      return run()
    })
    await consume([message], 1, { DB })
    expect(done).toBe(true)

    expect((await town.call(project, 'GET', 'persons?distinct_id=eve')).body.count).toBe(0)
  })
})

describe('events that come late', () => {
  it('are dropped and counted when the events of their person are kept or are gone already', async () => {
    const town = await newTown()
    const { project, ada, call } = town
    const [early, late, later] = [1, 2, 3].map((n) => project.message(event('ada', n)))
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    await consume([early])
    await town.cron(WEEKLY, Date.now() + 1000)
    await town.drain()
    expect((await status(town)).results[0].events).toEqual({
      found: 23,
      removed: 23,
      remaining: 0,
      dropped: 0
    })

    await consume([late])
    await consume([later])

    expect(await countRows(project.id)).toMatchObject({ persons: 1, distinct_ids: 1, events: 10 })
    expect((await status(town)).results[0].events.dropped).toBe(5)

    const bob = (await call(project, 'GET', 'persons?distinct_id=bob')).body.results[0]
    const kept = project.message(event('bob', 4))
    await call(project, 'DELETE', `persons/${bob.id}`)
    await town.drain()
    await consume([kept])
    expect(await countRows(project.id)).toMatchObject({ persons: 0, distinct_ids: 0, events: 10 })
    const [row] = await db.all<{ dropped: number }>(
      sql`select dropped from erasures where person_uuid = ${bob.uuid}`
    )
    expect(row?.dropped).toBe(4)
  })

  it('go to the right one of several erasures of the same distinct id', async () => {
    const town = await newTown()
    const { project } = town
    const messages = []
    for (let round = 0; round < 3; round += 1) {
      messages.push(project.message([{ event: 'late', distinct_id: 'eve' }]))
      await project.ingest([{ event: 'seen', distinct_id: 'eve' }])
      await town.call(project, 'POST', 'persons/bulk_delete', {
        distinct_ids: ['eve'],
        delete_events: true
      })
      await new Promise((done) => setTimeout(done, 2))
    }
    await consume(messages.toReversed())
    await town.cron(WEEKLY, Date.now() + 1000)
    await town.drain()

    expect(
      (await status(town)).results.map(
        ({ events }: { events: { removed: number } }) => events.removed
      )
    ).toEqual([2, 2, 2])
  })

  it('are taken out of parked messages', async () => {
    const town = await newTown()
    const { project, ada } = town
    const id = crypto.randomUUID()
    const park = async (name: string, events: TestEvent[]) => {
      const object = `dead/${id}-${name}.json`
      await env.BUCKET.put(
        object,
        JSON.stringify({ error: 'x', attempts: 1, dead: project.message(events) })
      )
      await insertDeadLetter(db, {
        id: `${id}-${name}`,
        object,
        projectId: project.id,
        error: 'x',
        attempts: 1,
        createdAt: 0
      })
      return object
    }
    const mixed = await park('mixed', [...event('ada', 2), ...event('bob', 1)])
    const own = await park('own', event('anon-ada', 1))
    await town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    await town.cron(WEEKLY, Date.now() + 1000)
    await town.drain()

    expect(await env.BUCKET.get(own)).toBeNull()
    const left = await (await env.BUCKET.get(mixed))?.json<{
      dead: { events: { distinct_id: string }[] }
    }>()
    expect(left?.dead.events.map(({ distinct_id }) => distinct_id)).toEqual(['bob'])
    expect((await status(town)).results[0].receipt.stores).toContainEqual({
      store: 'dead_letters',
      found: 3,
      removed: 3,
      remaining: 0
    })
  })
})

describe('the weekly batch', () => {
  const askAda = async (town: Town) => {
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
  }
  const COMPLETED = {
    status: 'completed',
    events: { found: 22, removed: 22, remaining: 0, dropped: 0 }
  }

  it('does no harm when it is started twice in a minute, or twice at once', async () => {
    const town = await newTown()
    await askAda(town)
    const at = Date.now() + 1000
    await Promise.all([town.cron(WEEKLY, at), town.cron(WEEKLY, at)])
    await town.cron(WEEKLY, at + 60_000)
    expect(town.held.filter(({ project_id }) => project_id === town.project.id)).toHaveLength(1)
    await town.drain()

    expect((await status(town)).results[0]).toMatchObject(COMPLETED)
    expect(await countRows(town.project.id)).toMatchObject({ events: 10 })
  })

  it('survives messages that come twice, at once and in another order', async () => {
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.cron(WEEKLY, Date.now() + 1000)
    const messages = town.held.splice(0).toReversed()
    await Promise.all([...messages, ...messages].map((message) => town.deliver(message)))
    for (const message of messages) {
      await town.deliver(message)
    }
    await town.drain()

    expect((await status(town)).results[0]).toMatchObject(COMPLETED)
  })

  it('gets to its end whatever call of the consumer is the last one of an invocation', async () => {
    for (let call = 1; ; call += 1) {
      for (const side of ['before', 'after'] as const) {
        const town = await newTown()
        await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
        await town.cron(WEEKLY, Date.now() + 1000)
        const [message] = town.held.splice(0)
        const { DB, isReached } = cutAt(env.DB, call, side)
        await town.deliver(message, { DB })
        if (!isReached()) {
          return expect(call).toBeGreaterThan(8)
        }
        await town.deliver(message)
        await town.drain()

        expect((await status(town)).results[0]).toMatchObject(COMPLETED)
      }
    }
  })

  it('goes on in a new message when an invocation may do no more', async () => {
    const town = await newTown()
    await askAda(town)
    await town.cron(WEEKLY, Date.now() + 1000)
    const [message] = town.held.splice(0)
    const bindings = {
      control: env.DB,
      database: () => env.DB,
      bucket: env.BUCKET,
      queue: { send: async (body: ErasureMessage) => void town.held.push(body) },
      clock: () => new Date()
    }
    const completed = []
    for (let next = message; next; next = town.held.shift()) {
      completed.push(await continueErasures(next, bindings, { ...newUsage(), queries: 793 }))
    }

    expect(completed.length).toBeGreaterThan(1)
    expect(completed.at(-1)).toBe(1)
    expect((await status(town)).results[0]).toMatchObject(COMPLETED)
  })

  it('shows why a task fails, gives it up in the end, and tries it again the next Sunday', async () => {
    const town = await newTown()
    await askAda(town)
    await town.cron(WEEKLY, Date.now() + 1000)
    const failing = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements === 4) {
        throw new Error('D1_ERROR: too many cooks: SQLITE_ERROR')
      }
      return run()
    })
    await town.deliver(town.held.shift(), { DB: failing })
    expect((await status(town)).results[0]).toMatchObject({
      status: 'running',
      error: expect.stringContaining('too many cooks')
    })
    await town.drain({ DB: failing })
    expect((await status(town, '?status=failed')).results[0]).toMatchObject({ receipt: null })
    expect(await countRows(town.project.id)).toMatchObject({ events: 32 })

    await town.cron(WEEKLY, Date.now() + 2000)
    await town.drain()
    expect((await status(town)).results[0]).toMatchObject({ ...COMPLETED, error: null })
  })
})

describe('the sweep', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const go = (to: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(to) })
  const own = (town: Town) =>
    town.held.filter(({ project_id }) => project_id === town.project.id).length

  it('makes up for a Sunday without a run, once, and never starts one at another time', async () => {
    go('2027-03-03T12:00:00Z')
    const town = await newTown()
    await town.cron(QUARTERLY, Date.now())
    await town.drain()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
    for (const time of ['2027-03-03T12:15:00Z', '2027-03-06T23:45:00Z', '2027-03-07T04:45:00Z']) {
      go(time)
      await town.cron(QUARTERLY, Date.now())
      expect(own(town)).toBe(0)
    }
    go('2027-03-07T05:15:00Z')
    await town.cron(QUARTERLY, Date.now())
    await town.cron(QUARTERLY, Date.now())
    expect(own(town)).toBe(1)
    await town.drain()

    expect((await status(town)).results[0]).toMatchObject({
      status: 'completed',
      scheduled_for: '2027-03-07T05:00:00.000Z'
    })
    const runs = await db.all<{ startedBy: string }>(sql`
      select started_by as startedBy from deletion_runs where scheduled_for = ${Date.parse('2027-03-07T05:00:00Z')} and finished_at is not null`)
    expect(runs).toEqual([{ startedBy: 'sweep' }])
  })

  it('leaves the run to the cron that came in time', async () => {
    go('2027-03-14T05:00:00Z')
    const town = await newTown()
    await town.cron(WEEKLY, Date.now())
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
    go('2027-03-14T05:15:00Z')
    await town.cron(QUARTERLY, Date.now())

    expect(own(town)).toBe(0)
    expect((await status(town)).results[0]).toMatchObject({
      status: 'queued',
      scheduled_for: '2027-03-21T05:00:00.000Z'
    })
  })

  it('sends again what got lost, after a quarter of an hour without a sign of life', async () => {
    go('2027-04-04T05:00:00Z')
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    town.held.length = 0
    go('2027-04-04T05:10:00Z')
    await town.cron(QUARTERLY, Date.now())
    expect(own(town)).toBe(0)
    go('2027-04-04T05:16:00Z')
    await town.cron(QUARTERLY, Date.now())
    expect(own(town)).toBe(1)
    await town.drain()
    expect(await countRows(town.project.id)).toMatchObject({ versions: 1, events: 32 })

    go('2027-04-11T05:00:00Z')
    await town.cron(WEEKLY, Date.now())
    town.held.length = 0
    go('2027-04-11T05:20:00Z')
    await town.cron(QUARTERLY, Date.now())
    await town.drain()
    expect((await status(town)).results[0].status).toBe('completed')
  })

  it('goes on trying to clear what a deletion left, long after the queue has given it up', async () => {
    go('2027-04-18T12:00:00Z')
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}`)
    const failing = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements === 2) {
        throw new Error('D1_ERROR: too many cooks: SQLITE_ERROR')
      }
      return run()
    })
    await town.drain({ DB: failing })
    expect(await countRows(town.project.id)).toMatchObject({ persons: 1, versions: 4 })
    go('2027-04-18T12:30:00Z')
    await town.cron(QUARTERLY, Date.now())
    await town.drain()

    expect(await countRows(town.project.id)).toMatchObject({ persons: 1, versions: 1 })
  })

  it('takes up the gathering of a run that was cut short', async () => {
    go('2027-05-01T12:00:00Z')
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
    go('2027-05-02T05:00:00Z')
    const DB = aroundCalls(env.DB, async (run, at) => {
      if (at === 3) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
      return run()
    })
    await town.cron(WEEKLY, Date.now(), { DB })
    expect((await status(town)).results[0].status).toBe('queued')
    go('2027-05-02T05:15:00Z')
    await town.cron(QUARTERLY, Date.now())
    await town.drain()

    expect((await status(town)).results[0].status).toBe('completed')
  })
})

describe('bulk deletion', () => {
  it('deletes persons by ids, uuids or distinct ids, and tells what became of each', async () => {
    const { project, ada, call } = await newTown()
    const by = (body: object) => call(project, 'POST', 'persons/bulk_delete', body)

    const first = await by({
      ids: [ada.uuid.toUpperCase(), ada.id, String(ada.id), 999_999],
      delete_events: 'true'
    })
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      persons_found: 1,
      persons_deleted: 1,
      events_queued_for_deletion: true,
      recordings_queued_for_deletion: false,
      deletion_errors: [],
      results: [
        { id: ada.uuid.toUpperCase(), result: 'deleted', person_uuid: ada.uuid },
        { id: ada.id, result: 'deleted', person_uuid: ada.uuid },
        { id: String(ada.id), result: 'deleted', person_uuid: ada.uuid },
        { id: 999_999, result: 'not_found', person_uuid: null }
      ]
    })
    const second = await call(project, 'POST', 'persons/bulk_delete?delete_events=true', {
      distinct_ids: ['ada', 'bob']
    })
    expect(second.body).toMatchObject({ persons_found: 1, events_queued_for_deletion: true })
    expect((await by({ distinct_ids: ['bob'] })).body).toMatchObject({
      persons_found: 0,
      events_queued_for_deletion: false
    })
    expect(await countRows(project.id)).toMatchObject({ persons: 0, counted: 0, distinct_ids: 0 })
  })

  it('deletes a thousand persons in one transaction', async () => {
    const project = await newProject()
    const { call, drain } = holdErasures()
    const names = Array.from({ length: 1000 }, (_, n) => `p${n}`)
    await project.ingest(
      names.map((distinct_id) => ({
        event: '$set',
        distinct_id,
        properties: { $set: { email: `${distinct_id}@example.com` } }
      }))
    )

    const { body } = await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: names })
    await drain()

    expect(body.persons_deleted).toBe(1000)
    expect(await countRows(project.id)).toEqual({
      persons: 0,
      counted: 0,
      distinct_ids: 0,
      versions: 0,
      search: 0,
      events: 1000
    })
  })

  it('has a task for each, which are listed in pages, newest first', async () => {
    const town = await newTown()
    await town.call(town.project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['ada', 'bob'],
      delete_events: true
    })

    const first = await status(town, '?limit=1')
    const second = await status(town, `?${new URL(first.next).searchParams}`)

    expect([first.count, second.count, second.next]).toEqual([2, 2, null])
    expect(first.results[0].id).toBeGreaterThan(second.results[0].id)
    expect((await status(town, `?person_uuid=${town.ada.uuid}`)).count).toBe(1)
    expect((await status(town, '?status=completed')).count).toBe(0)
    expect((await status(town, '?status=pending')).count).toBe(2)
  })

  it.each([
    ['neither', {}, null],
    ['both', { ids: [1], distinct_ids: ['a'] }, null],
    ['no ids', { ids: [] }, 'ids'],
    [
      '1,001 ids',
      { distinct_ids: Array.from({ length: 1001 }, (_, n) => `p${n}`) },
      'distinct_ids'
    ],
    ['an id that is none', { ids: ['abc'] }, 'ids__0'],
    ['no list', { ids: 'abc' }, 'ids'],
    ['an empty distinct id', { distinct_ids: [''] }, 'distinct_ids__0'],
    ['a switch that is none', { distinct_ids: ['a'], delete_events: 'yes' }, 'delete_events'],
    ['a switch that is null', { distinct_ids: ['a'], delete_events: null }, 'delete_events']
  ])('refuses %s', async (_, body, attr) => {
    const { project, call } = await newTown()
    const answer = await call(project, 'POST', 'persons/bulk_delete', body)
    expect([answer.status, answer.body.attr]).toEqual([400, attr])
  })
})

it.each(['yes', '', '2', 'null', 'on'])(
  'a deletion with delete_events=%s is refused',
  async (value) => {
    const { project, ada, call } = await newTown()
    const { status, body } = await call(
      project,
      'DELETE',
      `persons/${ada.id}?delete_events=${value}`
    )
    expect([status, body.attr]).toEqual([400, 'delete_events'])
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
  }
)

it.each(['false', '0', 'False'])(
  'a deletion with delete_events=%s keeps the events',
  async (value) => {
    const { project, ada, call } = await newTown()
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=${value}`)
    expect((await call(project, 'GET', 'persons/deletion_status')).body.count).toBe(0)
  }
)

it('every table is known for what becomes of it when a person is erased', () => {
  const tables = Object.values(schema)
    .filter((table) => table instanceof SQLiteTable)
    .map((table) => getTableName(table))

  expect(tables.sort()).toEqual([...Object.keys(BECOMES)].sort())
})

describe('what an erasure costs', () => {
  /** Rows read and written by requests and batches while something runs. */
  const measure = async (run: () => Promise<unknown>) => {
    const log = listenToLog()
    await run()
    const lines = [...log.lines('request'), ...log.lines('queue batch')]
    vi.restoreAllMocks()
    const sum = (name: string) => lines.reduce((total, line) => total + Number(line[name]), 0)
    return { read: sum('rows_read'), written: sum('rows_written') }
  }
  /** A project of 50 persons with 10 events each, and so many others. */
  const newCity = async (others: number) => {
    const project = await newProject()
    const names = Array.from({ length: 50 + others }, (_, n) => `p${n}`)
    await project.ingest(
      names.map((name) => ({
        event: '$set',
        distinct_id: name,
        properties: { $set: { email: `${name}@example.com` } }
      }))
    )
    for (let n = 0; n < 9; n += 1) {
      await project.ingest(
        names.slice(0, 50).map((distinct_id) => ({ event: 'seen', distinct_id, timestamp: AT + n }))
      )
    }
    return { project, names: names.slice(0, 50), ...holdErasures() }
  }

  it.each([0, 950])('is in proportion to what is erased, beside %i others', async (others) => {
    const { project, names, call, cron, drain } = await newCity(others)
    await cron(WEEKLY)
    await drain()
    await call(project, 'GET', 'persons?limit=1')
    const body = { distinct_ids: names, delete_events: true }

    const deletion = await measure(() => call(project, 'POST', 'persons/bulk_delete', body))
    const clearing = await measure(drain)
    await cron(WEEKLY, Date.now() + 1000)
    const purging = await measure(drain)

    expect(await countRows(project.id)).toMatchObject({ persons: others, events: others })
    expect(deletion.written).toBeLessThanOrEqual(50 * 14)
    expect(deletion.read).toBeLessThanOrEqual(50 * 40)
    expect(clearing.written).toBeLessThanOrEqual(50 * 4)
    expect(clearing.read).toBeLessThanOrEqual(50 * 25)
    expect(purging.written).toBeLessThanOrEqual(50 * 17)
    expect(purging.read).toBeLessThanOrEqual(50 * 150)
  })
})
