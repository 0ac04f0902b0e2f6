import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { ControlDb } from '../db/client.ts'
import { projects } from '../db/schema.ts'

/** Holds back the projects of a database. The end of a replay does not end a maintenance. */
export const holdDatabase = (db: ControlDb, database: string, reason: 'replay' | 'maintenance') =>
  db
    .update(projects)
    .set({ held: reason })
    .where(
      and(eq(projects.database, database), reason === 'replay' ? isNull(projects.held) : undefined)
    )

/** Releases the projects of a database that are held back for this reason. */
export const releaseDatabase = (
  db: ControlDb,
  database: string,
  reason: 'replay' | 'maintenance'
) =>
  db
    .update(projects)
    .set({ held: null })
    .where(and(eq(projects.database, database), eq(projects.held, reason)))

/** Whether projects of a database are held back. */
export async function isDatabaseHeld(db: ControlDb, database: string): Promise<boolean> {
  const [row] = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.database, database), isNotNull(projects.held)))
    .limit(1)
  return row !== undefined
}
