import { fillPlaceholders, is, SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { AnyDb, Bound, Statement } from './client.ts'

const dialect = new SQLiteAsyncDialect()

/**
 * A statement, and the type of its rows. `row` is never set: it only carries the type. A statement
 * from `template` is already SQL text with values.
 */
export type Query<Row> = { statement: SQL | Statement; row?: Row }

export const query = <Row>(statement: SQL | Statement): Query<Row> => ({ statement })

type RowsOf<Queries> = { [I in keyof Queries]: Queries[I] extends Query<infer Row> ? Row[] : never }

/**
 * The planned queries of one round trip, and the function that turns their rows into an answer.
 * `runRead` runs them.
 */
export type Read<Answer> = {
  statements: (SQL | Statement)[]
  toAnswer: (rows: Record<string, unknown>[][]) => Answer
}

/** Plans a read: `toAnswer` gets the rows of each query. */
export const planRead = <const Queries extends readonly Query<unknown>[], Answer>(
  queries: Queries,
  toAnswer: (rows: RowsOf<Queries>) => Answer
): Read<Answer> => ({
  statements: queries.map(({ statement }) => statement),
  // The cast is safe as long as each `query` was given the right type of its rows.
  toAnswer: (rows) => toAnswer(rows as unknown as RowsOf<Queries>)
})

/** Plans the same read, and maps its answer. */
export const mapRead = <Before, After>(
  { statements, toAnswer }: Read<Before>,
  map: (answer: Before) => After
): Read<After> => ({ statements, toAnswer: (rows) => map(toAnswer(rows)) })

/** Plans several reads as one. */
export const joinReads = <Answer>(reads: readonly Read<Answer>[]): Read<Answer[]> => ({
  statements: reads.flatMap(({ statements }) => statements),
  toAnswer: (rows) => {
    let at = 0
    return reads.map(({ statements, toAnswer }) => {
      const own = rows.slice(at, at + statements.length)
      at += statements.length
      return toAnswer(own)
    })
  }
})

/** Runs a planned read in one round trip and one snapshot. */
export async function runRead<Answer>(db: AnyDb, { statements, toAnswer }: Read<Answer>) {
  const results = statements.length > 0 ? await db.$client.run<Row>(statements.map(bindRead)) : []
  return toAnswer(results.map((result) => result.results))
}

type Row = Record<string, unknown>

/**
 * Runs queries in one round trip and one snapshot. Returns the rows of each. drizzle's own `batch`
 * cannot bind raw SQL.
 */
export const readBatch = <const Queries extends readonly Query<unknown>[]>(
  db: AnyDb,
  ...queries: Queries
): Promise<RowsOf<Queries>> =>
  runRead(
    db,
    planRead(queries, (rows) => rows)
  )

/**
 * Runs statements in one round trip and one transaction, all or none. @returns the result of each
 * @throws ConflictError after a lost race, UnavailableError, or D1's own error for a faulty
 * statement
 */
export const writeBatch = async (db: AnyDb, statements: SQL[]): Promise<D1Result[]> =>
  statements.length > 0 ? db.$client.run(statements.map(bindWrite)) : []

/**
 * Runs statements like `writeBatch`, then queries, in the same round trip and transaction: the
 * queries see what the statements have written. @returns the rows of each query
 */
export async function writeThenRead<const Queries extends readonly Query<unknown>[]>(
  db: AnyDb,
  statements: SQL[],
  ...queries: Queries
): Promise<RowsOf<Queries>> {
  const { statements: reads, toAnswer } = planRead(queries, (rows) => rows)
  const all = [...statements.map(bindWrite), ...reads.map(bindRead)]
  const results = await db.$client.run<Row>(all)
  return toAnswer(results.slice(statements.length).map((result) => result.results))
}

/** Converts a read to its SQL text and bound values, unless it is converted already. */
export const bindRead = (statement: SQL | Statement): Statement =>
  is(statement, SQL) ? { ...toText(statement), isRead: true } : statement

/**
 * Converts a statement that changes rows. A batch of queries with such a statement is one
 * transaction, and is not tried again like one that only reads.
 */
export const bindWrite = (statement: SQL): Statement => ({ ...toText(statement), isRead: false })

function toText(statement: SQL): Bound {
  const { sql, params } = dialect.sqlToQuery(statement)
  return { sql, params }
}

/** Returns the number of bound values in a statement or a fragment. D1 allows 100 per statement. */
export const countValues = (statement: SQL): number => toText(statement).params.length

/**
 * Converts a statement that changes no rows to SQL text once. Returns a function that fills in its
 * named placeholders for each use.
 */
export function template<Values extends Record<string, unknown>>(
  statement: SQL
): (values: Values) => Statement {
  const { sql, params } = toText(statement)
  return (values) => ({ sql, params: fillPlaceholders(params, values), isRead: true })
}
