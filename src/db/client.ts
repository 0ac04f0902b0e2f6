import { drizzle } from 'drizzle-orm/d1'
import { AppError, UnavailableError } from '../errors.ts'
import { pause } from '../pause.ts'

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

/** A query that a session begins with. The first reads are sent along with it, and answered when its answer is accepted. */
export type Opening = {
  /** A strict one fails where it finds nothing; so does what was sent along, which then costs nothing. */
  query: (isStrict: boolean) => Bound
  /** @returns the session to go on with, where that is another one. @throws when nothing may be answered */
  accept: (rows: Record<string, unknown>[]) => Promise<D1DatabaseSession | undefined>
}

/** Opens a session on a D1 database and adds what it costs to `usage`. */
export function openDb(binding: D1Database, usage: Usage, opening?: Opening) {
  const metered = new MeteredSession(openSession(binding), usage, opening)
  // drizzle's driver asks for a D1Database but only calls `prepare` and `batch`, which a session has too.
  const db = drizzle(metered as unknown as D1Database)
  return { db: Object.assign(db, { $client: metered }), bookmark: () => metered.bookmark() }
}

/**
 * Without a bookmark the session starts at the primary, so that a client which never sends one still reads its own writes.
 */
export const openSession = (binding: D1Database, bookmark?: string): D1DatabaseSession =>
  binding.withSession(bookmark ?? 'first-primary')

class MeteredSession {
  #session: D1DatabaseSession
  readonly #usage: Usage
  readonly #opening: Opening | undefined
  #opened: Promise<unknown> | undefined

  constructor(session: D1DatabaseSession, usage: Usage, opening: Opening | undefined) {
    this.#session = session
    this.#usage = usage
    this.#opening = opening
  }

  bookmark() {
    return this.#session.getBookmark()
  }

  prepare(query: string) {
    return new MeteredStatement(this, { sql: query, params: [] })
  }

  batch<T>(statements: MeteredStatement[]): Promise<D1Result<T>[]> {
    return this.run(statements.map(({ bound }) => bound))
  }

  /** Asks what the session begins with, unless that was done. @throws what it does not accept, at each call */
  async open(): Promise<void> {
    if (this.#opening) {
      this.#opened ??= this.#sendAlong(this.#opening, [])
    }
    await this.#opened
  }

  async run<T>(statements: Bound[]): Promise<D1Result<T>[]> {
    if (this.#opening && !this.#opened && statements.every(isRead)) {
      const sent = this.#sendAlong<T>(this.#opening, statements)
      this.#opened = sent
      const results = await sent
      if (results) {
        return results
      }
    }
    await this.open()
    return this.#send(statements)
  }

  /** @returns nothing if the statements have to be sent again by themselves: what was sent failed, or went elsewhere */
  async #sendAlong<T>(
    { query, accept }: Opening,
    statements: Bound[]
  ): Promise<D1Result<T>[] | undefined> {
    const sent =
      statements.length > 0 &&
      (await this.#send<T>([query(true), ...statements]).catch(() => undefined))
    const [found, ...results] = sent || (await this.#send<T>([query(false)]))
    // The rows are the query's own, not those of what was sent along.
    const other = await accept((found?.results ?? []) as Record<string, unknown>[])
    if (other) {
      this.#session = other
    }
    return sent && !other ? results : undefined
  }

  async #send<T>(statements: Bound[]): Promise<D1Result<T>[]> {
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
        const isRetried = statements.every(isRead) ? isBusy(error) : isLocked(error)
        if (tries === BUSY_TRIES || !isRetried) {
          throw translate(error)
        }
        await pause(20 + Math.random() * 60)
      }
    }
  }
}

/** What is not surely one counts as none. */
const isRead = ({ sql }: Bound): boolean =>
  /^\s*(select|with)\b/i.test(sql) && !/\b(insert|update|delete|replace\s+into)\b/i.test(sql)

class MeteredStatement {
  readonly #session: MeteredSession
  readonly bound: Bound

  constructor(session: MeteredSession, bound: Bound) {
    this.#session = session
    this.bound = bound
  }

  bind(...params: unknown[]) {
    return new MeteredStatement(this.#session, { sql: this.bound.sql, params })
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

  /** D1's own `raw` hides what the query cost. Columns of one name would collapse here, so joins go through `all`. */
  async raw(): Promise<unknown[][]> {
    if (/\bjoin\b/i.test(this.bound.sql)) {
      throw new Error('a join is read with db.all() and aliased columns')
    }
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
