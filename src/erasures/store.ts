import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { type deletionRuns, erasures } from '../db/schema.ts'

export type ErasureRow = typeof erasures.$inferSelect
export type RunRow = typeof deletionRuns.$inferSelect

/** Inserts a run unless it exists. @returns whether it is new */
export async function insertRun(
  db: Db,
  run: Pick<RunRow, 'scheduledFor' | 'startedAt' | 'startedBy'>
): Promise<boolean> {
  const rows = await db.all(sql`
    insert into deletion_runs (scheduled_for, started_at, started_by)
    values (${run.scheduledFor}, ${run.startedAt}, ${run.startedBy}) on conflict do nothing returning scheduled_for`)
  return rows.length > 0
}

/** Finds the latest run scheduled for `since` or later, ms UTC. */
export async function findRun(
  db: Db,
  since: number
): Promise<{ scheduledFor: number; finishedAt: number | null } | undefined> {
  const [row] = await db.all<{ scheduledFor: number; finishedAt: number | null }>(sql`
    select scheduled_for as scheduledFor, finished_at as finishedAt from deletion_runs
    where scheduled_for >= ${since} order by scheduled_for desc limit 1`)
  return row
}

type Taken = { id: number; project_id: number }

/** Assigns waiting tasks requested before `run` to it, oldest first, at most `limit`. Each task goes to one caller only. */
export const takeTasks = (
  db: Db,
  run: number,
  isRetrying: boolean,
  limit: number,
  now: number
): Promise<Taken[]> =>
  db.all<Taken>(sql`
    update erasures set run = ${run}, status = 'running', attempts = 0, error = null, progress_at = ${now}
    where id in (select id from erasures
                 where status <> 'completed' and status in ('queued', ${isRetrying ? 'failed' : 'queued'})
                   and delete_events and requested_at < ${run}
                 order by id limit ${limit})
    returning id, project_id`)

/**
 * Takes unfinished erasures without progress since `before`, ms UTC, and notes progress at `now`. An erasure with progress
 * in the future, as after a clock was set back, is taken too.
 */
export const takeStalled = (db: Db, before: number, limit: number, now: number): Promise<Taken[]> =>
  db.all<Taken>(sql`
    update erasures set progress_at = ${now}
    where id in (select id from erasures
                 where status <> 'completed'
                   and (status = 'running' or status = 'queued' and (cleared_at is null or not delete_events))
                   and (progress_at < ${before} or progress_at > ${now})
                 order by id limit ${limit})
    returning id, project_id`)

/** Marks runs as finished that have no running task left. */
export const finishRuns = (db: Db, now: number) =>
  db.run(sql`
    update deletion_runs set finished_at = ${now}
    where finished_at is null and not exists (
      select 1 from erasures where status <> 'completed' and status = 'running' and run = deletion_runs.scheduled_for)`)

/** Returns the given erasures that are not completed, oldest first. */
export const findOpenErasures = (db: Db, projectId: number, ids: number[]): Promise<ErasureRow[]> =>
  db
    .select()
    .from(erasures)
    .where(sql`id in ${inJson(ids)} and +project_id = ${projectId} and status <> 'completed'`)
    .orderBy(sql`id`)

export type TaskFilters = {
  status: 'all' | 'pending' | ErasureRow['status']
  personUuid?: string | undefined
}

/**
 * Lists the tasks that delete events or recordings, newest first, with ids below `before`, and counts all matching ones
 * exactly.
 */
export async function listTasks(
  db: Db,
  projectId: number,
  { status, personUuid }: TaskFilters,
  page: { limit: number; offset: number; before?: number | undefined }
): Promise<{ rows: ErasureRow[]; count: number }> {
  const matching = sql`project_id = ${projectId} and (delete_events or delete_recordings)
    ${personUuid === undefined ? sql`` : sql`and person_uuid = ${personUuid}`}
    ${withStatus(status)}`
  const [rows, counted] = await Promise.all([
    db
      .select()
      .from(erasures)
      .where(page.before === undefined ? matching : sql`${matching} and id < ${page.before}`)
      .orderBy(sql`id desc`)
      .limit(page.limit)
      .offset(page.offset),
    db.all<{ count: number }>(sql`select count(*) as count from erasures where ${matching}`)
  ])
  return { rows, count: counted[0]?.count ?? 0 }
}

function withStatus(status: TaskFilters['status']): SQL {
  if (status === 'all') {
    return sql``
  }
  return status === 'pending' ? sql`and status <> 'completed'` : sql`and status = ${status}`
}
