import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import type { ControlDb } from '../db/client.ts'
import { deadLetters } from '../db/schema.ts'

export type DeadLetterRow = typeof deadLetters.$inferSelect

/**
 * Inserts a dead letter. If its id exists, the message has died again: the dead letter gets the new
 * error, and is to be redriven even if it has been redriven before.
 */
export const insertDeadLetter = (db: ControlDb, row: typeof deadLetters.$inferInsert) =>
  db
    .insert(deadLetters)
    .values(row)
    .onConflictDoUpdate({
      target: deadLetters.id,
      set: { error: row.error, attempts: row.attempts, redrivenAt: null }
    })

/** Lists the dead letters that have not been redriven, oldest first. */
export const listDeadLetters = (db: ControlDb): Promise<DeadLetterRow[]> =>
  db
    .select()
    .from(deadLetters)
    .where(isNull(deadLetters.redrivenAt))
    .orderBy(asc(deadLetters.createdAt))

export const markRedriven = (db: ControlDb, id: string, now: Date) =>
  db.update(deadLetters).set({ redrivenAt: now.getTime() }).where(eq(deadLetters.id, id))

/** Lists a project's dead letters after an id, including redriven dead letters, by id. */
export const listDeadLettersOf = (
  db: ControlDb,
  projectId: number,
  after: string,
  limit: number
): Promise<DeadLetterRow[]> =>
  db
    .select()
    .from(deadLetters)
    .where(and(eq(deadLetters.projectId, projectId), gt(deadLetters.id, after)))
    .orderBy(asc(deadLetters.id))
    .limit(limit)

/** Notes that a search could not read a dead letter, and found no id of the person in it. */
export const noteUnreadable = (db: ControlDb, id: string) =>
  db.update(deadLetters).set({ isUnreadable: true }).where(eq(deadLetters.id, id))

/** Lists at most `limit` objects that searches could not read, and counts all. */
export async function listUnreadable(
  db: ControlDb,
  projectId: number,
  limit: number
): Promise<{ objects: string[]; count: number }> {
  const matching = and(eq(deadLetters.projectId, projectId), eq(deadLetters.isUnreadable, true))
  const rows = await db
    .select({ object: deadLetters.object })
    .from(deadLetters)
    .where(matching)
    .orderBy(asc(deadLetters.id))
    .limit(limit)
  const count = rows.length < limit ? rows.length : await db.$count(deadLetters, matching)
  return { objects: rows.map(({ object }) => object), count }
}

export const deleteDeadLetter = (db: ControlDb, id: string) =>
  db.delete(deadLetters).where(eq(deadLetters.id, id))
