import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { CRONS, EVERY_15_MINUTES, EVERY_MINUTE, NIGHTLY, WEEKLY } from '../../../src/crons/cron.ts'
import { type Job, once, runCron } from '../../../src/crons/run.ts'
import { cronRuns, deadLetters } from '../../../src/db/schema.ts'
import { listenToLog } from '../../support/log.ts'
import { invoke } from '../../support/platform.ts'
import { db, request } from '../../support/project.ts'
import worker from '../../support/worker.ts'

const NO_JOBS = { [WEEKLY]: [], [NIGHTLY]: [], [EVERY_15_MINUTES]: [], [EVERY_MINUTE]: [] }

beforeEach(async () => {
  await db.delete(cronRuns)
})

const readyz = async () => (await request('GET', '/readyz')).body

const runOf = async (cron: string) =>
  (await readyz()).crons.find((one: { cron: string }) => one.cron === cron)

const fire = (cron: string, bindings: Partial<Env> = {}) =>
  worker.scheduled(createScheduledController({ cron, scheduledTime: new Date() }), {
    ...env,
    ...bindings
  })

describe('the runs of crons', () => {
  it('are shown by /readyz, with the last run of each trigger', async () => {
    expect((await readyz()).crons).toEqual(
      CRONS.map((cron) => ({ cron, last_run: null, ms: null, failed_jobs: null }))
    )
    const before = Date.now()

    await fire(EVERY_MINUTE)
    // The platform may spell the expression like this.
    await fire('0 5 * * 1')

    for (const cron of [EVERY_MINUTE, WEEKLY]) {
      const { last_run, ms, failed_jobs } = await runOf(cron)
      expect(Date.parse(last_run)).toBeGreaterThanOrEqual(before)
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(failed_jobs).toBe(0)
    }
    expect(await runOf(EVERY_15_MINUTES)).toMatchObject({ last_run: null })
  })

  it('are a warning as long as the last run has failed', async () => {
    const log = listenToLog()
    const BUCKET = { list: () => Promise.reject(new Error('down')) } as unknown as R2Bucket

    await fire(EVERY_15_MINUTES, { BUCKET })

    const failed = log.lines('scheduled job failed').length
    expect(failed).toBeGreaterThan(1)
    expect(await runOf(EVERY_15_MINUTES)).toMatchObject({ failed_jobs: failed })
    expect((await readyz()).status).toBe('warning')

    await fire(EVERY_15_MINUTES)

    expect(await runOf(EVERY_15_MINUTES)).toMatchObject({ failed_jobs: 0 })
    expect((await readyz()).status).toBe('ok')
  })

  it('that a job ends by throwing count the failures before it, too', async () => {
    const failing = once('a job', () => Promise.reject(new Error('down')))
    const throwing: Job = () => Promise.reject(new Error('no databases'))
    const jobs = { ...NO_JOBS, [EVERY_MINUTE]: [failing, failing, throwing, failing] }
    const controller = createScheduledController({ cron: EVERY_MINUTE })

    const run = invoke(env, (limited) =>
      runCron(jobs, controller, { env: limited, clock: () => new Date() })
    )

    await expect(run).rejects.toThrow('no databases')
    expect(await runOf(EVERY_MINUTE)).toMatchObject({ failed_jobs: 3 })
  })

  it('of unknown triggers are not recorded', async () => {
    const log = listenToLog()

    await fire('1 2 3 4 5')

    expect(log.lines('unknown cron expression')).toHaveLength(1)
    expect((await readyz()).crons).toHaveLength(CRONS.length)
  })
})

describe('dead letters', () => {
  it('are counted by /readyz, and are a warning until they are redriven', async () => {
    const letter = { object: 'dead/x', error: 'x', attempts: 1, createdAt: 1 }
    await db.insert(deadLetters).values([
      { ...letter, id: 'one' },
      { ...letter, id: 'two', redrivenAt: 2 }
    ])

    expect(await readyz()).toMatchObject({ status: 'warning', dead_letters: 1 })

    await db.update(deadLetters).set({ redrivenAt: 2 })

    expect(await readyz()).toMatchObject({ status: 'ok', dead_letters: 0 })
  })
})
