import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { file } from './file.ts'

/** Bindings that vitest.config.ts adds to those of wrangler.toml. */
const { BUCKET, DB, DB_TWO, TEST_MIGRATIONS } = env as typeof env & {
  DB_TWO: D1Database
  TEST_MIGRATIONS: D1Migration[]
}

/** The table that lists the migrations which a database has. */
const MIGRATIONS = 'd1_migrations'

/** The newest migration. */
export const newestMigration = TEST_MIGRATIONS.at(-1)?.name

// One runtime serves many files. Each file starts with empty, migrated databases and an empty bucket.
await Promise.all([emptyBucket(BUCKET), renew(DB), renew(DB_TWO)])
// The clock that an earlier file may have set.
vi.useRealTimers()
file.began = Date.now()

/**
 * Drops all tables and migrates again, in one batch, which is much quicker than one per migration. `reset` of cloudflare:test
 * skips a database that a request still uses. The database is as old as the file then: a cron is overdue that has not begun
 * since the first migration.
 */
async function renew(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type in ('table', 'virtual')
       and name not like 'sqlite_%' and name not like '_cf_%'`
    )
    .all<{ name: string }>()
  const tables = results.filter(({ name }) => name !== MIGRATIONS)
  if (tables.length === results.length) {
    await applyD1Migrations(database, TEST_MIGRATIONS, MIGRATIONS)
    return
  }
  await database.batch([
    database.prepare('pragma defer_foreign_keys = on'),
    ...tables.map(({ name }) => database.prepare(`drop table "${name}"`)),
    ...TEST_MIGRATIONS.flatMap(({ queries }) => queries).map((query) => database.prepare(query)),
    database.prepare(`update ${MIGRATIONS} set applied_at = current_timestamp`)
  ])
}

async function emptyBucket(bucket: R2Bucket): Promise<void> {
  const { objects, truncated } = await bucket.list()
  await bucket.delete(objects.map(({ key }) => key))
  if (truncated) {
    await emptyBucket(bucket)
  }
}
