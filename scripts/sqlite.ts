import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'
import type { Bound } from '../src/db/client.ts'
import { toD1 } from './d1.ts'

/**
 * How long a statement waits for another process that is writing, ms. Short, because the process can
 * do nothing else meanwhile: `db/client.ts` tries again.
 */
const BUSY_MS = 20

/** Names of SQLite's result codes, as in the messages of D1. */
const CODES: Record<number, string> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  13: 'SQLITE_FULL',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH'
}

type OpenFile = { binding: D1Database; close(): void }

/**
 * Opens the files of local D1 databases in Node's own SQLite, whether or not the service is running
 * on them. Creates missing files. Replaces the Workers runtime, which would take a second to start.
 * @throws SQLite's error if a file cannot be opened; then none is open
 */
export function openFiles(files: string[]): OpenFile[] {
  const opened: OpenFile[] = []
  try {
    for (const file of files) {
      opened.push(openFile(file))
    }
    return opened
  } catch (error) {
    for (const { close } of opened) {
      close()
    }
    throw error
  }
}

/** Opens one file like `openFiles`. */
export function openFile(file: string): OpenFile {
  const database = openDatabase(file)
  const run = ({ sql, params }: Bound) => {
    const started = performance.now()
    const results = database
      .prepare(sql)
      .all(...params.map(toInput))
      .map(toRow)
    const meta = { ...NO_COST, duration: performance.now() - started }
    return { success: true as const, results, meta }
  }
  const runAll = (statements: Bound[]) => {
    const [only, ...others] = statements
    if (only && others.length === 0) {
      // A single statement is a transaction by itself and takes only the locks that it needs: `create
      // table if not exists` does not wait for a writer if the table exists.
      return [run(only)]
    }
    database.exec(statements.every(isRead) ? 'begin' : 'begin immediate')
    try {
      const results = statements.map(run)
      database.exec('commit')
      return results
    } catch (error) {
      if (database.isTransaction) {
        database.exec('rollback')
      }
      throw error
    }
  }
  return {
    binding: toD1(async (statements) => translating(() => runAll(statements))),
    close: () => database.close()
  }
}

function openDatabase(file: string): DatabaseSync {
  const isNew = !existsSync(file)
  const database = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    if (isNew) {
      // As the runtime does; otherwise readers and writers would wait for each other.
      database.exec('pragma journal_mode = wal')
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * D1's figures for a statement, except the duration. No command uses them: a local database is
 * neither billed nor limited in size.
 */
const NO_COST = {
  rows_read: 0,
  rows_written: 0,
  size_after: 0,
  changes: 0,
  changed_db: false,
  last_row_id: 0
}

/** Whether a statement only reads. A batch of such statements takes no lock that keeps the service from writing. */
const isRead = ({ sql }: Bound): boolean =>
  /^\s*(select|with)\b/i.test(sql) && !/\b(insert|update|delete|replace)\b/i.test(sql)

/** Returns a value as D1 binds it: `true` is 1. */
const toInput = (value: unknown): SQLInputValue =>
  // The cast is safe: SQLite refuses a value that it cannot bind.
  typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)

/** Returns a row as D1 does: a blob is a list of bytes. */
const toRow = (row: Record<string, SQLOutputValue>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? [...value] : value
    ])
  )

/** Runs statements. @throws an error whose message names SQLite's code, as D1's do */
function translating<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') {
      const code = CODES[error.errcode & 0xff] ?? `SQLite error ${error.errcode}`
      throw new Error(`${error.message}: ${code}`, { cause: error })
    }
    throw error
  }
}
