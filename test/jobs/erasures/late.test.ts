import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { insertDeadLetter } from '../../../src/dead-letters/store.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { newShop, OPENED, seal, VIEW } from '../../support/columns.ts'
import { countRows, holdErasures } from '../../support/erasures.ts'
import { beforeCall } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db, type TestEvent, type TestProject } from '../../support/project.ts'
import { event, newTown, status } from '../../support/town.ts'

/** Parks a message with these events. Returns the key of its object. */
async function park(project: TestProject, events: TestEvent[]): Promise<string> {
  const id = crypto.randomUUID()
  const object = `dead/${id}.json`
  const letter = { error: 'x', attempts: 1 }
  await env.BUCKET.put(object, JSON.stringify({ ...letter, dead: project.message(events) }))
  await insertDeadLetter(db, { ...letter, id, object, projectId: project.id, createdAt: 0 })
  return object
}

/** Lists the distinct ids of the events in a parked message. */
async function listParked(object: string): Promise<string[]> {
  const letter = await (await env.BUCKET.get(object))?.json<{
    dead: { events: { distinct_id: string }[] }
  }>()
  return letter?.dead.events.map(({ distinct_id }) => distinct_id) ?? []
}

describe('events that arrive after the deletion of their person', () => {
  it('are purged with the others if they were accepted before, and otherwise start a new person', async () => {
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

describe('events that arrive late', () => {
  it('are dropped and counted if the events of their person are kept or already purged', async () => {
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

  it('belong to the right one of several erasures of the same distinct id', async () => {
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

  it('are removed from parked messages', async () => {
    const town = await newTown()
    const { project, ada } = town
    const mixed = await park(project, [...event('ada', 2), ...event('bob', 1)])
    const own = await park(project, event('anon-ada', 1))
    await town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    await town.cron(WEEKLY, Date.now() + 1000)
    await town.drain()

    expect(await env.BUCKET.get(own)).toBeNull()
    expect(await listParked(mixed)).toEqual(['bob'])
    expect((await status(town)).results[0].receipt.stores).toContainEqual({
      store: 'dead_letters',
      found: 3,
      removed: 3,
      remaining: 0
    })
  })

  it('stay in parked messages if their person’s deletion keeps events, whoever else is deleted', async () => {
    const town = await newTown()
    const { project, ada } = town
    const parked = await park(project, [...event('ada', 2), ...event('bob', 1)])
    await town.call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['bob'] })
    await town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    await town.cron(WEEKLY, Date.now() + 1000)
    await town.drain()

    expect(await listParked(parked)).toEqual(['bob'])

    await town.call(project, 'POST', 'persons/complete_deletion', { distinct_ids: ['bob'] })
    await town.cron(WEEKLY, Date.now() + 1000)
    await town.drain()

    expect(await listParked(parked)).toEqual([])
    const [{ receipt }] = (await status(town)).results
    expect(receipt.stores).toContainEqual({
      store: 'dead_letters',
      found: 1,
      removed: 1,
      remaining: 0
    })
  })

  // The verification begins with call 12.
  it.each([12, 13, 14, 15])(
    'and are sealed before call %i of the work are purged without a failure',
    async (at) => {
      const project = await newShop()
      const town = { project, ...holdErasures() }
      const late = project.message([{ event: VIEW, distinct_id: 'person 3', timestamp: OPENED }])
      await town.call(project, 'POST', 'persons/bulk_delete', {
        distinct_ids: ['person 3'],
        delete_events: true
      })
      await town.drain()
      await town.cron(WEEKLY, Date.now() + 1000)
      const log = listenToLog()
      const { DB, isReached } = beforeCall(env.DB, at, async () => {
        await consume([late])
        await seal(project.id)
      })
      await town.drain({ DB })

      expect(isReached()).toBe(true)
      expect(log.lines('erasure failed')).toEqual([])
      const [task] = (await status(town)).results
      expect(task).toMatchObject({ status: 'completed', events: { removed: 301 } })
      log.stop()
    }
  )
})
