import {
  and,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  notExists,
  or,
  type SQL,
  sql
} from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from '../../db/client.ts'
import { inJson } from '../../db/rows.ts'
import { deletionRuns, erasures } from '../../db/schema.ts'

export type ErasureRow = typeof erasures.$inferSelect
export type RunRow = typeof deletionRuns.$inferSelect

/** Inserts a run unless it exists. @returns whether the run is new */
export async function insertRun(
  db: Db,
  run: Pick<RunRow, 'scheduledFor' | 'startedAt' | 'startedBy'>
): Promise<boolean> {
  const rows = await db
    .insert(deletionRuns)
    .values(run)
    .onConflictDoNothing()
    .returning({ scheduledFor: deletionRuns.scheduledFor })
  return rows.length > 0
}

/** Finds the latest run scheduled for `since` or later, ms UTC. */
export async function findRun(
  db: Db,
  since: number
): Promise<Pick<RunRow, 'scheduledFor' | 'finishedAt'> | undefined> {
  const [row] = await db
    .select({ scheduledFor: deletionRuns.scheduledFor, finishedAt: deletionRuns.finishedAt })
    .from(deletionRuns)
    .where(gte(deletionRuns.scheduledFor, since))
    .orderBy(desc(deletionRuns.scheduledFor))
    .limit(1)
  return row
}

/**
 * Repeats the condition of the index `erasures_open` literally: with a bound value, SQLite would
 * not use the index.
 */
export const isOpen = sql`${erasures.status} <> 'completed'`

type Taken = { id: number; project_id: number }

const taken = { id: erasures.id, project_id: erasures.projectId }

/** SQL: whether an erasure has events and still has to be assigned to the run of `run`, ms UTC. */
const waitsFor = (run: number | SQLiteColumn): SQL | undefined =>
  and(
    isOpen,
    sql`(${erasures.status} = 'queued'
      or ${erasures.status} = 'failed' and coalesce(${erasures.run}, 0) < ${run})`,
    sql`${erasures.deleteEvents}`,
    lt(erasures.requestedAt, run)
  )

/**
 * Assigns up to `limit` erasures to a run, oldest first: erasures that delete events, were
 * requested before the run, and either are queued or failed in an earlier run. Each erasure goes to
 * one caller only.
 */
export const takeTasks = (
  db: Db,
  { run, limit, now }: { run: number; limit: number; now: number }
): Promise<Taken[]> => {
  const oldest = db
    .select({ id: erasures.id })
    .from(erasures)
    .where(waitsFor(run))
    .orderBy(erasures.id)
    .limit(limit)
  return db
    .update(erasures)
    .set({ run, status: 'running', attempts: 0, error: null, progressAt: now })
    .where(inArray(erasures.id, oldest))
    .returning(taken)
}

/**
 * Takes unfinished erasures without progress since `before`, ms UTC, and notes progress at `now`.
 * Leaves out erasures that only wait for their run. Also takes an erasure whose progress is in the
 * future because the clock was set back.
 */
export const takeStalled = (
  db: Db,
  { before, limit, now }: { before: number; limit: number; now: number }
): Promise<Taken[]> => {
  const isDue = sql`(${erasures.status} = 'running'
    or ${erasures.status} = 'queued' and (${erasures.clearedAt} is null or not ${erasures.deleteEvents}))`
  const stalled = db
    .select({ id: erasures.id })
    .from(erasures)
    .where(and(isOpen, isDue, or(lt(erasures.progressAt, before), gt(erasures.progressAt, now))))
    .orderBy(erasures.id)
    .limit(limit)
  return db
    .update(erasures)
    .set({ progressAt: now })
    .where(inArray(erasures.id, stalled))
    .returning(taken)
}

/** Marks runs as finished to which no erasure has to be assigned, and whose erasures have ended. */
export function finishRuns(db: Db, now: number) {
  const { scheduledFor, finishedAt } = deletionRuns
  const running = and(isOpen, eq(erasures.status, 'running'), eq(erasures.run, scheduledFor))
  const anyThat = (condition?: SQL) =>
    db.select({ id: erasures.id }).from(erasures).where(condition)
  return db
    .update(deletionRuns)
    .set({ finishedAt: now })
    .where(
      and(
        isNull(finishedAt),
        notExists(anyThat(running)),
        notExists(anyThat(waitsFor(scheduledFor)))
      )
    )
}

/** Lists which of these persons have erasures, and when each was requested, ms UTC. */
export const findErasedAt = (
  db: Db,
  projectId: number,
  uuids: string[]
): Promise<{ uuid: string; requestedAt: number }[]> =>
  db
    .select({ uuid: erasures.personUuid, requestedAt: erasures.requestedAt })
    .from(erasures)
    .where(and(eq(erasures.projectId, projectId), sql`${erasures.personUuid} in ${inJson(uuids)}`))

/** Returns the given erasures that are not completed, oldest first. */
export const findOpenErasures = (db: Db, projectId: number, ids: number[]): Promise<ErasureRow[]> =>
  openErasures(db, projectId, ids)

/** The query of `findOpenErasures`, for a batch. */
export const openErasures = (db: Db, projectId: number, ids: number[]) =>
  db
    .select()
    .from(erasures)
    .where(
      sql`${erasures.id} in ${inJson(ids)} and +${erasures.projectId} = ${projectId} and ${isOpen}`
    )
    .orderBy(erasures.id)

export type TaskFilters = {
  status: 'all' | 'pending' | ErasureRow['status']
  personUuid?: string | undefined
}

/**
 * Lists a project's erasures, newest first, with ids below `before`. `count` is the exact number of
 * erasures that match the filters, on all pages.
 */
export async function listTasks(
  db: Db,
  projectId: number,
  { status, personUuid }: TaskFilters,
  page: { limit: number; offset: number; before?: number | undefined }
): Promise<{ rows: ErasureRow[]; count: number }> {
  const matching = and(
    eq(erasures.projectId, projectId),
    personUuid === undefined ? undefined : eq(erasures.personUuid, personUuid),
    withStatus(status)
  )
  const before = page.before === undefined ? undefined : lt(erasures.id, page.before)
  const [rows, count] = await Promise.all([
    db
      .select()
      .from(erasures)
      .where(and(matching, before))
      .orderBy(desc(erasures.id))
      .limit(page.limit)
      .offset(page.offset),
    db.$count(erasures, matching)
  ])
  return { rows, count }
}

function withStatus(status: TaskFilters['status']): SQL | undefined {
  if (status === 'all') {
    return undefined
  }
  return status === 'pending' ? isOpen : eq(erasures.status, status)
}
