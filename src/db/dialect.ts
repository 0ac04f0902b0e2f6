import { Column, getTableColumns, is, SQL, Subquery, sql, Table } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { SQLiteSelectConfig } from 'drizzle-orm/sqlite-core/query-builders/select.types'

/**
 * SQLite for D1. D1 returns rows as objects, which keep only the last of several columns with the
 * same name. So in a join, a column whose name is already taken is selected under the path of its
 * field, `"users"."id" as "user.id"`, and so is every SQL expression without an alias.
 */
export class D1Dialect extends SQLiteAsyncDialect {
  override buildSelectQuery(config: SQLiteSelectConfig): SQL {
    if (!config.joins?.length || config.fieldsFlat) {
      return super.buildSelectQuery(config)
    }
    const taken = new Set<string>()
    const name = (fields: Fields, path: string[]): Fields =>
      mapValues(fields, (field, key) => {
        const place = [...path, key]
        if (is(field, Column) && !taken.has(field.name)) {
          taken.add(field.name)
          return field
        }
        if (is(field, Column) || is(field, SQL)) {
          return sql`${field}`.as(place.join('.'))
        }
        if (is(field, SQL.Aliased) || is(field, Subquery)) {
          return field
        }
        // Every other kind of field in drizzle is an object of fields.
        return name(is(field, Table) ? getTableColumns(field) : (field as Fields), place)
      })
    return super.buildSelectQuery({ ...config, fields: name(config.fields, []) })
  }
}

type Fields = SQLiteSelectConfig['fields']

const mapValues = (fields: Fields, map: (field: Fields[string], key: string) => Fields[string]) =>
  Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, map(field, key)]))
