import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { findSteps, listKinds, SLOT, uncountEvents } from '../../../src/columns/slots/store.ts'
import { verifyCounts } from '../../../src/columns/slots/verify.ts'
import { writeBatch } from '../../../src/db/batch.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject } from '../../support/project.ts'
import worker from '../../support/worker.ts'

const AT = Date.UTC(2026, 10, 1, 12)

const times = [AT, AT + 1, AT + SLOT - 1, AT + SLOT, AT - 1, -1, -SLOT, 0]
const events = times.map((timestamp) => ({ timestamp }))

const counted = (id: number) =>
  db.all(
    sql`select slot, count from event_counts where project_id = ${id} and count <> 0 order by slot`
  )

it('events are counted by quarter of an hour, even before 1970', async () => {
  const project = await newProject()

  await project.ingest(events)

  expect(await counted(project.id)).toEqual([
    { slot: -1, count: 2 },
    { slot: 0, count: 1 },
    { slot: AT / SLOT - 1, count: 1 },
    { slot: AT / SLOT, count: 3 },
    { slot: AT / SLOT + 1, count: 1 }
  ])
  expect((await verifyCounts(db)).wrong).toBe(0)
})

it('an event is counted once, however often it arrives', async () => {
  const project = await newProject()
  const uuid = crypto.randomUUID()

  await project.ingest([{ uuid, timestamp: AT }])
  await project.ingest([
    { uuid, timestamp: AT },
    { uuid, timestamp: AT + SLOT }
  ])

  expect(await counted(project.id)).toEqual([{ slot: AT / SLOT, count: 1 }])
})

it('deleted events are no longer counted', async () => {
  const project = await newProject()
  await project.ingest(events)
  const chunk = sql`from events where project_id = ${project.id} and timestamp <= ${AT}`

  await writeBatch(db, [
    uncountEvents(project.id, sql`select event_id, timestamp ${chunk}`),
    sql`delete ${chunk}`
  ])

  expect(await counted(project.id)).toEqual([
    { slot: AT / SLOT, count: 2 },
    { slot: AT / SLOT + 1, count: 1 }
  ])
  expect((await verifyCounts(db)).wrong).toBe(0)
})

it('with few queries, some names are verified, and other names the next time', async () => {
  const project = await newProject()
  await project.ingest(['a', 'b', 'c'].map((event) => ({ event, timestamp: AT })))
  const all = await verifyCounts(db)
  expect(all.kinds).toBeGreaterThanOrEqual(3)

  const queries = 4
  const usage = newUsage()
  const some = await verifyCounts(openDb(env.DB, usage).db, queries)
  expect(some.kinds).toBe(1)
  expect(usage.queries).toBeLessThanOrEqual(queries)

  await db.run(sql`update event_counts set count = 5 where project_id = ${project.id}`)
  const found = new Set<number>()
  while (found.size < 3) {
    const { first } = await verifyCounts(db, queries)
    for (const { event_id } of first) {
      found.add(event_id)
    }
  }
  await db.run(sql`update event_counts set count = 1 where project_id = ${project.id}`)
})

it('a name whose steps do not all fit into the queries does not count as verified', async () => {
  const project = await newProject()
  await project.ingest([AT, AT + SLOT].map((timestamp) => ({ timestamp })))
  await db.run(sql`update event_counts set count = 100000 where project_id = ${project.id}`)

  // The queries list the names, find the steps of one name, and compare its first step.
  let some = await verifyCounts(db, 3)
  while (some.wrong === 0) {
    some = await verifyCounts(db, 3)
  }

  expect([some.kinds, some.wrong]).toEqual([0, 1])
  await db.run(sql`update event_counts set count = 1 where project_id = ${project.id}`)
})

it('a name with more events than fit into a step is compared in steps', async () => {
  const project = await newProject()
  await project.ingest([AT, AT + SLOT, AT + 2 * SLOT].map((timestamp) => ({ timestamp })))
  const [kind] = (await listKinds(db)).filter(({ project_id }) => project_id === project.id)

  const slot = AT / SLOT
  expect(await findSteps(db, kind ?? { project_id: 0, event_id: 0 }, 2)).toEqual([slot, slot + 2])
  expect(await findSteps(db, { project_id: project.id, event_id: 0 }, 2)).toEqual([])
})

it('counts are verified every night, and a wrong count is an error in the log', async () => {
  const project = await newProject()
  await project.ingest(events)
  const verify = async () => {
    const log = listenToLog()
    const controller = createScheduledController({
      cron: NIGHTLY,
      scheduledTime: new Date(AT)
    })
    await worker.scheduled(controller, env)
    return log
      .lines('nightly verification')
      .filter(({ database }) => database === 'DB')
      .slice(-1)
  }

  expect(await verify()).toMatchObject([{ level: 'info', wrong: 0 }])
  await db.run(
    sql`update event_counts set count = count + 1 where project_id = ${project.id} and slot = 0`
  )
  await db.run(sql`delete from event_counts where project_id = ${project.id} and slot = -1`)

  expect(await verify()).toMatchObject([
    { level: 'error', wrong: 2, first: { project_id: project.id, slot: -1, counted: 0, stored: 2 } }
  ])
  await db.run(sql`delete from events where project_id = ${project.id}`)
  await db.run(sql`delete from event_counts where project_id = ${project.id}`)
})
