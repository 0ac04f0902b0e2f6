import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from './faults.ts'

/** Wrangler's own table, so that wrangler and these commands see each other's migrations. */
const MIGRATIONS = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)`

const TOO_OLD =
  'This database was made before version 0.1.0, and this version cannot read it. Nothing has been changed: keep it, and start with another state folder, for example STATE_DIR=.state npm start.'

/**
 * Applies missing migrations as `wrangler d1 migrations apply` does: each file in one transaction. Another process may do
 * the same at the same time.
 * @throws OperatorError for a database from before the first release
 */
export async function migrate(database: D1Database, folder: string): Promise<void> {
  await database.prepare(MIGRATIONS).run()
  const { results } = await database
    .prepare('select name from d1_migrations')
    .all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  const known = readMigrations(folder)
  const [first] = known
  if (first && applied.size > 0 && !applied.has(first.file)) {
    throw new OperatorError(TOO_OLD)
  }
  const missing = known.filter(({ file }) => !applied.has(file))
  for (const { file, statements } of missing) {
    const note = database.prepare('insert into d1_migrations (name) values (?)').bind(file)
    // The note comes first: if another process has just applied the file, the transaction fails at the note's unique name.
    const batch = [note, ...statements.map((statement) => database.prepare(statement))]
    await database.batch(batch).catch((error) => {
      if (!isApplied(error)) {
        throw error
      }
    })
  }
}

/** Whether a file's transaction failed because the file has been applied already. */
const isApplied = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('UNIQUE constraint failed: d1_migrations.name')

/** Reads the migrations of a folder, in order. */
export const readMigrations = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      file,
      statements: readFileSync(join(folder, file), 'utf8').split('--> statement-breakpoint')
    }))
