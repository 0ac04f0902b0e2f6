import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { byteLength } from '../input/json.ts'
import { counters, guard } from './schema.ts'
import { assign, bare, excluded } from './statements.ts'

/** A bound value of D1 ends at 2,000,000 bytes. */
const MAX_BYTES = 1_500_000

/**
 * Rows as JSON arrays that each fit into one bound value: `… from json_each(${param})` takes any number of rows in one
 * statement, where D1 allows 100 values. Nothing for no rows.
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

/** Whether it is one of these, which may take more than one bound value: each ends at 2 MB. */
export function isIn(value: SQL, values: readonly unknown[]): SQL {
  const lists = jsonChunks(values).map(
    ({ json }) => sql`${value} in (select value from json_each(${json}))`
  )
  return lists.length === 0 ? sql`0` : sql`(${sql.join(lists, sql` or `)})`
}

/** Values for `in`: any number of them in one bound value. */
export const inJson = (values: readonly (string | number)[]): SQL =>
  sql`(select value from json_each(${JSON.stringify(values)}))`

/**
 * Rolls the batch back, as a conflict, unless this many rows are `from …` this: the compare of compare-and-swap. It stands
 * before the writes, in their transaction. `changes()` after them would not do: the full-text index writes its own rows
 * when the next statement begins, and is counted.
 */
export const expectRows = (count: number, from: SQL): SQL =>
  sql`insert into ${guard} select null where ${count} <> (select count(*) from ${from})`

/** A row of a table as one JSON object that parses into what drizzle would make of the row. */
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

/** The statements for some rows: none for none, and more than one set only when a bound value would become too large. */
export const eachChunk = (
  rows: readonly unknown[],
  statements: (json: string, count: number) => SQL[]
): SQL[] => jsonChunks(rows).flatMap(({ json, count }) => statements(json, count))

/** Keeps an exact number of a project's rows, in the batch that adds or removes them. */
export const countRows = (
  projectId: number,
  name: 'activity' | 'persons' | 'recordings',
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
