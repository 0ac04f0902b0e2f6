import { fillPlaceholders, type SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { Bound, Db } from './client.ts'

const dialect = new SQLiteAsyncDialect()

/** A query with the type of its rows. */
export type Query<Row> = { statement: SQL; row?: Row }

export const query = <Row>(statement: SQL): Query<Row> => ({ statement })

type RowsOf<Queries> = { [I in keyof Queries]: Queries[I] extends Query<infer Row> ? Row[] : never }

/** Runs queries in one round trip and one snapshot; answers the rows of each. drizzle's own `batch` cannot bind raw SQL. */
export async function readBatch<Queries extends readonly Query<unknown>[]>(
  db: Db,
  ...queries: Queries
): Promise<RowsOf<Queries>> {
  const statements = queries.map(({ statement }) => statement)
  const results = statements.length > 0 ? await run(db, statements) : []
  // D1 does not know the rows' types: `query` stated them beside the SQL.
  return results.map((result) => result.results) as unknown as RowsOf<Queries>
}

/** Runs statements in one round trip and one transaction: all or none. Answers what each did. @throws ConflictError */
export const writeBatch = async (db: Db, statements: SQL[]): Promise<D1Result[]> =>
  statements.length > 0 ? run(db, statements) : []

const run = (db: Db, statements: SQL[]): Promise<D1Result[]> => db.$client.run(statements.map(bind))

function bind(statement: SQL): Bound {
  const { sql, params } = dialect.sqlToQuery(statement)
  return { sql, params }
}

/** How many bound values a statement, or a part of one, has: D1 takes 100. */
export const countValues = (statement: SQL): number => bind(statement).params.length

/** Writes a statement once, and takes the values of its placeholders, by name, at each use. */
export function template<Values extends Record<string, unknown>>(
  statement: SQL
): (values: Values) => Bound {
  const { sql, params } = bind(statement)
  return (values) => ({ sql, params: fillPlaceholders(params, values) })
}
