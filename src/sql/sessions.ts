import { toColumn as toDictionary } from '../columns/dictionary.ts'
import { inHalves } from '../db/halves.ts'
import { AppError } from '../errors.ts'
import { isSessionId } from '../sessions/session.ts'
import { Sessions } from '../trends/sessions.ts'
import { pause } from '../turns.ts'
import { readEvents } from './events.ts'
import type { ColumnRead, Expression, Field } from './expression.ts'
import { toColumn } from './schema.ts'
import { readSessionRows, type SessionRow } from './sessions.store.ts'
import {
  type AskedRows,
  type ReadTable,
  type TableChunk,
  type TableReading,
  textsOf
} from './table-rows.ts'
import { type SqlValue, TEXT } from './types.ts'
import { dictionary, flat, type Vector } from './vector.ts'

/** Sessions of a statement; the ids of a million take some 30 MB. */
const MAX_SESSIONS = 1_000_000

/** Values of sessions, with their ids, that one query looks up; it takes about 20 ms. */
const VALUES_AT_ONCE = 10_000

/** Queries for sessions, of the 1,000 of a request. */
const MAX_QUERIES = 400

/** Pause after each lookup, ms, so that other requests get the database. */
const REST_MS = 1

const SESSION: Field = { kind: 'session' }

// The cast is safe: `toColumn` makes a column.
const SESSION_COLUMN = toColumn(0, SESSION, TEXT, '$session_id') as Expression & ColumnRead

/**
 * Reads sessions: those of the events in the range of time, since a session that began in the range
 * has an event in it.
 */
export const readSessions: ReadTable = async (reading, { reach, columns }, take) => {
  const { since, until } = reach
  const finder = new SessionFinder(reading, { since, until }, columns)
  let isOver = false
  const asked = { reach: { ...reach, rest: [] }, columns: [SESSION_COLUMN], first: undefined }
  const pass = async (least: number): Promise<boolean> => {
    for (const chunk of await finder.find(least)) {
      isOver ||= !take(chunk)
    }
    return !isOver
  }
  await readEvents(reading, asked, ({ columns: read }) => {
    finder.note(read.get(SESSION_COLUMN.key)?.values ?? [])
    return pass(finder.atOnce)
  })
  if (!isOver) {
    await pass(1)
  }
}

/** Looks up each session once. */
class SessionFinder {
  readonly #reading: TableReading
  readonly #range: { since: number; until: number }
  readonly #columns: AskedRows['columns']
  readonly #keys: readonly string[]
  /** Sessions that are looked up at once. */
  readonly atOnce: number
  readonly #most: number
  readonly #numbers = new Sessions()
  #count = 0
  #waiting: string[] = []

  constructor(
    reading: TableReading,
    range: { since: number; until: number },
    columns: AskedRows['columns']
  ) {
    this.#reading = reading
    this.#range = range
    this.#columns = columns
    const keys = columns.flatMap(({ field }) => (field.kind === 'property' ? [field.key] : []))
    this.#keys = [...new Set(keys)]
    this.atOnce = Math.ceil(VALUES_AT_ONCE / (1 + this.#keys.length))
    this.#most = Math.min(MAX_SESSIONS, MAX_QUERIES * this.atOnce)
  }

  /** Notes the sessions of events, to be looked up. @throws query_too_large, attr `sessions` */
  note(ids: ArrayLike<SqlValue>): void {
    for (let i = 0; i < ids.length; i += 1) {
      const id = ids[i]
      if (typeof id === 'string' && isSessionId(id) && this.#numbers.numberOf(id) === this.#count) {
        this.#count += 1
        this.#waiting.push(id)
      }
    }
    if (this.#count > this.#most) {
      throw new AppError(
        'query_too_large',
        `The range has more than ${this.#most} sessions, too many for these columns: narrow $start_timestamp, or name fewer columns.`,
        'sessions'
      )
    }
  }

  /** Looks up the noted sessions, if there are at least so many. */
  async find(least: number): Promise<TableChunk[]> {
    const waiting = this.#waiting
    if (waiting.length < least) {
      return []
    }
    this.#waiting = []
    const chunks: TableChunk[] = []
    for (let from = 0; from < waiting.length; from += this.atOnce) {
      chunks.push(await this.#lookUp(waiting.slice(from, from + this.atOnce)))
      await pause(REST_MS)
    }
    return chunks
  }

  async #lookUp(ids: readonly string[]): Promise<TableChunk> {
    const { db, projectId } = this.#reading.knowledge.scan
    const rows = await inHalves(ids, (some) =>
      readSessionRows(db, projectId, { ids: some, ...this.#range }, this.#keys)
    )
    const columns = new Map<string, Vector>()
    for (const { key, field } of this.#columns) {
      columns.set(key, await this.#vectorOf(field, rows))
    }
    return { length: rows.length, columns, from: 0, until: rows.length }
  }

  async #vectorOf(field: Field, rows: readonly SessionRow[]): Promise<Vector> {
    switch (field.kind) {
      case 'session':
        return flat(rows.map(({ id }) => id))
      case 'timestamp':
        return flat(rows.map(({ start }) => start))
      case 'identity':
        return flat(rows.map(({ identity }) => identity))
      case 'distinct_id': {
        const keys = rows.map(({ identity }) => identity)
        const texts = await this.#reading.ids.distinctIdsOf(keys)
        return textsOf(keys, (key) => texts.get(key) ?? null)
      }
      case 'property': {
        const place = this.#keys.indexOf(field.key)
        const { codes, values } = toDictionary(rows.map(({ values }) => values[place] ?? null))
        // The cast is safe: what reads the JSON values of a property takes any JSON.
        return dictionary(codes, values as readonly SqlValue[])
      }
      default:
        throw new Error(`Sessions have no column ${field.kind}.`)
    }
  }
}
