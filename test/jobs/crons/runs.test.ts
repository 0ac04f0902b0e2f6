import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY, MINUTE } from '../../../src/calendar/units.ts'
import { cronRuns, deadLetters } from '../../../src/db/schema.ts'
import { CRONS, EVERY_15_MINUTES, EVERY_MINUTE, NIGHTLY, WEEKLY } from '../../../src/jobs/cron.ts'
import { JOBS } from '../../../src/jobs/jobs.ts'
import { inEachDatabase, type Job, MAX_JOB_QUERIES, once, runCron } from '../../../src/jobs/run.ts'
import { override } from '../../support/bindings.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, request } from '../../support/project.ts'
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

const runJobs = (jobs: Job[]) =>
  runCron({ ...NO_JOBS, [EVERY_MINUTE]: jobs }, createScheduledController({ cron: EVERY_MINUTE }), {
    env,
    clock: () => new Date()
  })

describe('the runs of crons', () => {
  it('are shown by /readyz, with the last run of each trigger', async () => {
    expect((await readyz()).crons).toEqual(
      CRONS.map((cron) => ({ cron, last_run: null, ms: null, failed_jobs: null, overdue: false }))
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

  it.each([
    [WEEKLY, 7 * DAY],
    [NIGHTLY, DAY],
    [EVERY_15_MINUTES, 15 * MINUTE],
    [EVERY_MINUTE, MINUTE]
  ])('are a warning if the next run is overdue: %s', async (cron, period) => {
    const latest = Date.now() - period - 15 * MINUTE
    const run = { cron, finishedAt: Date.now(), failedJobs: 0 }

    await db.insert(cronRuns).values({ ...run, startedAt: latest + MINUTE })
    expect(await runOf(cron)).toMatchObject({ overdue: false })
    expect((await readyz()).status).toBe('ok')

    await db.update(cronRuns).set({ startedAt: latest - 1 })
    expect(await runOf(cron)).toMatchObject({ overdue: true })
    expect((await readyz()).status).toBe('warning')
  })

  it('that never began are overdue after a period since the first migration', async () => {
    const [first] = await db.all<{ id: number; applied_at: string }>(
      sql`select id, applied_at from d1_migrations order by id limit 1`
    )
    const begin = (at: string) =>
      db.run(sql`update d1_migrations set applied_at = ${at} where id = ${first?.id}`)
    try {
      await begin(new Date(Date.now() - 2 * DAY).toISOString().slice(0, 19).replace('T', ' '))

      expect((await readyz()).crons).toMatchObject([
        { cron: WEEKLY, overdue: false },
        { cron: EVERY_15_MINUTES, overdue: true },
        { cron: NIGHTLY, overdue: true },
        { cron: EVERY_MINUTE, overdue: true }
      ])
    } finally {
      await begin(first?.applied_at ?? '')
    }
  })

  it('go on after a job that fails, and count each failure', async () => {
    const failing = once({ job: 'failing', queries: 1 }, () => Promise.reject(new Error('down')))
    // The list of databases is a query, too.
    const blind = inEachDatabase({ job: 'blind', queries: 0 }, () => Promise.resolve())
    const worked: number[] = []
    const working = once({ job: 'working', queries: 1 }, async () => void worked.push(1))

    await runJobs([failing, blind, failing, working])

    expect(worked).toEqual([1])
    expect(await runOf(EVERY_MINUTE)).toMatchObject({ failed_jobs: 3 })
  })

  it('go on after a job that makes more queries than it may', async () => {
    await newProject()
    let made = 0
    const greedy = inEachDatabase({ job: 'greedy', queries: 20 }, async ({ db: database }) => {
      for (;;) {
        await database.run(sql`select 1`)
        made += 1
      }
    })
    let found: unknown
    const modest = once({ job: 'modest', queries: 1 }, async (_, control) => {
      found = await control.all(sql`select 1 as one`)
    })

    const log = listenToLog()
    await runJobs([greedy, modest])

    expect(made).toBe(19)
    expect(log.lines('scheduled job failed')).toMatchObject([{ job: 'greedy', database: 'DB' }])
    expect(found).toEqual([{ one: 1 }])
    expect(await runOf(EVERY_MINUTE)).toMatchObject({ failed_jobs: 1 })
  })

  it('share the queries of an invocation', () => {
    for (const jobs of Object.values(JOBS)) {
      const queries = jobs.reduce((sum, job) => sum + job.queries, 0)
      expect(queries).toBeLessThanOrEqual(MAX_JOB_QUERIES)
    }
  })

  it('read what each of very many databases has applied, within some nights', async () => {
    const count = 100
    const projects = await Promise.all(Array.from({ length: count }, () => newProject()))
    const ids = JSON.stringify(projects.map(({ id }) => id))
    const move = (to: SQL) =>
      db.run(
        sql`update projects set database = ${to} where id in (select value from json_each(${ids}))`
      )
    const opened = new Set<string>()
    const bindings = projects.map(({ id }) => {
      const withSession = () => {
        opened.add(`DB_${id}`)
        return env.DB.withSession()
      }
      return [`DB_${id}`, override(env.DB, { withSession })]
    })
    const jobs = JOBS[NIGHTLY].filter(({ job }) => job === 'walk of the ledger')
    const walk = (night: number) =>
      runCron(
        { ...NO_JOBS, [NIGHTLY]: jobs },
        createScheduledController({ cron: NIGHTLY, scheduledTime: new Date(night * DAY) }),
        { env: { ...env, ...Object.fromEntries(bindings) }, clock: () => new Date() }
      )
    const log = listenToLog()
    await move(sql`'DB_' || id`)
    try {
      for (let night = 20_000; night < 20_003; night += 1) {
        await walk(night)
      }
    } finally {
      await move(sql`'DB'`)
    }

    expect(log.lines('scheduled job failed')).toEqual([])
    expect(opened.size).toBe(count)
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
