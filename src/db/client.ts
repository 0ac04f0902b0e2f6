import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1'
import { AppError, UnavailableError } from '../errors.ts'
import { pause } from '../pause.ts'
import { D1Dialect } from './dialect.ts'

/** How often statements are tried on a database that another process keeps busy: for half a second, about. */
const BUSY_TRIES = 10

/** What a database's work has cost: D1 bills rows, and a database that outgrows its limit stops. */
export type Usage = {
  rowsRead: number
  rowsWritten: number
  queries: number
  /** The longest statement: so long all others had to wait. */
  longestMs: number
  sizeBytes: number
}

export const newUsage = (): Usage => ({
  rowsRead: 0,
  rowsWritten: 0,
  queries: 0,
  longestMs: 0,
  sizeBytes: 0
})

export type Db = ReturnType<typeof openDb>['db']

/** A statement with its values. */
export type Bound = { sql: string; params: unknown[] }

/** A read is tried again where a write may already have been done. */
export type Statement = Bound & { isRead: boolean }

/**
 * Opens a session on a D1 database and adds what it costs to `usage`. Without a bookmark the session starts at the
 * primary, so that a client which never sends one still reads its own writes.
 */
export function openDb(binding: D1Database, usage: Usage, bookmark = 'first-primary') {
  const metered = new MeteredSession(binding.withSession(bookmark), usage)
  // drizzle's session asks for a D1Database but only calls `prepare` and `batch`, which a D1 session has too.
  const client = metered as unknown as D1Database
  const dialect = new D1Dialect()
  const session = new SQLiteD1Session<Record<string, never>, Record<string, never>>(
    client,
    dialect,
    undefined
  )
  const db = new DrizzleD1Database<Record<string, never>>('async', dialect, session, undefined)
  return { db: Object.assign(db, { $client: metered }), bookmark: () => metered.bookmark() }
}

class MeteredSession {
  readonly #session: D1DatabaseSession
  readonly #usage: Usage

  constructor(session: D1DatabaseSession, usage: Usage) {
    this.#session = session
    this.#usage = usage
  }

  bookmark() {
    return this.#session.getBookmark()
  }

  /** Takes what drizzle's builder wrote: of its statements, those that begin with `select` write nothing. */
  prepare(sql: string) {
    return new MeteredStatement(this, { sql, params: [], isRead: sql.startsWith('select ') })
  }

  batch<T>(statements: MeteredStatement[]): Promise<D1Result<T>[]> {
    return this.run(statements.map(({ bound }) => bound))
  }

  /** Runs statements in one round trip and one transaction. */
  async run<T>(statements: Statement[]): Promise<D1Result<T>[]> {
    const prepared = statements.map(({ sql, params }) => this.#session.prepare(sql).bind(...params))
    const [only, ...others] = prepared
    for (let tries = 1; ; tries += 1) {
      try {
        const results =
          only && others.length === 0
            ? [await only.all<T>()]
            : await this.#session.batch<T>(prepared)
        for (const result of results) {
          count(this.#usage, result)
        }
        return results
      } catch (error) {
        const isRetried = statements.every(({ isRead }) => isRead) ? isBusy(error) : isLocked(error)
        if (tries === BUSY_TRIES || !isRetried) {
          throw translate(error)
        }
        await pause(20 + Math.random() * 60)
      }
    }
  }
}

class MeteredStatement {
  readonly #session: MeteredSession
  readonly bound: Statement

  constructor(session: MeteredSession, bound: Statement) {
    this.#session = session
    this.bound = bound
  }

  bind(...params: unknown[]) {
    return new MeteredStatement(this.#session, { ...this.bound, params })
  }

  async all<T>(): Promise<D1Result<T>> {
    const [result] = await this.#session.run<T>([this.bound])
    if (!result) {
      throw new Error('A statement has one result.')
    }
    return result
  }

  run<T>() {
    return this.all<T>()
  }

  /** Answers rows as lists of values. D1's own `raw` hides what the statement cost. */
  async raw(): Promise<unknown[][]> {
    const { results } = await this.all<Record<string, unknown>>()
    return results.map((row) => Object.values(row))
  }
}

function count(usage: Usage, result: D1Result) {
  usage.rowsRead += result.meta.rows_read
  usage.rowsWritten += result.meta.rows_written
  usage.queries += 1
  usage.longestMs = Math.max(usage.longestMs, result.meta.duration)
  usage.sizeBytes = result.meta.size_after
}

/**
 * SQLite takes one writer at a time, and a local D1 does not wait for the other, an operator's command. A session's read
 * writes as well, its bookmark, and is told apart by that.
 */
export const isBusy = (error: unknown): boolean =>
  isLocked(error) || says(error, /Failed to get session commit token/)

/** Whether nothing was done, because another process writes. */
const isLocked = (error: unknown): boolean => says(error, /SQLITE_BUSY/)

const says = (error: unknown, pattern: RegExp): boolean =>
  error instanceof Error && (pattern.test(error.message) || says(error.cause, pattern))

/** A text or an object that is longer than SQLite makes one. */
export const isTooBig = (error: unknown): boolean =>
  error instanceof Error && (/SQLITE_TOOBIG|too big/.test(error.message) || isTooBig(error.cause))

/** A write that lost a race: the unique index, or the guard after a compare-and-swap, rolled its batch back. */
export class ConflictError extends Error {}

/** Faults of our own SQL stay what they are; a constraint is a conflict; all else is a database that cannot answer. */
function translate(error: unknown): unknown {
  if (error instanceof AppError) {
    return error
  }
  const message = error instanceof Error ? error.message : String(error)
  if (/SQLITE_CONSTRAINT|constraint failed/i.test(message)) {
    return new ConflictError(message, { cause: error })
  }
  if (/no such table|no such column/i.test(message)) {
    return new UnavailableError(
      'The database is not migrated: locally npm run dev or npm start does it, on Cloudflare npm run deploy.',
      error
    )
  }
  if (/SQLITE_ERROR|SQLITE_TOOBIG|SQLITE_MISMATCH|D1_TYPE_ERROR/.test(message)) {
    return error
  }
  return new UnavailableError('The database cannot take the request now.', error)
}

/** The constraint's own words if this error is, or was caused by, a lost race or a uniqueness rule. */
export function findConflict(error: unknown): ConflictError | undefined {
  if (error instanceof ConflictError) {
    return error
  }
  return error instanceof Error && error.cause ? findConflict(error.cause) : undefined
}
