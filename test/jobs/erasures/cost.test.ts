import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { reserveNumbers } from '../../../src/db/sequences.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { recount } from '../../support/columns.ts'
import { countRows, holdErasures } from '../../support/erasures.ts'
import { aroundCalls } from '../../support/faults.ts'
import { measureRows } from '../../support/log.ts'
import { db, newProject } from '../../support/project.ts'
import { AT } from '../../support/town.ts'

describe('the cost of an erasure', () => {
  /** Creates a project of 50 persons with 10 events each, and this many other persons. */
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

  it.each([0, 950])(
    'is in proportion to the erased data, with %i other persons',
    async (others) => {
      const { project, names, call, cron, drain } = await newCity(others)
      await cron(WEEKLY)
      await drain()
      await call(project, 'GET', 'persons?limit=1')
      const body = { distinct_ids: names, delete_events: true }

      const deletion = await measureRows(() => call(project, 'POST', 'persons/bulk_delete', body))
      const clearing = await measureRows(drain)
      await cron(WEEKLY, Date.now() + 1000)
      const purging = await measureRows(drain)

      expect(await countRows(project.id)).toMatchObject({ persons: others, events: others })
      expect(deletion.written).toBeLessThanOrEqual(50 * 15)
      expect(deletion.read).toBeLessThanOrEqual(50 * 42)
      expect(clearing.written).toBeLessThanOrEqual(50 * 4)
      expect(clearing.read).toBeLessThanOrEqual(50 * 30)
      expect(purging.written).toBeLessThanOrEqual(50 * 17)
      expect(purging.read).toBeLessThanOrEqual(50 * 164)
    }
  )

  /** Erases these persons, each with a session of one event. @returns the calls to the database in the weekly run */
  async function countCalls(names: string[]) {
    const project = await newProject()
    const { call, cron, drain } = holdErasures()
    await project.ingest(
      names.map((distinct_id) => ({
        distinct_id,
        timestamp: AT,
        properties: { $session_id: `session of ${distinct_id}` }
      }))
    )
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: names, delete_events: true })
    await drain()
    await cron(WEEKLY, Date.now() + 1000)
    let calls = 0
    const DB = aroundCalls(env.DB, (run) => {
      calls += 1
      return run()
    })
    await drain({ DB })
    const { body } = await call(project, 'GET', 'persons/deletion_status?status=completed')
    expect(body.count).toBe(names.length)
    expect(await countRows(project.id)).toMatchObject({ persons: 0, events: 0 })
    return calls
  }

  it.each([
    ['one event', 1],
    ['an event of every sixth', 3_000]
  ])('of a person with 18,000 distinct ids and %s ends', async (_, events) => {
    const project = await newProject()
    const { call, cron, drain } = holdErasures()
    await project.ingest([{ distinct_id: 'ada', timestamp: AT }])
    const { identity: first } = await reserveNumbers(db, { identity: 18_000 })
    const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, n) => n))
    await db.run(sql`
      insert into distinct_ids (project_id, distinct_id, person_id, key)
      select project_id, 'alias ' || value, person_id, ${first} + value
      from distinct_ids, json_each(${numbers(18_000)}) where project_id = ${project.id}`)
    await db.run(sql`
      insert into events (project_id, event_id, timestamp, uuid, identity, version, properties)
      select project_id, event_id, timestamp + value, randomblob(16), ${first} + value * 6, version, properties
      from events, json_each(${numbers(events - 1)}) where project_id = ${project.id}`)
    await recount(project.id)

    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['ada'],
      delete_events: true
    })
    await drain()
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    const { body } = await call(project, 'GET', 'persons/deletion_status?status=completed')
    expect(body.results).toMatchObject([
      { events: { found: events, removed: events, remaining: 0 } }
    ])
    expect(await countRows(project.id)).toMatchObject({ persons: 0, events: 0, distinct_ids: 0 })
  })

  it('takes ten round trips for a person with few events', async () => {
    const one = await countCalls(['ada'])
    const five = await countCalls(['ada', 'bob', 'cyd', 'dan', 'eve'])

    expect((five - one) / 4).toBeLessThanOrEqual(10)
  })
})
