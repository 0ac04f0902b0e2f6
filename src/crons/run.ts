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
  /** When it began. */
  now: Date
  /** When it was due, ms UTC. */
  scheduledTime: number
}

/** Does one kind of work in a run, and returns in how many places it failed: failures are logged. */
export type Job = (run: Run) => Promise<number>

/** One of the databases that hold projects' data. */
export type Place = { db: Db; database: string; usage: Usage }

/** Makes a job that does its work once. */
export const once =
  (job: string, work: (run: Run) => Promise<void>): Job =>
  (run) =>
    attempt({ job }, () => work(run))

/** Makes a job that does its work in every database. A failure in one database does not stop the others. */
export const inEachDatabase =
  (job: string, work: (place: Place, run: Run) => Promise<void>): Job =>
  async (run) => {
    const databases = await listDatabases(openDb(run.env.DB, newUsage()).db)
    let failed = 0
    for (const database of databases) {
      failed += await attempt({ job, database }, () => {
        const usage = newUsage()
        const { db } = openDb(databaseOf(run.env, database), usage)
        return work({ db, database, usage }, run)
      })
    }
    return failed
  }

/** @returns 1 when the work failed */
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
 * Does the jobs of the Cron Trigger that fired, one after the other, and notes the run for `/readyz`.
 * @param jobs of each trigger
 */
export async function runCron(
  jobs: Record<Cron, Job[]>,
  { cron: expression, scheduledTime }: ScheduledController,
  { env, clock }: { env: Env; clock: () => Date }
): Promise<void> {
  const cron = cronOf(expression)
  if (!cron) {
    log('error', 'no job for this cron', { cron: expression })
    return
  }
  const now = clock()
  let failed: number | undefined
  try {
    failed = await runJobs(jobs[cron], { env, now, scheduledTime })
  } finally {
    await note(env, {
      cron,
      startedAt: now.getTime(),
      finishedAt: clock().getTime(),
      failedJobs: failed ?? 1
    })
  }
}

async function runJobs(jobs: Job[], run: Run): Promise<number> {
  let failed = 0
  for (const job of jobs) {
    failed += await job(run)
  }
  return failed
}

async function note(env: Env, run: Parameters<typeof saveRun>[1]): Promise<void> {
  try {
    await saveRun(openDb(env.DB, newUsage()).db, run)
  } catch (error) {
    log('error', 'cron run not noted', { cron: run.cron, error: describeError(error) })
  }
}
