import { isNull, sql } from 'drizzle-orm'
import journal from '../../../migrations/meta/_journal.json' with { type: 'json' }
import type { AnyDb, ControlDb } from '../../db/client.ts'
import { deadLetters } from '../../db/schema.ts'

/** The newest migration that this code was built with. */
const EXPECTED = `${journal.entries.at(-1)?.tag}.sql`

/** Counts the dead letters that were not redriven. */
export const countDeadLetters = (db: ControlDb): Promise<number> =>
  db.$count(deadLetters, isNull(deadLetters.redrivenAt))

/** Reads when a database got its first migration, ms UTC. */
export async function readBirth(db: AnyDb): Promise<number | undefined> {
  const [row] = await db.all<{ born: number | null }>(
    sql`select unixepoch(min(applied_at)) * 1000 as born from d1_migrations`
  )
  return row?.born ?? undefined
}

/**
 * Reads the last migration, and whether the database has every migration that this code needs.
 * Names of migrations begin with their number, so a later migration has the greater name.
 * @throws when the database does not answer
 */
export async function checkMigrations(
  db: AnyDb
): Promise<{ migration: string | null; isCurrent: boolean }> {
  const [row] = await db.all<{ name: string }>(
    sql`select name from d1_migrations order by id desc limit 1`
  )
  return { migration: row?.name ?? null, isCurrent: (row?.name ?? '') >= EXPECTED }
}
