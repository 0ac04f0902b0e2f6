import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

/*
 * Statements that drizzle's builder cannot write, such as an insert of many rows from one JSON
 * value. Tables and columns come from the schema, so code that still uses the old name of a column
 * does not compile. See docs/sql.md.
 */

/** Values of columns, by the columns' names in the schema. */
export type ColumnValues<T extends SQLiteTable> = {
  [Name in keyof T['_']['columns']]?: SQL | string | number | null
}

/** Returns a column without its table: for `set`, `insert` and `on conflict`. */
export const bare = (column: SQLiteColumn): SQL => sql`${sql.identifier(column.name)}`

/** Returns the value that an insert would have stored, for `on conflict … do update set`. */
export const excluded = (column: SQLiteColumn): SQL => sql`excluded.${bare(column)}`

/** Returns the assignments of an update: `"revision" = "persons"."revision" + 1, …`. */
export const assign = <T extends SQLiteTable>(table: T, values: ColumnValues<T>): SQL =>
  list(columnsOf(table, values).map(([column, value]) => sql`${bare(column)} = ${value}`))

/**
 * Returns an insert of one row for each row of `from`, a complete source such as `json_each(…)`.
 * `values` may use the columns of `from`.
 */
export function insertSelect<T extends SQLiteTable>(
  table: T,
  values: ColumnValues<T>,
  from: SQL
): SQL {
  const columns = columnsOf(table, values)
  const names = list(columns.map(([column]) => bare(column)))
  const selected = list(columns.map(([, value]) => sql`${value}`))
  return sql`insert into ${table} (${names}) select ${selected} from ${from}`
}

type Update<T extends SQLiteTable> = {
  set: ColumnValues<T>
  /** A complete source of the new values, such as `json_each(…) as changed`. */
  from?: SQL
  where: SQL
}

/** Returns an update of the rows of a table that fulfil `where`, a complete condition. */
export function updateFrom<T extends SQLiteTable>(table: T, { set, from, where }: Update<T>): SQL {
  const source = from ? sql` from ${from}` : sql``
  return sql`update ${table} set ${assign(table, set)}${source} where ${where}`
}

/** Separates expressions by commas. */
export const list = (expressions: SQLWrapper[]): SQL => sql.join(expressions, sql`, `)

function columnsOf<T extends SQLiteTable>(table: T, values: ColumnValues<T>) {
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>
  return Object.entries(values).map(([name, value]): [SQLiteColumn, unknown] => {
    const column = columns[name]
    if (!column) {
      throw new Error(`The table has no column ${name}.`)
    }
    return [column, value]
  })
}
