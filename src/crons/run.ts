import { type Db, newUsage, openDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { listDatabases } from '../projects/store.ts'
import { type Cron, cronOf } from './cron.ts'
import { saveRun } from './store.ts'

/** One run of a Cron Trigger. */
export type Run = {
  env: Env
  /** When the run began. */
  now: Date
  clock: () => Date
  /** When the run was due, ms UTC. */
  scheduledTime: number
}

/** One kind of work. Logs its failures and returns their number, at most one per database. */
export type Job = (run: Run) => Promise<number>

/** A database with projects' data: `database` is its binding's name, `databases` the number of all such databases. */
export type ProjectDatabase = { db: Db; database: string; usage: Usage; databases: number }

/** Makes a job that works once per run, not once per database. */
export const once =
  (job: string, work: (run: Run) => Promise<void>): Job =>
  (run) =>
    attempt({ job }, () => work(run))

/**
 * Makes a job that works in every database. A failure in one database does not stop the others. If
 * the databases cannot be listed, the job throws, which skips the trigger's later jobs.
 */
export const inEachDatabase =
  (job: string, work: (target: ProjectDatabase, run: Run) => Promise<void>): Job =>
  async (run) => {
    const databases = await listDatabases(openDb(run.env.DB, newUsage()).db)
    let failures = 0
    for (const database of databases) {
      failures += await attempt({ job, database }, () => {
        const usage = newUsage()
        const { db } = openDb(databaseOf(run.env, database), usage)
        return work({ db, database, usage, databases: databases.length }, run)
      })
    }
    return failures
  }

/** Does the work, and logs the error if it fails. @returns the number of failures, 0 or 1 */
async function attempt(name: Record<string, string>, work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    log('error', 'scheduled job failed', { ...name, error: describeError(error) })
    return 1
  }
}

/**
 * Runs the jobs of the trigger that fired, in order, and records the run for `/readyz`. A job that throws ends the run.
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
  let failedJobs = 0
  try {
    for (const job of jobs[cron]) {
      failedJobs += await job({ env, now, clock, scheduledTime })
    }
  } catch (error) {
    failedJobs += 1
    throw error
  } finally {
    await record(env, {
      cron,
      startedAt: now.getTime(),
      finishedAt: clock().getTime(),
      failedJobs
    })
  }
}

async function record(env: Env, run: Parameters<typeof saveRun>[1]): Promise<void> {
  try {
    await saveRun(openDb(env.DB, newUsage()).db, run)
  } catch (error) {
    log('error', 'could not record the cron run', { cron: run.cron, error: describeError(error) })
  }
}
