import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { Bound, Db, Statement } from './client.ts'

const dialect = new SQLiteAsyncDialect()

/** A query with the type of its rows. */
export type Query<Row> = { statement: SQL; row?: Row }

export const query = <Row>(statement: SQL): Query<Row> => ({ statement })

type RowsOf<Queries> = { [I in keyof Queries]: Queries[I] extends Query<infer Row> ? Row[] : never }

/** Queries of one round trip, and what their rows come to. Nothing runs until somebody has it run. */
export type Read<Answer> = {
  statements: SQL[]
  toAnswer: (rows: Record<string, unknown>[][]) => Answer
}

/** Plans a read: `toAnswer` gets the rows of each query. */
export const planRead = <const Queries extends readonly Query<unknown>[], Answer>(
  queries: Queries,
  toAnswer: (rows: RowsOf<Queries>) => Answer
): Read<Answer> => ({
  statements: queries.map(({ statement }) => statement),
  // D1 does not know the rows' types: `query` stated them beside the SQL.
  toAnswer: (rows) => toAnswer(rows as unknown as RowsOf<Queries>)
})

/** Plans the same read with another answer, made of its own. */
export const mapRead = <Before, After>(
  { statements, toAnswer }: Read<Before>,
  map: (answer: Before) => After
): Read<After> => ({ statements, toAnswer: (rows) => map(toAnswer(rows)) })

/** Runs a planned read in one round trip and one snapshot. */
export async function runRead<Answer>(db: Db, { statements, toAnswer }: Read<Answer>) {
  const results = statements.length > 0 ? await db.$client.run<Row>(statements.map(bindRead)) : []
  return toAnswer(results.map((result) => result.results))
}

type Row = Record<string, unknown>

/** Runs queries in one round trip and one snapshot; answers the rows of each. drizzle's own `batch` cannot bind raw SQL. */
export const readBatch = <const Queries extends readonly Query<unknown>[]>(
  db: Db,
  ...queries: Queries
): Promise<RowsOf<Queries>> =>
  runRead(
    db,
    planRead(queries, (rows) => rows)
  )

/** Runs statements in one round trip and one transaction: all or none. Answers what each did. @throws ConflictError */
export const writeBatch = async (db: Db, statements: SQL[]): Promise<D1Result[]> =>
  statements.length > 0 ? db.$client.run(statements.map(bindWrite)) : []

/** Writes a query out as text with its values. */
export const bindRead = (statement: SQL): Statement => ({ ...write(statement), isRead: true })

const bindWrite = (statement: SQL): Statement => ({ ...write(statement), isRead: false })

function write(statement: SQL): Bound {
  const { sql, params } = dialect.sqlToQuery(statement)
  return { sql, params }
}

/** How many bound values a statement, or a part of one, has: D1 takes 100. */
export const countValues = (statement: SQL): number => write(statement).params.length

/** Writes a statement that changes nothing once, and takes the values of its placeholders, by name, at each use. */
export function template<Values extends Record<string, unknown>>(
  statement: SQL
): (values: Values) => Statement {
  const { sql, params } = write(statement)
  return (values) => ({ sql, params: fillPlaceholders(params, values), isRead: true })
}
