import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

/*
 * SQLite leaves deleted data readable in its file until it uses the space again, and D1 has no statement that prevents this.
 * So this process rewrites the files of the local databases, even while the service runs. A database is rewritten as one
 * transaction, which takes about twenty seconds per gigabyte, and needs twice the file's size in free disk space. Meanwhile
 * the service accepts events, which it stores afterwards, and answers other requests with a 503.
 */

/** How long to wait for a transaction of the service to end, ms. */
const BUSY_MS = 30_000

/** Pause between two attempts to empty a log, ms. */
const PAUSE_MS = 5
/** Nobody wakes those who wait on this memory, so that a wait is a pause. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4))

/** The file with the result of `listCompleted` when the databases were last rewritten. */
const MARK = 'overwritten'

/** The tables of erasures and of removals of events, each with the condition of a completed row. */
const COMPLETED = { erasures: `status = 'completed'`, event_removals: 'completed_at is not null' }

const Completed = z.object({ completed: z.string() })

/**
 * Rewrites all databases of a state folder, so that no deleted data is left in their files, and removes the e-mails that were
 * sent, if an erasure or a removal of events has been completed since the last time.
 * @returns whether there were e-mails
 */
export function overwriteErased(folder: string): boolean {
  const mark = join(folder, MARK)
  const before = existsSync(mark) ? readFileSync(mark, 'utf8') : ''
  const completed = listCompleted(folder)
  if (completed === before) {
    return false
  }
  for (const file of listDatabases(folder)) {
    rewrite(file)
  }
  const hadEmails = removeEmails(folder)
  writeFileSync(mark, completed)
  return hadEmails
}

/** Rewrites a database without its deleted data. `before` may delete more. */
function rewrite(file: string, before = (_: DatabaseSync) => {}): void {
  const database = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    before(database)
    database.exec('vacuum')
    emptyLog(database)
  } finally {
    database.close()
  }
}

/**
 * Removes all e-mails that the simulator keeps instead of sending them, as files and in a database: a chart in them may name
 * the person, and a picture cannot be searched for names.
 * @returns whether there were any
 */
function removeEmails(folder: string): boolean {
  const temporary = join(folder, 'tmp/miniflare-*')
  const files = globSync(join(temporary, 'email/*/*'))
  for (const file of files) {
    rmSync(file, { force: true })
  }
  for (const file of globSync(join(temporary, 'email-store/*/*.sqlite'))) {
    rewrite(file, (database) => {
      const hasTable = database.prepare(`select 1 from sqlite_schema where name = 'emails'`)
      if (hasTable.get()) {
        database.exec('delete from emails')
      }
    })
  }
  return files.length > 0
}

const Checkpoint = z.object({ busy: z.int() })

/**
 * Empties the write-ahead log, which may still contain old pages. If the service is copying pages from the log at the same
 * moment, SQLite says so instead of waiting.
 * @throws Error if the log is still in use after `BUSY_MS`
 */
function emptyLog(database: DatabaseSync): void {
  const checkpoint = database.prepare('pragma wal_checkpoint(truncate)')
  const end = performance.now() + BUSY_MS
  while (Checkpoint.parse(checkpoint.get()).busy !== 0) {
    if (performance.now() > end) {
      throw new Error('the write-ahead log is in use')
    }
    Atomics.wait(PAUSE, 0, 0, PAUSE_MS)
  }
}

/** Returns the number and the latest time of completed erasures and removals in each database; '' if there are none. */
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
