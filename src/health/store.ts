import { sql } from 'drizzle-orm'
import journal from '../../migrations/meta/_journal.json' with { type: 'json' }
import type { Db } from '../db/client.ts'

/** The newest migration that this code was built with. */
const EXPECTED = `${journal.entries.at(-1)?.tag}.sql`

/** Counts the dead letters that were not redriven. */
export async function countDeadLetters(db: Db): Promise<number> {
  const [row] = await db.all<{ count: number }>(
    sql`select count(*) as count from dead_letters where redriven_at is null`
  )
  return row?.count ?? 0
}

/**
 * Reads the last migration, and whether the database has every migration that this code needs.
 * @throws when it does not answer
 */
export async function checkMigrations(
  db: Db
): Promise<{ migration: string | null; isCurrent: boolean }> {
  const [row] = await db.all<{ name: string }>(
    sql`select name from d1_migrations order by id desc limit 1`
  )
  return { migration: row?.name ?? null, isCurrent: (row?.name ?? '') >= EXPECTED }
}
