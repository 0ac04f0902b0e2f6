import { type Expression, type Field, keyOfField, quote } from './expression.ts'
import { StatementError } from './statement-error.ts'
import type { Step } from './tree.ts'
import { type SqlType, TEXT, UUID } from './types.ts'

/** The tables that are read in batches. */
export type TableName = 'events' | 'persons' | 'sessions'

/** What a SELECT reads. */
export type Schema = {
  /** Undefined for a subquery, and without FROM. */
  table: TableName | undefined
  /** The names by which columns may be qualified. */
  names: readonly string[]
  /** The columns, as errors list them. */
  columns: readonly string[]
  /** The names of the columns that `*` stands for. */
  all: readonly string[]
  /** The name of the time that says which row is earlier. */
  time: string | undefined
  /** Returns the column at a path. @throws StatementError for a path that is not supported */
  find: (steps: readonly Step[], label: string) => Expression | undefined
}

/** What the newest values of a property are, by its name: `text`, `integer`, `true` … */
export type Kinds = ReadonlyMap<string, string | null>

/** What is known of a project's properties. */
export type PropertyKinds = { event: Kinds; person: Kinds }

export const toColumn = (at: number, field: Field, type: SqlType, label: string): Expression => ({
  kind: 'column',
  at,
  field,
  type,
  label,
  key: keyOfField(field)
})

/** A column of the answer of a SELECT. */
export type AnswerColumn = { name: string; type: SqlType }

/** The columns of a subquery. */
export function rowsSchema(alias: string | undefined, columns: readonly AnswerColumn[]): Schema {
  const names = columns.map(({ name }) => name)
  return {
    table: undefined,
    names: alias === undefined ? [] : [alias],
    columns: names,
    all: names,
    time: columns.find(({ name, type }) => name === 'timestamp' && type.base === 'time')?.name,
    find([first, ...rest], label) {
      const place = columns.findIndex(({ name }) => name === first?.name)
      const column = columns[place]
      if (!column || !first) {
        return undefined
      }
      if (rest.length > 0) {
        throw new StatementError(
          first.at,
          `${label}: ${first.name} has no members here. Name ${quote(label)} as a column inside the subquery.`
        )
      }
      return toColumn(first.at, { kind: 'row', place }, column.type, label)
    }
  }
}

/** Constants without a table. */
export const NO_TABLE: Schema = {
  table: undefined,
  names: [],
  columns: [],
  all: [],
  time: undefined,
  find: () => undefined
}

/**
 * Returns the column that has the text of an id, for functions that need it: the UUID of a person,
 * or a distinct id. Other columns stay as they are.
 */
export function withText(expression: Expression): Expression {
  if (expression.kind !== 'column') {
    return expression
  }
  const { field, at, label, type } = expression
  if (field.kind === 'actor') {
    return toColumn(at, { kind: 'person_uuid' }, UUID, label)
  }
  if (field.kind === 'identity') {
    return toColumn(at, { kind: 'distinct_id' }, TEXT, label)
  }
  if (type.base === 'actor' || type.base === 'identity') {
    throw new StatementError(
      at,
      `${label} is an id here: write toString(${label}) inside the subquery, and use that column.`
    )
  }
  return expression
}
