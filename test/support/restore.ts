import { sql } from 'drizzle-orm'
import { readState } from '../../src/ledger/store.ts'
import { db } from './project.ts'

/** The tables that `backUp` always copies. */
const TABLES = [
  'persons',
  'distinct_ids',
  'counters',
  'person_versions',
  'activity',
  'recordings',
  'recording_parts',
  'erasures',
  'erased_identities',
  'event_removals',
  'removed_events'
]

/** Further tables for `backUp` to copy: the events, and the counts and sessions computed from them. */
export const WITH_EVENTS = ['events', 'event_counts', 'sessions']

/**
 * Copies `TABLES`, and remembers `ledger_head`: how far the database has applied the ledger.
 * @param more further tables to copy, such as `WITH_EVENTS`
 * @returns a function that puts the project's rows and `ledger_head` back, as a restore of the whole
 * database would
 */
export async function backUp(projectId: number, more: string[] = []): Promise<() => Promise<void>> {
  const { head, beat } = await readState(db)
  const tables = [...TABLES, ...more]
  for (const table of tables) {
    const copy = sql.identifier(`copy_${table}`)
    await db.run(sql`drop table if exists ${copy}`)
    await db.run(
      sql`create table ${copy} as select ${await columnsOf(table)} from ${sql.identifier(table)}`
    )
  }
  return async () => {
    for (const table of tables.toReversed()) {
      await db.run(sql`delete from ${sql.identifier(table)} where project_id = ${projectId}`)
    }
    for (const table of tables) {
      const columns = await columnsOf(table)
      await db.run(sql`insert into ${sql.identifier(table)} (${columns})
        select ${columns} from ${sql.identifier(`copy_${table}`)} where project_id = ${projectId}`)
    }
    await db.run(sql`delete from ledger_head`)
    await db.run(
      sql`insert into ledger_head (id, seq, hash, beat) values (1, ${head.seq}, ${head.hash}, ${beat})`
    )
  }
}

/** Lists a table's columns, without those that SQLite computes. */
async function columnsOf(table: string) {
  const columns = await db.all<{ name: string }>(sql`select name from pragma_table_info(${table})`)
  return sql.join(
    columns.map(({ name }) => sql.identifier(name)),
    sql`, `
  )
}
