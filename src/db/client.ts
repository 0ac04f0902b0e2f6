import { drizzle } from 'drizzle-orm/d1'
import { AppError, UnavailableError } from '../errors.ts'

/** What a database's work has cost: D1 bills rows, and a database that outgrows its limit stops. */
export type Usage = {
  rowsRead: number
  rowsWritten: number
  queries: number
  /** The longest statement: so long all others had to wait. */
  longestMs: number
  sizeBytes: number
}

export const newUsage = (): Usage => ({ rowsRead: 0, rowsWritten: 0, queries: 0, longestMs: 0, sizeBytes: 0 })

export type Db = ReturnType<typeof openDb>['db']

/**
 * Opens a session on a D1 database and adds what it costs to `usage`. Without a bookmark the session starts at the
 * primary, so that a client which never sends one still reads its own writes.
 */
export function openDb(binding: D1Database, usage: Usage, bookmark?: string) {
  const session = binding.withSession(bookmark ?? 'first-primary')
  const metered = new MeteredSession(session, usage)
  // drizzle's driver asks for a D1Database but only calls `prepare` and `batch`, which a session has too.
  const db = drizzle(metered as unknown as D1Database)
  return { db: Object.assign(db, { $client: metered }), bookmark: () => session.getBookmark() }
}

class MeteredSession {
  readonly #session: D1DatabaseSession
  readonly #usage: Usage

  constructor(session: D1DatabaseSession, usage: Usage) {
    this.#session = session
    this.#usage = usage
  }

  prepare(query: string) {
    return new MeteredStatement(this.#session.prepare(query), query, this.#usage)
  }

  async batch<T>(statements: MeteredStatement[]): Promise<D1Result<T>[]> {
    try {
      const results = await this.#session.batch<T>(statements.map((s) => s.statement))
      for (const result of results) count(this.#usage, result)
      return results
    } catch (error) {
      throw translate(error)
    }
  }
}

class MeteredStatement {
  readonly statement: D1PreparedStatement
  readonly #query: string
  readonly #usage: Usage

  constructor(statement: D1PreparedStatement, query: string, usage: Usage) {
    this.statement = statement
    this.#query = query
    this.#usage = usage
  }

  bind(...values: unknown[]) {
    return new MeteredStatement(this.statement.bind(...values), this.#query, this.#usage)
  }

  async all<T>(): Promise<D1Result<T>> {
    try {
      const result = await this.statement.all<T>()
      count(this.#usage, result)
      return result
    } catch (error) {
      throw translate(error)
    }
  }

  run<T>() {
    return this.all<T>()
  }

  /** D1's own `raw` hides what the query cost. Columns of one name would collapse here, so joins go through `all`. */
  async raw(): Promise<unknown[][]> {
    if (/\bjoin\b/i.test(this.#query)) throw new Error('a join is read with db.all() and aliased columns')
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

/** A write that lost a race: the unique index, or the guard after a compare-and-swap, rolled its batch back. */
export class ConflictError extends Error {}

/** Faults of our own SQL stay what they are; a constraint is a conflict; all else is a database that cannot answer. */
function translate(error: unknown): unknown {
  if (error instanceof AppError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (/SQLITE_CONSTRAINT|constraint failed/i.test(message)) return new ConflictError(message, { cause: error })
  if (/no such table|no such column/i.test(message)) return new UnavailableError('The database is not migrated.', error)
  if (/SQLITE_ERROR|SQLITE_TOOBIG|SQLITE_MISMATCH|D1_TYPE_ERROR/.test(message)) return error
  return new UnavailableError('The database cannot take the request now.', error)
}

/** The constraint's own words if this error is, or was caused by, a lost race or a uniqueness rule. */
export function findConflict(error: unknown): ConflictError | undefined {
  if (error instanceof ConflictError) return error
  return error instanceof Error && error.cause ? findConflict(error.cause) : undefined
}
