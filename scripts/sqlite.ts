import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'

/** How long a statement waits for another process that is writing, ms; the caller then tries again. */
const BUSY_MS = 500

/** Names of SQLite's result codes, as in the messages of D1. */
const CODES: Record<number, string> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  13: 'SQLITE_FULL',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH'
}

type Bound = { sql: string; params: unknown[] }

/**
 * Opens the file of a local D1 database in Node's own SQLite, whether or not the service is running
 * on the file. Creates it if it is missing. The Workers runtime would take a second to start.
 * @returns a binding with the methods that sessions and `migrate` use
 */
export function openFile(file: string): { binding: D1Database; close(): void } {
  const isNew = !existsSync(file)
  const database = new DatabaseSync(file, { timeout: BUSY_MS })
  if (isNew) {
    // As the runtime does; otherwise readers and writers would wait for each other.
    database.exec('pragma journal_mode = wal')
  }

  const run = ({ sql, params }: Bound) => {
    const started = performance.now()
    const statement = database.prepare(sql)
    const results = statement.all(...params.map(toInput)).map(toRow)
    const duration = performance.now() - started
    return { success: true, results, meta: { ...NO_COST, duration } }
  }
  const batch = async (statements: Bound[]) =>
    translating(() => {
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
    })
  const statement = (sql: string, params: unknown[]) => {
    const all = async () => translating(() => run({ sql, params }))
    return { sql, params, all, run: all, bind: (...values: unknown[]) => statement(sql, values) }
  }
  const session = { prepare: (sql: string) => statement(sql, []), batch, getBookmark: () => null }
  return {
    // Implements only the methods that sessions and `migrate` use.
    binding: { ...session, withSession: () => session } as unknown as D1Database,
    close: () => database.close()
  }
}

/** Local statements cost nothing, and a local database has no maximum size. */
const NO_COST = { rows_read: 0, rows_written: 0, size_after: 0 }

/** A batch of these statements takes no lock that keeps the service from writing. */
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
