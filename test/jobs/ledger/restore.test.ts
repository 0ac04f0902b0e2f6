import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { newUsage, openControl, openDb, type Usage } from '../../../src/db/client.ts'
import type { ErasureEntry } from '../../../src/erasures/entries.ts'
import {
  giveUpRemoval,
  listOpenRemovals,
  type RemovalRow
} from '../../../src/erasures/events/store.ts'
import { catchUp } from '../../../src/erasures/replay/restore.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { EVERY_15_MINUTES, EVERY_MINUTE, WEEKLY } from '../../../src/jobs/cron.ts'
import { type Entry, GENESIS, headOf, keyOf } from '../../../src/ledger/entry.ts'
import { Ledger, placeOf, readAfter } from '../../../src/ledger/ledger.ts'
import { noteApplied, readApplied } from '../../../src/ledger/store.ts'
import { MAX_QUERIES } from '../../../src/queues/invocation.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { aroundCalls, cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, request } from '../../support/project.ts'
import { holdRecordings, newStage, snapshotEvent, visit } from '../../support/recordings.ts'
import { backUp, WITH_EVENTS } from '../../support/restore.ts'
import { AT, event, newTown, status, type Town } from '../../support/town.ts'
import { holdQueues } from '../../support/waiting.ts'

const IN_MAINTENANCE = { MAINTENANCE: 'on' } as Partial<Env>

beforeEach(async () => {
  for (const prefix of ['ledger/', 'marks/']) {
    const { objects } = await env.BUCKET.list({ prefix })
    await env.BUCKET.delete(objects.map(({ key }) => key))
  }
  await db.run(sql`delete from ledger_head`)
  await db.run(sql`delete from event_removals`)
  await db.run(sql`update projects set held = null`)
})

afterEach(async () => {
  await db.run(sql`update projects set held = null`)
})

const heldOf = async (projectId: number) => {
  const [row] = await db.all<{ held: string | null }>(
    sql`select held from projects where id = ${projectId}`
  )
  return row?.held
}

const statusOf = async ({ call, project, ada }: Town) =>
  (await call(project, 'GET', `persons/${ada.uuid}`)).status

