import { listDatabases } from '../access/store.ts'
import {
  type ControlDb,
  newUsage,
  openControl,
  openDb,
  type ProjectDb,
  type Usage
} from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import type { JobFailure } from '../db/schema.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { type Cron, cronOf } from './cron.ts'
import { type CronRun, saveRun } from './store.ts'

/** One run of a Cron Trigger. */
export type Run = {
  env: Env
  now: Date
  clock: () => Date
  /** When the run was due, ms UTC. */
  scheduledTime: number
}

/**
 * Queries that the jobs of a trigger may make together. D1 allows 1,000 per invocation; the rest is
 * for recording the run, and for queries that are tried again.
 */
export const MAX_JOB_QUERIES = 950

/** Share of a job's queries after which it begins nothing new, to finish what it has begun. */
const SHARE = 0.75

/** A job's name, and its queries. A job that makes more fails, and leaves the others theirs. */
type JobLimits = { job: string; queries: number }

/**
 * One kind of work. `run` logs its failures and returns them, at most one per database, and never
 * throws.
 */
export type Job = JobLimits & { run: (run: Run) => Promise<JobFailure[]> }

/** A database with projects' data. */
export type ProjectDatabase = {
  db: ProjectDb
  database: string
  /** The cost of `db` and `control`, and the share of the job's queries for this database. */
  usage: Usage
  control: ControlDb
  /** The number of databases with projects' data. */
  databases: number
}

/**
 * Makes a job that works once per run, not once per database. `control` is the control database;
 * `usage` is its cost, and that of the databases that the job opens.
 */
export const once = (
  limits: JobLimits,
  work: (run: Run, control: ControlDb, usage: Usage) => Promise<void>
): Job => ({
  ...limits,
  run: (run) =>
    attempt({ job: limits.job }, () => {
      const usage = newUsage({ share: limits.queries, maxQueries: limits.queries })
      return work(run, openControl(run.env, usage).db, usage)
    })
})

/**
 * Makes a job that works in every database. A failure in one database does not stop the others.
 * Each database gets an equal share of the queries that the databases before it have left.
 */
export const inEachDatabase = (
  limits: JobLimits,
  work: (target: ProjectDatabase, run: Run) => Promise<void>
): Job => ({
  ...limits,
  async run(run) {
    const { job, queries } = limits
    const databases: string[] = []
    let left = queries - 1
    const failures = await attempt({ job }, async () => {
      const usage = newUsage({ share: queries, maxQueries: queries })
      databases.push(...(await listDatabases(openControl(run.env, usage).db)))
    })
    for (const [i, database] of databases.entries()) {
      const share = Math.floor((SHARE * left) / (databases.length - i))
      const usage = newUsage({ share, maxQueries: left })
      const failed = await attempt({ job, database }, () => {
        const { db } = openDb(databaseOf(run.env, database), usage)
        const control = openControl(run.env, usage).db
        return work({ db, database, usage, control, databases: databases.length }, run)
      })
      failures.push(...failed)
      left -= usage.queries
    }
    return failures
  }
})

/**
 * Does the work of a job, in a database if it works in each, and logs the error if it fails.
 * @returns the failure, if any
 */
async function attempt(
  { job, ...place }: { job: string; database?: string },
  work: () => Promise<void>
): Promise<JobFailure[]> {
  try {
    await work()
    return []
  } catch (error) {
    const failure = { ...place, error: describeError(error) }
    log('error', 'scheduled job failed', { job, ...failure })
    return [failure]
  }
}

/**
 * Runs the jobs of the trigger that fired, in order, and records the run for `/readyz`.
 * @param jobs the jobs of each Cron Trigger
 */
export async function runCron(
  jobs: Record<Cron, Job[]>,
  { cron: expression, scheduledTime }: ScheduledController,
  { env, clock }: { env: Env; clock: () => Date }
): Promise<void> {
  const cron = cronOf(expression)
  if (!cron) {
    log('error', 'unknown cron expression', { cron: expression })
    return
  }
  const now = clock()
  const done: CronRun['jobs'] = []
  for (const { job, run } of jobs[cron]) {
    done.push({ job, failures: await run({ env, now, clock, scheduledTime }) })
  }
  await record(env, {
    cron,
    startedAt: now.getTime(),
    finishedAt: clock().getTime(),
    failedJobs: done.flatMap(({ failures }) => failures).length,
    jobs: done
  })
}

async function record(env: Env, run: CronRun): Promise<void> {
  try {
    await saveRun(openControl(env, newUsage()).db, run)
  } catch (error) {
    log('error', 'could not record the cron run', { cron: run.cron, error: describeError(error) })
  }
}
