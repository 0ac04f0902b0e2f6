import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { byteLength } from '../input/json.ts'
import { counters, guard } from './schema.ts'
import { assign, bare, excluded } from './statements.ts'

/** Largest bound value, bytes; D1 allows 2,000,000. */
const MAX_BYTES = 1_500_000

/**
 * Splits rows into JSON arrays that each fit into one bound value. With `… from
 * json_each(${param})`, one statement takes any number of rows, although D1 allows only 100 bound
 * values. Without rows there are no arrays.
 */
export function jsonChunks(rows: readonly unknown[]): { json: string; count: number }[] {
  const chunks: { json: string; count: number }[] = []
  let part: string[] = []
  let bytes = 0
  const close = () => chunks.push({ json: `[${part.join()}]`, count: part.length })
  for (const row of rows) {
    const text = JSON.stringify(row)
    const size = byteLength(text) + 1
    if (part.length > 0 && bytes + size > MAX_BYTES) {
      close()
      part = []
      bytes = 0
    }
    part.push(text)
    bytes += size
  }
  if (part.length > 0) {
    close()
  }
  return chunks
}

/**
 * Returns the condition that a value is in a list, which may take several bound values because each
 * is limited to 2 MB.
 */
export function isIn(value: SQL, values: readonly unknown[]): SQL {
  const lists = jsonChunks(values).map(
    ({ json }) => sql`${value} in (select value from json_each(${json}))`
  )
  return lists.length === 0 ? sql`0` : sql`(${sql.join(lists, sql` or `)})`
}

/** Returns a list for `in` with any number of values in one bound value. */
export const inJson = (values: readonly (string | number)[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(values)}))`

/**
 * Rolls the batch back as a conflict unless `from` has `count` rows: the compare of a
 * compare-and-swap. Put it before the writes, in their transaction. `changes()` after the writes is
 * no substitute: it also counts rows that the full-text index writes when the next statement
 * begins.
 */
export const expectRows = (count: number, from: SQL): SQL =>
  sql`insert into ${guard} select null where ${count} <> (select count(*) from ${from})`

/**
 * Selects a row of a table as one JSON object, which parses into the same object that drizzle
 * returns for the row.
 */
export function rowToJson(table: SQLiteTable): SQL {
  const members = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${name}, ${memberOf(column)}`
  )
  return sql`json_object(${sql.join(members, sql`, `)})`
}

function memberOf(column: SQLiteColumn): SQL {
  if (column.dataType === 'json') {
    return sql`json(${column})`
  }
  if (column.dataType === 'boolean') {
    return sql`json(iif(${column}, 'true', iif(${column} is null, null, 'false')))`
  }
  return sql`${column}`
}

/**
 * Returns the statements for a list of rows. Calls `statements` once if the rows fit into one bound
 * value, more often if they do not, and never without rows.
 */
export const eachChunk = (
  rows: readonly unknown[],
  statements: (json: string, count: number) => SQL[]
): SQL[] => jsonChunks(rows).flatMap(({ json, count }) => statements(json, count))

/** Changes a project's stored number of rows by `by`, in the batch that adds or removes them. */
export const countRows = (
  projectId: number,
  name: 'activity' | 'event_names' | 'persons' | 'recordings',
  by: number
): SQL[] =>
  by === 0
    ? []
    : [
        sql`insert into ${counters} (${bare(counters.projectId)}, ${bare(counters.name)}, ${bare(counters.value)})
            values (${projectId}, ${name}, ${by})
            on conflict (${bare(counters.projectId)}, ${bare(counters.name)})
            do update set ${assign(counters, { value: sql`${counters.value} + ${excluded(counters.value)}` })}`
      ]
