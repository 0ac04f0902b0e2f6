import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { EVERY_15_MINUTES, WEEKLY } from '../../../src/jobs/cron.ts'
import { closeSessions } from '../../../src/sessions/upkeep/close.ts'
import { sessionRebuilder } from '../../../src/sessions/upkeep/rebuild.ts'
import { holdErasures, tablesWith } from '../../support/erasures.ts'
import { aroundCalls } from '../../support/faults.ts'
import { db, newProject, type TestEvent } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { AT, sessionsOf } from '../../support/sessions.ts'

afterAll(untilQuiet)

describe('erasing a person', () => {
  const page = (who: string, session: string, path: string, second: number): TestEvent => ({
    distinct_id: who,
    timestamp: AT + second * 1000,
    properties: { $session_id: session, $current_url: `https://${who}.example/${path}` }
  })
  const counted = (id: number) =>
    db.all(
      sql`select key, value, count from session_values where project_id = ${id} order by key, value`
    )

  it('rebuilds a shared session from the events of the other persons, and removes the sessions that only the erased person had', async () => {
    const project = await newProject()
    const { call, cron, drain } = holdErasures()
    const bobs = [
      page('bob', 'shared', 'middle', 20),
      page('bob', 'shared', 'late', 30),
      page('bob', 'his', 'own', 0)
    ]
    const adas = [
      page('ada-secret', 'shared', 'first', 0),
      page('ada-secret', 'shared', 'last', 50),
      ...Array.from({ length: 30 }, (_, i) => page('ada-secret', `hers ${i}`, 'page', i))
    ]
    await project.ingest([...bobs, ...adas], AT)
    await closeSessions(db, new Date(AT + HOUR))
    const other = await newProject()
    await other.ingest([...bobs, ...adas], AT)

    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['ada-secret'],
      delete_events: true
    })
    await drain()
    expect(await sessionsOf(project.id)).toHaveLength(32)
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    const withoutAda = await newProject()
    await withoutAda.ingest(bobs, AT)
    expect(await sessionsOf(project.id)).toEqual(await sessionsOf(withoutAda.id))
    expect((await sessionsOf(project.id)).map(({ session_id }) => session_id)).toEqual([
      'his',
      'shared'
    ])
    // The shared session was rebuilt and is open again: its values are counted when it is closed below.
    expect(await counted(project.id)).toEqual(
      expect.arrayContaining([{ key: '$entry_pathname', value: '/own', count: 1 }])
    )
    await closeSessions(db, new Date(AT + 2 * HOUR))
    expect(await counted(project.id)).toEqual(await counted(withoutAda.id))
    expect(await sessionsOf(other.id)).toHaveLength(32)

    const { body } = await call(project, 'GET', 'persons/deletion_status')
    expect(body.results[0].status).toBe('completed')
    expect(body.results[0].receipt.stores).toContainEqual({
      store: 'sessions',
      found: 31,
      removed: 31,
      remaining: 0
    })
  })

  it('leaves neither the distinct id nor the URL of the person in any table', async () => {
    const project = await newProject()
    const { call, cron, drain } = holdErasures()
    const secret = `secret${crypto.randomUUID()}`
    await project.ingest(
      [page(secret, 'shared', 'first', 0), page('bob', 'shared', 'middle', 20)],
      AT
    )
    await cron(EVERY_15_MINUTES)
    expect(await tablesWith(secret)).toEqual(
      expect.arrayContaining(['events', 'session_values', 'sessions'])
    )

    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: [secret],
      delete_events: true
    })
    await drain()
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await tablesWith(secret)).toEqual([])
  })

  it('rebuilds a session with more events than one statement reads', async () => {
    const project = await newProject()
    const { call, cron, drain } = holdErasures()
    // A statement reads 500 events of an identity: this takes three.
    const bobs = Array.from({ length: 1_203 }, (_, i) =>
      page('bob', 's', `page ${i}`, Math.floor(i / 7))
    )
    await project.ingest([page('ada', 's', 'first', -1), ...bobs.slice(0, 600)], AT)
    await project.ingest(bobs.slice(600), AT)
    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['ada'],
      delete_events: true
    })
    await drain()
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await sessionsOf(project.id)).toMatchObject([
      {
        events: 1_203,
        pageviews: 1_203,
        start_time: AT,
        identities: ['bob'],
        exit: { $end_hostname: 'bob.example' }
      }
    ])
  })

  it('rebuilds sessions in one round trip for each piece, and one more, and again after a change in between', async () => {
    const project = await newProject()
    const sessions = Array.from({ length: 25 }, (_, i) => `session ${i}`)
    const eventsOf = (second: number) =>
      sessions.map((session) => page('bob', session, `page ${second}`, second))
    await project.ingest([...eventsOf(0), ...eventsOf(1)], AT)
    const markStale = () =>
      db.run(sql`update sessions set is_stale = 1, events = 7 where project_id = ${project.id}`)
    const before = await sessionsOf(project.id)
    /** Rebuilds all sessions, ten at a time, and runs `work` just before a call. */
    const rebuild = async (call: number, work: () => Promise<unknown>) => {
      let calls = 0
      const DB = aroundCalls(env.DB, async (run, at) => {
        calls = at
        if (at === call) {
          await work()
        }
        return run()
      })
      await markStale()
      const rebuildSome = sessionRebuilder({ db: openDb(DB, newUsage()).db, project })
      const rows = []
      for (let isLast = false; !isLast; ) {
        const piece = await rebuildSome(10)
        rows.push(piece.rows)
        isLast = piece.isLast
      }
      return { calls, rows }
    }

    expect(await rebuild(0, async () => {})).toEqual({ calls: 4, rows: [10, 10, 5] })
    expect(await sessionsOf(project.id)).toEqual(before)

    // Before the second piece is written, its sessions get another event.
    const changed = await rebuild(3, () => project.ingest(eventsOf(2), AT))

    expect(changed).toEqual({ calls: 6, rows: [10, 10, 5] })
    const whole = await newProject()
    await whole.ingest([...eventsOf(0), ...eventsOf(1), ...eventsOf(2)], AT)
    expect(await sessionsOf(project.id)).toEqual(await sessionsOf(whole.id))
  })
})
