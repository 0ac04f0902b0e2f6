import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Wrangler's own table, so that wrangler and these commands see each other's migrations. */
const MIGRATIONS = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)`

/** Applies missing migrations as `wrangler d1 migrations apply` does: each file in one transaction. */
export async function migrate(database: D1Database, folder: string): Promise<void> {
  await database.prepare(MIGRATIONS).run()
  const { results } = await database
    .prepare('select name from d1_migrations')
    .all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  for (const { file, statements } of readMigrations(folder).filter(
    ({ file }) => !applied.has(file)
  )) {
    const note = database.prepare('insert into d1_migrations (name) values (?)').bind(file)
    await database.batch([...statements.map((statement) => database.prepare(statement)), note])
  }
}

/** Reads the migrations of a folder, in order. */
export const readMigrations = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      file,
      statements: readFileSync(join(folder, file), 'utf8').split('--> statement-breakpoint')
    }))
