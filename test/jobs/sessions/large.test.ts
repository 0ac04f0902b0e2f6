import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { byteLength } from '../../../src/input/json.ts'
import { isSpent } from '../../../src/queues/invocation.ts'
import { closeSessions } from '../../../src/sessions/upkeep/close.ts'
import { sessionRebuilder } from '../../../src/sessions/upkeep/rebuild.ts'
import { aroundCalls } from '../../support/faults.ts'
import { db, newProject, type TestEvent } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'
import { AT, sessionsOf } from '../../support/sessions.ts'

afterAll(untilQuiet)

/** The database with D1's limit of 2 MB per value, which the local D1 lacks. */
const DB = aroundCalls(env.DB, async (run) => {
  const answer = await run()
  const results = [answer].flat() as unknown as D1Result<Record<string, unknown>>[]
  for (const value of results.flatMap(({ results }) => results.flatMap(Object.values))) {
    if (typeof value === 'string' && byteLength(value) > 2_000_000) {
      throw new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
    }
  }
  return answer
})
const limited = openDb(DB, newUsage()).db

/**
 * Returns 300 events of these people in turn, in one session. The steps are made from four texts of 3,000 bytes per event:
 * 3.6 MB in all, which is 1.2 MB for each of three people. D1 allows 2 MB per value.
 */
const hostile = (people: string[]): TestEvent[] => {
  const text = '漢'.repeat(1_000)
  const ofSteps = { $current_url: text, $pathname: text, $screen_name: text, $event_type: text }
  const texts = { ...ofSteps, $referrer: text, utm_source: text }
  return Array.from({ length: 300 }, (_, i) => ({
    event: `step ${i}`,
    distinct_id: people[i % people.length] ?? 'ada',
    timestamp: AT + i,
    properties: { $session_id: 'hostile', ...texts }
  }))
}

it.each([
  ['one person', ['ada']],
  ['three people', ['ada', 'bob', 'cyd']]
])(
  'a recorded session of %s with more text than D1 allows in a value is closed with its first 200 steps',
  async (_, people) => {
    const project = await newProject()
    await project.ingest(hostile(people), AT)
    await project.ingest([{ timestamp: AT, properties: { $session_id: 'other' } }], AT)
    await holdRecordings().record(
      snapshotEvent(project, { session: 'hostile' }),
      snapshotEvent(project, { session: 'other' })
    )
    const { body } = await project.send(
      'GET',
      'session_recordings/hostile/analyze/similar',
      undefined,
      { DB }
    )
    const steps = Array.from({ length: 200 }, (_, i) => `step ${i}`)
    expect(body.steps).toEqual(steps)

    await closeSessions(limited, new Date(AT + HOUR))

    expect(
      await db.all(sql`
      select session_id, open_slot, steps from sessions where project_id = ${project.id} order by 1`)
    ).toEqual([
      { session_id: 'hostile', open_slot: null, steps: JSON.stringify(steps) },
      { session_id: 'other', open_slot: null, steps: '["$pageview"]' }
    ])
  }
)

it.each([
  ['one person', ['ada']],
  ['three people', ['ada', 'bob', 'cyd']]
])('a session of %s with more text than D1 allows in a value is rebuilt', async (_, people) => {
  const project = await newProject()
  await project.ingest(hostile(people), AT)
  const before = await sessionsOf(project.id)
  await db.run(
    sql`update sessions set is_stale = 1, events = 7, exit = null where project_id = ${project.id}`
  )

  expect(await sessionRebuilder({ db: limited, project })(25)).toEqual({ rows: 1, isLast: true })

  expect(await sessionsOf(project.id)).toEqual(before)
  expect(before).toMatchObject([{ events: 300, start_time: AT, end_time: AT + 299 }])
})

it('sessions of many people are closed in several transactions, as many as the queries of a run allow', async () => {
  // A session that another test has left open could need a transaction of its own.
  await closeSessions(limited, new Date(AT + HOUR))
  const project = await newProject()
  const events = Array.from({ length: 180 }, (_, i) => ({
    distinct_id: `p${i}`,
    timestamp: AT + i,
    properties: { $session_id: `s${i % 3}` }
  }))
  await project.ingest(events, AT)
  const sessions = ['s0', 's1', 's2']
  await holdRecordings().record(...sessions.map((session) => snapshotEvent(project, { session })))
  let transactions = 0
  const counting = aroundCalls(DB, (run, _, statements) => {
    // Sessions and their steps are read by single statements.
    transactions += statements.length > 1 ? 1 : 0
    return run()
  })

  const usage = newUsage()
  const close = (maxQueries?: number) =>
    closeSessions(openDb(counting, usage).db, new Date(AT + HOUR), () => isSpent(usage, maxQueries))

  expect([await close(1), transactions]).toEqual([1, 1])
  expect(await close()).toBe(2)

  expect(transactions).toBeGreaterThan(1)
  const steps = '["$pageview"]'
  expect(
    await db.all(sql`
      select session_id, open_slot, steps from sessions where project_id = ${project.id} order by 1`)
  ).toEqual(sessions.map((session_id) => ({ session_id, open_slot: null, steps })))
})