/** Creates a town, backs it up, and then erases Ada. */
async function newErased() {
  const town = await newTown()
  await town.cron(EVERY_MINUTE)
  const restore = await backUp(town.project.id)
  await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_recordings=true`)
  await town.drain()
  await town.cron(EVERY_MINUTE)
  return { ...town, restore }
}

const readLedger = () => readAfter(env.BUCKET, GENESIS, 100)

describe('a restored database', () => {
  it('is noticed by the next minutely cron, and answers again once the erasure is repeated', async () => {
    const town = await newErased()
    const { project, restore, cron } = town
    const [before] = (await status(town)).results
    await restore()
    expect(await statusOf(town)).toBe(200)
    const behind = await request('GET', '/readyz')
    expect([behind.status, behind.body.ledger]).toEqual([503, 'behind'])

    await cron(EVERY_MINUTE)

    expect([await statusOf(town), await heldOf(project.id)]).toEqual([404, null])
    expect((await request('GET', '/readyz')).body.ledger).toBe('ok')
    await town.drain()
    const [after] = (await status(town)).results
    expect(after.created_at).toBe(before.created_at)
    expect(after.receipt.requested_by).toEqual(before.receipt.requested_by)
    expect(after.receipt.subject).toEqual(before.receipt.subject)
    for (const { receipt } of [before, after]) {
      const { body } = await project.send('POST', 'persons/deletion_receipts/verify', receipt)
      expect(body.valid).toBe(true)
    }
  })

  it('erases all persons who were merged into the erased person after the backup, and nobody else', async () => {
    const project = await newProject()
    const { call, drain, cron } = await newTown()
    await project.ingest(
      ['visitor', 'ada', 'bob'].map((distinct_id) => ({
        event: '$set',
        distinct_id,
        properties: { $set: { name: distinct_id } }
      }))
    )
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id)
    const $anon_distinct_id = 'visitor'
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id } }
    ])
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['visitor'] })
    await drain()
    await cron(EVERY_MINUTE)
    await restore()
    expect((await call(project, 'GET', 'persons')).body.count).toBe(3)

    await cron(EVERY_MINUTE)

    const { body } = await call(project, 'GET', 'persons')
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual(['bob'])
    expect(JSON.stringify(await readLedger())).not.toMatch(/"(ada|visitor)"/)
  })

  it('gives no erasure an id that a receipt has', async () => {
    const town = await newErased()
    const { restore, cron, call, project } = town
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['bob'] })
    await town.drain()
    const ids = (await status(town)).results.map(({ id }: { id: number }) => id)
    await restore()

    await cron(EVERY_MINUTE)

    const again = (await status(town)).results.map(({ id }: { id: number }) => id)
    expect([ids.length, again.length]).toEqual([2, 2])
    expect(Math.min(...again)).toBeGreaterThan(Math.max(...ids))
  })

  it('gets back the salt with which late events are recognised', async () => {
    const { project, restore, cron } = await newErased()
    const saltOf = () => db.all(sql`select erasure_salt from projects where id = ${project.id}`)
    const salt = await saltOf()
    await restore()
    await db.run(sql`update projects set erasure_salt = 'other' where id = ${project.id}`)

    await cron(EVERY_MINUTE)

    expect(await saltOf()).toEqual(salt)
  })

  it.each<[string, (entry: Entry) => Promise<unknown>]>([
    ['missing', ({ link }) => env.BUCKET.delete(keyOf(link.seq))],
    [
      'forged',
      ({ link, body }) => {
        const forged = { link, body: { ...body, persons: [] } }
        return env.BUCKET.put(keyOf(link.seq), JSON.stringify(forged))
      }
    ]
  ])('stays held back while an entry is %s', async (_, damage) => {
    listenToLog()
    const town = await newErased()
    const { project, restore, cron } = town
    await restore()
    const [entry] = (await readLedger()).filter(({ body }) => body.kind === 'erasure')
    await (entry && damage(entry))

    await cron(EVERY_MINUTE)

    expect([await statusOf(town), await heldOf(project.id)]).toEqual([503, 'replay'])
    const { status: ready, body } = await request('GET', '/readyz')
    expect([ready, body.ledger]).toEqual([503, 'damaged'])

    await (entry && env.BUCKET.put(keyOf(entry.link.seq), JSON.stringify(entry)))
    await cron(EVERY_MINUTE)
    expect([await statusOf(town), await heldOf(project.id)]).toEqual([404, null])
  })

  it('continues after a damaged entry that an operator skips', async () => {
    listenToLog()
    const town = await newErased()
    const { project, restore, cron } = town
    await restore()
    const [entry] = (await readLedger()).filter(({ body }) => body.kind === 'erasure')
    const seq = entry?.link.seq ?? 0
    await env.BUCKET.delete(keyOf(seq))
    await cron(EVERY_MINUTE)
    expect(await statusOf(town)).toBe(503)

    await noteApplied(db, await placeOf(env.BUCKET, seq))
    await cron(EVERY_MINUTE)

    // The skipped entry was Ada's erasure.
    expect([await statusOf(town), await heldOf(project.id)]).toEqual([200, null])
  })

  it('applies the entries before a damaged one, so that an operator can skip that one', async () => {
    listenToLog()
    const town = await newErased()
    const { project, restore, cron, call } = town
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['bob'] })
    await town.drain()
    await restore()
    const erasures = (await readLedger()).filter(({ body }) => body.kind === 'erasure')
    const seq = erasures.at(-1)?.link.seq ?? 0
    await new Ledger(env.BUCKET, GENESIS).append({ kind: 'test', project: project.id }, Date.now())
    await env.BUCKET.put(keyOf(seq), 'damaged')

    await cron(EVERY_MINUTE)
    const stopped = [await statusOf(town), (await readApplied(db)).seq]
    await noteApplied(db, await placeOf(env.BUCKET, seq))
    await cron(EVERY_MINUTE)

    expect(stopped).toEqual([503, seq - 1])
    // The skipped entry was Bob's erasure.
    const { body } = await call(project, 'GET', 'persons')
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual(['bob'])
  })

  it('shows no erased person once the restore is noticed, wherever the replay is cut', async () => {
    listenToLog()
    let isNoticed = false
    for (let call = 1; ; call += CALL_STEP) {
      const town = await newErased()
      const { project, restore, cron } = town
      await restore()
      const { DB } = cutAt(env.DB, call, 'after')

      await cron(EVERY_MINUTE, Date.now(), { DB }).catch(() => undefined)

      const [shown, held] = [await statusOf(town), await heldOf(project.id)]
      isNoticed ||= held === 'replay'
      expect(isNoticed ? [503, 404] : [200]).toContain(shown)
      await cron(EVERY_MINUTE)
      expect([await statusOf(town), await heldOf(project.id)]).toEqual([404, null])
      expect(await db.$count(sql`erasures`, sql`project_id = ${project.id}`)).toBe(1)
      const isReplayed = shown === 404 && held === null
      if (isReplayed) {
        return expect(call).toBeGreaterThan(10)
      }
    }
  })

  it('is held back when an invocation has reached its limits, until the next one has finished the replay', async () => {
    const { project, restore, ada, bindings } = await newErased()
    await restore()
    const catchUpWith = (usage: Usage) =>
      catchUp({
        db: openDb(env.DB, usage).db,
        database: 'DB',
        control: openControl(env, usage).db,
        bucket: env.BUCKET,
        queue: bindings.ERASURE_QUEUE,
        secrets: env,
        setting: env,
        usage,
        clock: () => new Date(),
        minAge: 0
      })

    const spent = { ...newUsage(), queries: MAX_QUERIES }
    expect(await catchUpWith(spent)).toMatchObject({ applied: 0, isDone: false })
    expect((await project.call('GET', `persons/${ada.uuid}`)).status).toBe(503)
    expect(await catchUpWith(newUsage())).toMatchObject({ erased: 1, isDone: true })
    expect((await project.call('GET', `persons/${ada.uuid}`)).status).toBe(404)
  })

  it('erases many persons again in a few calls to the database', async () => {
    const town = await newTown()
    const names = Array.from({ length: 15 }, (_, n) => `late-${n}`)
    await town.project.ingest(names.map((distinct_id) => ({ distinct_id })))
    await town.cron(EVERY_MINUTE)
    const restore = await backUp(town.project.id)
    for (const name of names) {
      await town.call(town.project, 'POST', 'persons/bulk_delete', { distinct_ids: [name] })
    }
    await town.drain()
    await town.cron(EVERY_MINUTE)
    await restore()
    let calls = 0
    const DB = aroundCalls(env.DB, (run) => {
      calls += 1
      return run()
    })

    await town.cron(EVERY_MINUTE, Date.now(), { DB })

    const left = (await town.project.call('GET', 'persons/?search=late-')).body.count
    expect([left, await heldOf(town.project.id)]).toEqual([0, null])
    expect(await db.$count(sql`erasures`, sql`project_id = ${town.project.id}`)).toBe(15)
    expect(calls).toBeLessThan(45)
  })

  it('deletes recordings again that were deleted by a request or by the retention', async () => {
    const stage = await newStage()
    const { project, get, record } = stage
    const at = Date.now()
    for (const [session, start] of [
      ['session-kept', at],
      ['session-deleted', at + 1],
      ['session-old', at - 2 * DAY]
    ] as const) {
      await record(snapshotEvent(project, { session, snapshots: visit(start) }))
    }
    const { cron } = await newTown()
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id)
    await project.call('DELETE', 'session_recordings/session-deleted')
    await db.run(sql`update projects set recording_retention_days = 1 where id = ${project.id}`)
    await cron(EVERY_15_MINUTES, at, holdRecordings().bindings)
    await cron(EVERY_15_MINUTES, at, holdRecordings().bindings)
    await cron(EVERY_MINUTE)
    await restore()
    await db.run(sql`update projects set recording_retention_days = null where id = ${project.id}`)
    expect((await get()).count).toBe(3)

    await cron(EVERY_MINUTE)

    expect((await get()).results.map(({ id }: { id: string }) => id)).toEqual(['session-kept'])
    const kinds = (await readLedger()).map(({ body }) => body.kind)
    expect(kinds.filter((kind) => kind === 'retention')).toHaveLength(1)
    expect(JSON.stringify(await readLedger())).not.toMatch(/session-(kept|deleted|old)/)
  })

  it('enters a recording again that gets an earlier part while it is deleted', async () => {
    const { project, record, get } = await newStage()
    const at = Date.now()
    const addPart = (start: number) =>
      record(snapshotEvent(project, { session: 'growing', snapshots: visit(start) }))
    await addPart(at)
    let parts = 1
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      if (parts === 1 && statements.some(({ sql }) => sql.startsWith('update "recordings"'))) {
        parts += 1
        await addPart(at - 5_000)
      }
      return run()
    })

    const path = 'session_recordings/growing'
    const { status } = await project.send('DELETE', path, undefined, { DB })

    expect([status, parts]).toEqual([204, 2])
    const entries = (await readLedger()).map(({ body }) => body)
    expect(entries.filter(({ kind }) => kind === 'recording').map(({ from }) => from)).toEqual([
      at,
      at - 5_000
    ])
    expect((await get()).count).toBe(0)
  })

  it('deletes recordings again that were deleted with their person', async () => {
    const { project, ada, call, drain, cron } = await newTown()
    await holdRecordings().record(
      snapshotEvent(project, { session: 'adas', distinct_id: 'ada' }),
      snapshotEvent(project, { session: 'bobs', distinct_id: 'bob' })
    )
    const listSessions = async () => {
      const { body } = await project.call('GET', 'session_recordings')
      return body.results.map(({ id }: { id: string }) => id).toSorted()
    }
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id)
    await call(project, 'DELETE', `persons/${ada.id}?delete_recordings=true`)
    await drain()
    await cron(EVERY_MINUTE)
    await restore()
    expect(await listSessions()).toEqual(['adas', 'bobs'])

    await cron(EVERY_MINUTE)

    expect(await heldOf(project.id)).toBeNull()
    expect(await listSessions()).toEqual(['bobs'])
  })

  it('removes properties again, except for values written later', async () => {
    const town = await newTown()
    const { project, ada, call, cron } = town
    const path = `persons/${ada.id}`
    const properties = async () => (await call(project, 'GET', path)).body.properties
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id)
    await call(project, 'POST', `${path}/delete_property`, { $unset: 'email' })
    await call(project, 'POST', `${path}/delete_property`, { $unset: 'plan' })
    await call(project, 'POST', `${path}/delete_property`, { $unset: 'nothing' })
    await cron(EVERY_MINUTE)
    await restore()
    await call(project, 'PATCH', path, { properties: { plan: 'later' } })

    await cron(EVERY_MINUTE)

    expect(await properties()).toMatchObject({ name: 'Ada', plan: 'later' })
    expect(await properties()).not.toHaveProperty('email')
    const kinds = (await readLedger()).map(({ body }) => body.kind)
    expect(kinds.filter((kind) => kind === 'property')).toHaveLength(2)
    expect(JSON.stringify(await readLedger())).not.toMatch(/"(email|plan|nothing)"/)
  })
})

describe('a restored database whose events were removed by filters', () => {
  /**
   * Backs a town up, and then removes events, or properties of events.
   * @param wanted the filters, and the properties to remove, if any
   * @returns a function that restores the backup
   */
  async function backUpAndRemove({ project, cron, drain }: Town, wanted: JsonObject) {
    const send = (body: JsonObject) => project.send('POST', 'events/delete', body)
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id, WITH_EVENTS)
    const { body } = await send({ ...wanted, dry_run: true })
    await send({ ...wanted, token: body.token })
    await cron(WEEKLY, Date.now() + 1_000)
    await drain()
    await cron(EVERY_MINUTE)
    return restore
  }

  /** Creates a town, backs it up, and then removes the events of Bob. */
  async function newRemoved() {
    const town = await newTown()
    const { project } = town
    const restore = await backUpAndRemove(town, { distinct_id: 'bob' })
    const countBobs = async () =>
      (await town.call(project, 'GET', 'events?distinct_id=bob')).body.results?.length
    const list = async () => (await project.call('GET', 'events/deletions')).body.results
    return { ...town, restore, countBobs, list }
  }

  it('removes the events again before it answers, and says so in another receipt', async () => {
    const { project, restore, countBobs, list, cron, drain } = await newRemoved()
    expect(await countBobs()).toBe(0)
    const [before] = await list()
    await restore()
    expect([await countBobs(), (await list()).length]).toEqual([10, 0])

    await cron(EVERY_MINUTE)

    expect([await countBobs(), await heldOf(project.id)]).toEqual([0, null])
    await project.ingest(event('bob', 10))
    expect(await countBobs()).toBe(10)
    await cron(WEEKLY, Date.now() + 1_000)
    await drain()
    const [after] = await list()
    expect(after).toMatchObject({
      id: before.id,
      status: 'completed',
      created_at: before.created_at
    })
    expect(after.receipt).toMatchObject({ events_listed: 10, matching: null, filters: null })
    for (const { receipt } of [before, after]) {
      const { body } = await project.send('POST', 'persons/deletion_receipts/verify', receipt)
      expect(body.valid).toBe(true)
    }
    expect(JSON.stringify(await readLedger())).not.toMatch(/"bob"/)
  })

  it('removes properties of events again, and keeps the events', async () => {
    const town = await newTown()
    const { project, cron } = town
    const properties = { email: 'bob@example.com', plan: 'pro' }
    await project.ingest([{ event: 'signup', distinct_id: 'bob', timestamp: AT, properties }])
    const listProperties = async () => {
      const { body } = await project.call('GET', 'events?event=signup')
      return body.results.map((shown: { properties: JsonObject }) => shown.properties)
    }
    const restore = await backUpAndRemove(town, { events: ['signup'], properties: ['email'] })
    expect(await listProperties()).toEqual([{ plan: 'pro' }])
    await restore()
    expect(await listProperties()).toEqual([properties])

    await cron(EVERY_MINUTE)

    expect(await heldOf(project.id)).toBeNull()
    expect(await listProperties()).toEqual([{ plan: 'pro' }])
  })

  it.each<[string, (key: string) => Promise<unknown>]>([
    ['missing', (key) => env.BUCKET.delete(key)],
    ['forged', (key) => env.BUCKET.put(key, '[]')]
  ])('stays held back while the list of these events is %s', async (_, damage) => {
    listenToLog()
    const { project, restore, countBobs, cron } = await newRemoved()
    const { objects } = await env.BUCKET.list({ prefix: 'ledger/removals/' })
    const key = objects[0]?.key ?? ''
    const list = (await (await env.BUCKET.get(key))?.text()) ?? ''
    await restore()
    await damage(key)

    await cron(EVERY_MINUTE).catch(() => undefined)
    expect([await countBobs(), await heldOf(project.id)]).toEqual([undefined, 'replay'])

    await env.BUCKET.put(key, list)
    await cron(EVERY_MINUTE)
    expect([await countBobs(), await heldOf(project.id)]).toEqual([0, null])
  })

  it('answers without repeating a deletion that an operator has given up', async () => {
    listenToLog()
    const { project, restore, countBobs, list, cron } = await newRemoved()
    const { objects } = await env.BUCKET.list({ prefix: 'ledger/removals/' })
    await restore()
    await env.BUCKET.delete(objects[0]?.key ?? '')
    await cron(EVERY_MINUTE).catch(() => undefined)
    const [removal] = await listOpenRemovals(openDb(env.DB, newUsage()).db)

    await giveUpRemoval(db, removal as RemovalRow, 'Its list is missing.', Date.now())
    await cron(EVERY_MINUTE)

    expect([await countBobs(), await heldOf(project.id)]).toEqual([10, null])
    const [{ status, error, receipt }] = await list()
    expect([status, error, receipt]).toEqual(['failed', 'Its list is missing.', null])
  })

  it('shows the events to nobody once the restore is noticed, wherever the replay is cut', async () => {
    listenToLog()
    for (let call = 1; ; call += CALL_STEP) {
      const { project, restore, countBobs, cron } = await newRemoved()
      await restore()
      const cut = cutAt(env.DB, call, 'after')
      await cron(EVERY_MINUTE, Date.now(), { DB: cut.DB }).catch(() => undefined)
      const isNoticed = (await heldOf(project.id)) === 'replay'
      const shown = cut.isReached() && !isNoticed ? [10, 0] : [undefined, 0]
      expect(shown).toContain(await countBobs())
      await cron(EVERY_MINUTE)
      expect([await countBobs(), await heldOf(project.id)]).toEqual([0, null])
      if (!cut.isReached()) {
        return expect(call).toBeGreaterThan(10)
      }
    }
  })
})

describe('a database that was not restored', () => {
  it('carries out an erasure whose request failed after its entry, and answers meanwhile', async () => {
    const town = await newTown()
    const { project, ada, cron } = town
    const log = listenToLog()
    const entry: ErasureEntry = {
      kind: 'erasure',
      project: project.id,
      persons: [ada.uuid],
      ids: [],
      delete_events: false,
      delete_recordings: false,
      requested_at: Date.now(),
      user: project.user.id,
      key: 0
    }
    await new Ledger(env.BUCKET, GENESIS).append(entry, Date.now() - 5 * 60_000)
    expect(await statusOf(town)).toBe(200)
    expect((await request('GET', '/readyz')).body.ledger).toBe('behind')

    await cron(EVERY_MINUTE)

    expect(log.lines('scheduled job failed')).toEqual([])
    expect(await statusOf(town)).toBe(404)
    expect((await request('GET', '/readyz')).body.ledger).toBe('ok')
  })

  it('is ahead of a ledger that has lost its end: it answers, and the service is not ready', async () => {
    listenToLog()
    const town = await newErased()
    const last = (await readLedger()).at(-1)
    await (last && noteApplied(db, headOf(last)))
    await env.BUCKET.delete(keyOf(last?.link.seq ?? 0))

    await town.cron(EVERY_MINUTE)

    const { status: ready, body } = await request('GET', '/readyz')
    expect([ready, body.ledger]).toEqual([503, 'damaged'])
    expect(await statusOf(town)).toBe(404)
    expect((await town.call(town.project, 'GET', 'persons')).status).toBe(200)
  })
})

describe.each<[string, (projectId: number) => Promise<Partial<Env>>]>([
  [
    'a database that is being replayed',
    async (id) => {
      await db.run(sql`update projects set held = 'replay' where id = ${id}`)
      return {}
    }
  ],
  ['a deployed service in maintenance', async () => IN_MAINTENANCE],
  [
    'a local service in maintenance',
    async (id) => {
      await db.run(sql`update projects set held = 'maintenance' where id = ${id}`)
      return {}
    }
  ]
])('%s', (_, hold) => {
  it('answers 503 with Retry-After, and shows no shared recording', async () => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project, { session: 'shared' }))
    const path = 'session_recordings/shared/sharing'
    const { body: sharing } = await project.send('PATCH', path, { enabled: true })
    const shared = `/shared/${sharing.access_token}`
    expect((await request('GET', shared)).status).toBe(200)

    const more = await hold(project.id)
    const answers = [
      await project.send('GET', 'persons', undefined, more),
      await project.send('GET', 'events', undefined, more),
      await request('GET', shared, {}, undefined, more)
    ]

    for (const { status, body, headers } of answers) {
      expect([status, body.code, headers.get('Retry-After')]).toEqual([503, 'unavailable', '30'])
    }
  })

  it('accepts events and recordings, and stores them afterwards, once', async () => {
    const project = await newProject()
    const queues = holdQueues()
    const more = await hold(project.id)
    const event = { event: 'x', distinct_id: 'ada', properties: { token: project.token } }
    const captured = await request('POST', '/i/v0/e/', {}, JSON.stringify(event), {
      ...queues.bindings,
      ...more
    })
    await request('POST', '/s/', {}, JSON.stringify([snapshotEvent(project)]), {
      ...queues.bindings,
      ...more
    })

    expect(captured.status).toBe(200)
    // More deliveries than a failing message gets before it becomes a dead letter.
    for (let i = 0; i < 15; i++) {
      expect((await queues.consume(more, i + 1)).explicitAcks).toHaveLength(1)
      expect((await queues.record(more, i + 1)).explicitAcks).toHaveLength(1)
    }
    expect([queues.captured.length, queues.recorded.length, queues.dead]).toEqual([1, 1, []])
    expect(await db.$count(sql`events`, sql`project_id = ${project.id}`)).toBe(0)

    await db.run(sql`update projects set held = null`)
    await queues.consume()
    await queues.record()
    expect(await db.$count(sql`events`, sql`project_id = ${project.id}`)).toBe(1)
    expect((await project.call('GET', 'session_recordings')).body.count).toBe(1)
  })
})

it('a hold on one database does not affect the projects of another', async () => {
  const [one, two] = [await newProject(), await newProject({ database: 'DB_TWO' })]
  await db.run(sql`update projects set held = 'replay' where database = 'DB_TWO'`)

  expect((await one.call('GET', 'persons')).status).toBe(200)
  expect((await two.call('GET', 'persons')).status).toBe(503)
})
