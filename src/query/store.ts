import { and, eq, gt, lte } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { MINUTE } from '../calendar/units.ts'
import type { Db } from '../db/client.ts'
import { queryRuns } from '../db/schema.ts'
import type { AskedQuestion } from '../questions/question.ts'

/** How long an asynchronous question can be answered again, ms; as in PostHog. */
export const RUN_AGE = 10 * MINUTE

/** A question that was asked asynchronously; `askedAt` is in ms UTC. */
export type QueryRun = { id: string; question: AskedQuestion; askedAt: number }

/** Keeps a run. One with the same id is replaced. */
export async function keepRun({ db, project }: Scope, run: QueryRun): Promise<void> {
  const { question, askedAt } = run
  await db
    .insert(queryRuns)
    .values({ projectId: project.id, ...run })
    .onConflictDoUpdate({
      target: [queryRuns.projectId, queryRuns.id],
      set: { question, askedAt }
    })
}

const isRun = (projectId: number, id: string, now: number) =>
  and(
    eq(queryRuns.projectId, projectId),
    eq(queryRuns.id, id),
    gt(queryRuns.askedAt, now - RUN_AGE)
  )

/** Finds a run that is not older than `RUN_AGE`. */
export async function findRun(
  { db, project }: Scope,
  id: string,
  now: number
): Promise<QueryRun | undefined> {
  const [row] = await db
    .select()
    .from(queryRuns)
    .where(isRun(project.id, id, now))
  return row
}

/** Removes a run. @returns whether there was one that is not older than `RUN_AGE` */
export async function removeRun({ db, project }: Scope, id: string, now: number): Promise<boolean> {
  const rows = await db
    .delete(queryRuns)
    .where(isRun(project.id, id, now))
    .returning({ id: queryRuns.id })
  return rows.length > 0
}

/** Removes the old runs of all projects in the database. */
export const removeOldRuns = (db: Db, now: number) =>
  db.delete(queryRuns).where(lte(queryRuns.askedAt, now - RUN_AGE))
