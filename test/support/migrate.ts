import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

/** What vitest.config.ts adds to the bindings of wrangler.toml. */
const { DB, DB_TWO, TEST_MIGRATIONS } = env as typeof env & {
  DB_TWO: D1Database
  TEST_MIGRATIONS: D1Migration[]
}

/** The newest migration. */
export const newestMigration = TEST_MIGRATIONS.at(-1)?.name

await applyD1Migrations(DB, TEST_MIGRATIONS)
await applyD1Migrations(DB_TWO, TEST_MIGRATIONS)
