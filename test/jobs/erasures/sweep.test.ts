import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EVERY_15_MINUTES, WEEKLY } from '../../../src/jobs/cron.ts'
import { countRows } from '../../support/erasures.ts'
import { aroundCalls } from '../../support/faults.ts'
import { db } from '../../support/project.ts'
import { newTown, status, type Town } from '../../support/town.ts'

describe('the sweep', () => {
  afterEach(() => {
    vi.useRealTimers()
  })
  const setTime = (to: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(to) })
  const countHeld = (town: Town) =>
    town.held.filter(({ project_id }) => project_id === town.project.id).length

  const statuses = async (town: Town): Promise<string[]> =>
    (await status(town)).results.map((erasure: { status: string }) => erasure.status)

  it('makes up for a Sunday without a run, once, and never starts one at another time', async () => {
    setTime('2027-03-03T12:00:00Z')
    const town = await newTown()
    await town.cron(EVERY_15_MINUTES, Date.now())
    await town.drain()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
    for (const time of ['2027-03-03T12:15:00Z', '2027-03-06T23:45:00Z', '2027-03-07T04:45:00Z']) {
      setTime(time)
      await town.cron(EVERY_15_MINUTES, Date.now())
      expect(countHeld(town)).toBe(0)
    }
    setTime('2027-03-07T05:15:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    await town.cron(EVERY_15_MINUTES, Date.now())
    expect(countHeld(town)).toBe(1)
    await town.drain()

    expect((await status(town)).results[0]).toMatchObject({
      status: 'completed',
      scheduled_for: '2027-03-07T05:00:00Z'
    })
    const runs = await db.all<{ startedBy: string }>(sql`
      select started_by as startedBy from deletion_runs where scheduled_for = ${Date.parse('2027-03-07T05:00:00Z')} and finished_at is not null`)
    expect(runs).toEqual([{ startedBy: 'sweep' }])
  })

  it('leaves the run to a cron that fires in time', async () => {
    setTime('2027-03-14T05:00:00Z')
    const town = await newTown()
    await town.cron(WEEKLY, Date.now())
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
    setTime('2027-03-14T05:15:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())

    expect(countHeld(town)).toBe(0)
    expect((await status(town)).results[0]).toMatchObject({
      status: 'queued',
      scheduled_for: '2027-03-21T05:00:00Z'
    })
  })

  it('resends lost messages after a quarter of an hour without progress', async () => {
    setTime('2027-04-04T05:00:00Z')
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    town.held.length = 0
    setTime('2027-04-04T05:10:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    expect(countHeld(town)).toBe(0)
    setTime('2027-04-04T05:16:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    expect(countHeld(town)).toBe(1)
    await town.drain()
    expect(await countRows(town.project.id)).toMatchObject({ versions: 1, events: 32 })

    setTime('2027-04-11T05:00:00Z')
    await town.cron(WEEKLY, Date.now())
    town.held.length = 0
    setTime('2027-04-11T05:20:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    await town.drain()
    expect((await status(town)).results[0].status).toBe('completed')
  })

  it('keeps trying to purge a deletion’s data long after the queue has given up', async () => {
    setTime('2027-04-18T12:00:00Z')
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}`)
    let failures = 0
    const failing = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements.length === 2) {
        failures += 1
        throw new Error('D1_ERROR: too many cooks: SQLITE_ERROR')
      }
      return run()
    })
    // Delivers each further message, until the last attempt sends none.
    await town.drain({ DB: failing })
    const attempts = failures
    expect(attempts).toBeGreaterThan(1)
    setTime('2027-04-18T12:30:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    await town.drain({ DB: failing })
    expect(failures).toBeGreaterThan(attempts)
    expect(await countRows(town.project.id)).toMatchObject({ persons: 1, versions: 4 })
    setTime('2027-04-19T12:30:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    await town.drain()

    expect(await countRows(town.project.id)).toMatchObject({ persons: 1, versions: 1 })
  })

  it.each([
    ['queued', '2027-05-01', '2027-05-02'],
    ['failed', '2027-05-08', '2027-05-09']
  ])(
    'resumes a run that was interrupted while it queued its tasks: %s',
    async (before, saturday, sunday) => {
      setTime(`${saturday}T12:00:00Z`)
      const town = await newTown()
      await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
      await town.drain()
      await db.run(
        sql`update erasures set status = ${before}, run = ${before === 'failed' ? 1 : null}
          where project_id = ${town.project.id}`
      )
      setTime(`${sunday}T05:00:00Z`)
      const DB = aroundCalls(env.DB, async (run, at) => {
        if (at === 3) {
          throw new Error('D1_ERROR: Network connection lost.')
        }
        return run()
      })
      await town.cron(WEEKLY, Date.now(), { DB })
      expect((await status(town)).results[0].status).toBe(before)
      setTime(`${sunday}T05:15:00Z`)
      await town.cron(EVERY_15_MINUTES, Date.now())
      await town.drain()

      expect((await status(town)).results[0].status).toBe('completed')
    }
  )

  it('resumes a run that was interrupted before it took its tasks, although another erasure ended meanwhile', async () => {
    setTime('2027-05-15T12:00:00Z')
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
    await town.call(town.project, 'POST', 'persons/bulk_delete', { distinct_ids: ['bob'] })
    setTime('2027-05-16T05:00:00Z')
    const DB = aroundCalls(env.DB, async (run, at) => {
      if (at === 3) {
        await town.drain()
        throw new Error('D1_ERROR: Network connection lost.')
      }
      return run()
    })
    await town.cron(WEEKLY, Date.now(), { DB })
    const between = await statuses(town)
    setTime('2027-05-16T05:15:00Z')
    await town.cron(EVERY_15_MINUTES, Date.now())
    await town.drain()

    expect(between).toEqual(['completed', 'queued'])
    expect(await statuses(town)).toEqual(['completed', 'completed'])
  })
})
