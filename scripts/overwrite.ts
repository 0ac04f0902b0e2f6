import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

/*
 * What SQLite deletes stays readable in its file until the space is used again, and D1 has no statement against that. So the
 * files of the local databases are rewritten from outside, while the service runs. A database is rewritten as one transaction,
 * which takes about twenty seconds per gigabyte, and needs twice as much free disk space as the file is large. Meanwhile the
 * service takes events, which it stores afterwards, and answers other requests with a 503.
 */

/** How long to wait for a transaction of the service to end, ms. */
const BUSY_MS = 30_000

/** The file that tells which erasures had been completed when the databases were last rewritten. */
const MARK = 'overwritten'

/** The tables of what deletes, and the condition that it is completed. */
const COMPLETED = { erasures: `status = 'completed'`, event_removals: 'completed_at is not null' }

const Completed = z.object({ completed: z.string() })

/**
 * Rewrites all databases of a state folder, so that nothing that was deleted is left in their files, if an erasure or a
 * removal of events has been completed since the last time.
 */
export function overwriteErased(folder: string): void {
  const mark = join(folder, MARK)
  const before = existsSync(mark) ? readFileSync(mark, 'utf8') : ''
  const completed = listCompleted(folder)
  if (completed === before) {
    return
  }
  for (const file of listDatabases(folder)) {
    const database = new DatabaseSync(file, { timeout: BUSY_MS })
    try {
      database.exec('vacuum')
      // The log may still have the old pages.
      database.exec('pragma wal_checkpoint(truncate)')
    } finally {
      database.close()
    }
  }
  writeFileSync(mark, completed)
}

/** Lists how many erasures and removals of events each database has completed, and when the last ones were; empty without any. */
function listCompleted(folder: string): string {
  return listDatabases(folder).flatMap(readCompleted).join()
}

function readCompleted(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
  try {
    const hasTable = database.prepare(`select 1 from sqlite_schema where name = ?`)
    return Object.entries(COMPLETED).flatMap(([table, condition]) => {
      const counted = `select count(*) || ' ' || max(progress_at) as completed from ${table}
        where ${condition} having count(*) > 0`
      const rows = hasTable.get(table) ? database.prepare(counted).all() : []
      return z
        .array(Completed)
        .parse(rows)
        .map(({ completed }) => completed)
    })
  } finally {
    database.close()
  }
}

const listDatabases = (folder: string): string[] =>
  globSync(join(folder, 'v3/{d1,r2}/*/*.sqlite')).sort()
