import type { ControlDb } from '../db/client.ts'
import { cronRuns } from '../db/schema.ts'
import { excluded } from '../db/statements.ts'

/** The last run of a Cron Trigger; times are ms UTC. */
export type CronRun = typeof cronRuns.$inferSelect

/** Records a run in place of the trigger's previous run. */
export const saveRun = (db: ControlDb, run: CronRun) =>
  db
    .insert(cronRuns)
    .values(run)
    .onConflictDoUpdate({
      target: cronRuns.cron,
      set: {
        startedAt: excluded(cronRuns.startedAt),
        finishedAt: excluded(cronRuns.finishedAt),
        failedJobs: excluded(cronRuns.failedJobs),
        jobs: excluded(cronRuns.jobs)
      }
    })

/** Lists the last run of each trigger that has run. */
export const listRuns = (db: ControlDb): Promise<CronRun[]> => db.select().from(cronRuns)
