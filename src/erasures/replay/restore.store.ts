import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { ControlDb, Db } from '../../db/client.ts'
import { distinctIds, erasures, projects } from '../../db/schema.ts'
import { updateFrom } from '../../db/statements.ts'

/** Returns the highest id of an erasure; 0 if there are no erasures. */
export async function lastErasure(db: Db): Promise<number> {
  const [row] = await db
    .select({ id: erasures.id })
    .from(erasures)
    .orderBy(desc(erasures.id))
    .limit(1)
  return row?.id ?? 0
}

/**
 * Makes new erasures get ids above `id`: otherwise a restored database would give out ids that are
 * on receipts already. Inserts and deletes a row with this id, because SQLite never reuses an
 * `autoincrement` id, even of a deleted row.
 */
export const raiseErasureIds = (db: Db, id: number) =>
  db.batch([
    db
      .insert(erasures)
      .values({
        id,
        projectId: 0,
        personId: 0,
        personUuid: '',
        requestedAt: 0,
        requestedBy: {},
        deleteEvents: false,
        status: 'completed',
        progressAt: 0
      })
      .onConflictDoNothing(),
    db.delete(erasures).where(eq(erasures.projectId, 0))
  ])

/** Lists distinct ids after `after`, in order. `personId` is 0 without a person. */
export async function listDistinctIds(
  db: Db,
  projectId: number,
  after: string,
  limit: number
): Promise<{ distinctId: string; personId: number }[]> {
  const rows = await db
    .select({ distinctId: distinctIds.distinctId, personId: distinctIds.personId })
    .from(distinctIds)
    .where(and(eq(distinctIds.projectId, projectId), gt(distinctIds.distinctId, after)))
    .orderBy(distinctIds.distinctId)
    .limit(limit)
  return rows.map(({ distinctId, personId }) => ({ distinctId, personId: personId ?? 0 }))
}

/** Lists the salts of the projects in a database, by the project's id. */
export async function listSalts(
  control: ControlDb,
  database: string
): Promise<Record<string, string>> {
  const rows = await control
    .select({ id: projects.id, salt: projects.erasureSalt })
    .from(projects)
    .where(eq(projects.database, database))
  return Object.fromEntries(rows.map(({ id, salt }) => [id, salt]))
}

/** Sets salts that a restore has changed back to the values in `salts`. */
export const putBackSalts = (control: ControlDb, salts: Record<string, string>) =>
  control.run(
    updateFrom(projects, {
      set: { erasureSalt: sql`old.value` },
      from: sql`json_each(${JSON.stringify(salts)}) as old`,
      where: sql`${projects.id} = cast(old.key as integer) and ${projects.erasureSalt} <> old.value`
    })
  )
