import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1'
import { AppError, UnavailableError } from '../errors.ts'
import { pause } from '../turns.ts'
import { D1Dialect } from './dialect.ts'

/**
 * How long a statement waits for another process that is writing, ms: about as long as the clients
 * of a request wait for it. Commands write for some tenths of a second, but one may follow another.
 */
const MAX_BUSY_MS = 10_000

/**
 * The cost of the statements run so far. D1 bills rows, and a database that reaches its maximum
 * size stops.
 */
export type Usage = {
  rowsRead: number
  rowsWritten: number
  queries: number
  /** Duration of the longest statement, for which all other statements had to wait, ms. */
  longestMs: number
  /** Time of all statements in the database, ms; without the ways there and back. */
  databaseMs: number
  sizeBytes: number
} & Limits

/** Limits of work that shares an invocation's 1,000 queries with other work. */
type Limits = {
  /** Queries after which the work should begin nothing new: see `isSpent`. */
  share: number
  /** Queries that the work may make; further statements fail. */
  maxQueries: number
}

const UNLIMITED: Limits = {
  share: Number.POSITIVE_INFINITY,
  maxQueries: Number.POSITIVE_INFINITY
}

export const newUsage = (limits = UNLIMITED): Usage => ({
  rowsRead: 0,
  rowsWritten: 0,
  queries: 0,
  longestMs: 0,
  databaseMs: 0,
  sizeBytes: 0,
  ...limits
})

/** A database of either kind: for migrations, sequences, and running statements. */
export type AnyDb = ReturnType<typeof connect>['db']

declare const control: unique symbol
declare const data: unique symbol

/** The control database: projects, users, keys, dead letters and runs of crons. */
export type ControlDb = AnyDb & { readonly [control]: true }

/** A database with projects' data. Each project's row names it; it may be the control database. */
export type ProjectDb = AnyDb & { readonly [data]: true }

export type Db = ProjectDb

/** An open database, and the bookmark of the state that it has reached. */
export type Session<Kind extends AnyDb> = { db: Kind; bookmark: () => string | null }

/** A statement with its values. */
export type Bound = { sql: string; params: unknown[] }

/**
 * A statement, and whether it only reads. A failed read can always be tried again; a failed write
 * may have taken effect.
 */
export type Statement = Bound & { isRead: boolean }

/**
 * Opens a session on a database with projects' data and adds its cost to `usage`. Without a
 * bookmark, the session starts at the primary, so that a client that never sends bookmarks still
 * reads its own writes.
 */
export const openDb = (binding: D1Database, usage: Usage, bookmark?: string): Session<ProjectDb> =>
  connect(binding, usage, bookmark) as Session<ProjectDb>

/** Opens a session on the control database and adds its cost to `usage`. */
export const openControl = ({ DB }: Pick<Env, 'DB'>, usage: Usage): Session<ControlDb> =>
  connect(DB, usage) as Session<ControlDb>

const dialect = new D1Dialect()

function connect(binding: D1Database, usage: Usage, bookmark = 'first-primary') {
  const metered = new MeteredSession(binding.withSession(bookmark), usage)
  // The cast is safe: drizzle's session calls only `prepare` and `batch`, which a D1 session has
  // too.
  const client = metered as unknown as D1Database
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

  /**
   * Prepares a statement of drizzle's builder. The builder's statements that begin with `select`
   * write nothing.
   */
  prepare(sql: string) {
    return new MeteredStatement(this, { sql, params: [], isRead: sql.startsWith('select ') })
  }

  batch<T>(statements: MeteredStatement[]): Promise<D1Result<T>[]> {
    return this.run(statements.map(({ bound }) => bound))
  }

  /** Runs statements in one round trip and one transaction. */
  async run<T>(statements: Statement[]): Promise<D1Result<T>[]> {
    expectLeft(this.#usage, statements.length)
    const prepared = statements.map(({ sql, params }) => this.#session.prepare(sql).bind(...params))
    const [only, ...others] = prepared
    for (let waited = 0; ; ) {
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
        // A batch with a write is repeated only if it had no effect.
        const isRetried = statements.every(({ isRead }) => isRead) ? isBusy(error) : isLocked(error)
        if (waited >= MAX_BUSY_MS || !isRetried) {
          throw translate(error)
        }
        const ms = 20 + Math.random() * 60
        await pause(ms)
        waited += ms
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
      throw new Error('D1 returned no result for a statement.')
    }
    return result
  }

  run<T>() {
    return this.all<T>()
  }

  /** Returns rows as lists of values. D1's own `raw` does not report the cost of the statement. */
  async raw(): Promise<unknown[][]> {
    const { results } = await this.all<Record<string, unknown>>()
    return results.map((row) => Object.values(row))
  }
}

/** @throws UnavailableError if this many more queries are more than the work may make */
function expectLeft({ queries, maxQueries }: Usage, more: number): void {
  if (queries + more > maxQueries) {
    throw new UnavailableError(`The work has spent its ${maxQueries} queries.`)
  }
}

function count(usage: Usage, result: D1Result) {
  usage.rowsRead += result.meta.rows_read
  usage.rowsWritten += result.meta.rows_written
  usage.queries += 1
  usage.longestMs = Math.max(usage.longestMs, result.meta.duration)
  usage.databaseMs += result.meta.duration
  usage.sizeBytes = result.meta.size_after
}

/**
 * Whether the statement failed because another process, such as an operator's command, is writing
 * to the same local D1: a local D1 does not wait. The second message comes from a session's read,
 * because the session writes its bookmark.
 */
export const isBusy = (error: unknown): boolean =>
  isLocked(error) || says(error, /Failed to get session commit token/)

/** Whether the statement had no effect because another process was writing. */
const isLocked = (error: unknown): boolean => says(error, /SQLITE_BUSY/)

const says = (error: unknown, pattern: RegExp): boolean =>
  error instanceof Error && (pattern.test(error.message) || says(error.cause, pattern))

/** Whether a statement failed because a text, a blob or a row is longer than SQLite allows. */
export const isTooBig = (error: unknown): boolean =>
  error instanceof Error && (/SQLITE_TOOBIG|too big/.test(error.message) || isTooBig(error.cause))

/**
 * Whether the database will never take a value, because it has the wrong type or size, or because
 * its column takes no null. The constraint of `guard` is not about values: see docs/sql.md.
 */
export const isRefusedValue = (error: unknown): boolean =>
  isTooBig(error) ||
  says(error, /(NOT NULL|CHECK) constraint failed: (?!guard\.)|SQLITE_MISMATCH|D1_TYPE_ERROR/)

/**
 * A write that lost a race: a unique index, or the guard of a compare-and-swap, rolled its batch
 * back.
 */
export class ConflictError extends Error {}

/**
 * Turns a violated constraint into a conflict. Leaves AppErrors and faults of our own SQL as they
 * are; for everything else, the database is unavailable.
 */
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
      'The database lacks a migration: locally, npm run dev or npm start applies it; on Cloudflare, npm run deploy.',
      error
    )
  }
  if (/SQLITE_ERROR|SQLITE_TOOBIG|SQLITE_MISMATCH|D1_TYPE_ERROR/.test(message)) {
    return error
  }
  return new UnavailableError('The database cannot take the request now.', error)
}

/** Returns the ConflictError among an error and its causes, if any. */
export function findConflict(error: unknown): ConflictError | undefined {
  if (error instanceof ConflictError) {
    return error
  }
  return error instanceof Error && error.cause ? findConflict(error.cause) : undefined
}
