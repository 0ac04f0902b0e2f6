import type { FilterGroup } from '../properties/filter.ts'
import { StatementError } from './statement-error.ts'
import { type SqlType, type SqlValue, ValueFailure } from './types.ts'

/**
 * An expression whose names are resolved. Equal expressions have equal keys. `label` is how the
 * answer names it.
 */
export type Expression = { type: SqlType; key: string; label: string; at: number } & (
  | { kind: 'constant'; value: SqlValue; isText: boolean }
  | ColumnRead
  | FunctionCall
  | Aggregate
)

/** A column of the table, which the source reads, or of the rows that were grouped. */
export type ColumnRead = { kind: 'column'; field: Field }

export type FunctionCall = {
  kind: 'call'
  args: readonly Expression[]
  apply: (...args: SqlValue[]) => SqlValue
  /** Whether the result is the same for all times of a slot, the day or the hour for example. */
  isCoarse?: boolean
  /** Whether results can be much longer than the arguments. */
  grows?: boolean
}

export type Aggregate = {
  kind: 'aggregate'
  name: string
  /** The numbers in `quantiles(0.5, 0.9)(x)`. */
  parameters: readonly number[]
  isDistinct: boolean
  args: readonly Expression[]
  /** Counts only the rows for which this holds. */
  condition: Expression | undefined
}

/** What a source can be asked for. */
export type Field =
  | {
      kind:
        | 'event'
        /** The id of an event's name. */
        | 'event_id'
        /** The time of an event, of a session's first event, or of a person's creation. */
        | 'timestamp'
        | 'actor'
        | 'person_uuid'
        | 'person_created_at'
        | 'is_identified'
        | 'identity'
        | 'distinct_id'
        | 'session'
        | 'uuid'
    }
  /** The properties as a JSON text. */
  | { kind: 'properties'; of: 'event' | 'person' }
  /** A property of events that is a text; `''` without one. */
  | { kind: 'text'; key: string }
  /** A member of the properties, at a path whose first step is the name of the property. */
  | { kind: 'property'; of: 'event' | 'person' | 'session'; key: string }
  /** Whether the filters that `{filters}` stands for match. */
  | { kind: 'filters'; group: FilterGroup }
  /** A column of a subquery, or of grouped rows. */
  | { kind: 'row'; place: number }

export const keyOfField = (field: Field): string => JSON.stringify(field)

/** Functions and values are nested in an expression; each of these has its own position. */
export function makeCall(
  at: number,
  {
    name,
    args,
    type,
    apply,
    isCoarse = false,
    grows = false
  }: { name: string; args: readonly Expression[]; type: SqlType } & Omit<FunctionCall, 'kind'>,
  labelled?: string
): Expression {
  const key = `${name}(${args.map((arg) => arg.key).join(', ')})`
  const label = labelled ?? `${name}(${args.map((arg) => arg.label).join(', ')})`
  if (args.every(({ kind }) => kind === 'constant')) {
    const values = args.map((arg) => (arg.kind === 'constant' ? arg.value : null))
    return { kind: 'constant', at, key, label, type, value: apply(...values), isText: false }
  }
  return { kind: 'call', at, key, label, type, args, apply, isCoarse, grows }
}

export const makeConstant = (at: number, value: SqlValue, type: SqlType): Expression => ({
  kind: 'constant',
  at,
  value,
  type,
  isText: type.base === 'text',
  key: `${type.base} ${type.name}:${JSON.stringify(value)}`,
  label: typeof value === 'string' ? quote(value) : String(value)
})

/** `it's` → `'it\'s'` */
export const quote = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Returns the value of a constant; undefined for any other expression. */
export function constantOf(expression: Expression): Exclude<SqlValue, ValueFailure> | undefined {
  if (expression.kind !== 'constant') {
    return undefined
  }
  const { value } = expression
  if (value instanceof ValueFailure) {
    throw new StatementError(value.at, value.detail)
  }
  return value
}

/** Returns the different columns that some expressions read. */
export function columnsOf(expressions: readonly Expression[]): (Expression & ColumnRead)[] {
  const columns = new Map<string, Expression & ColumnRead>()
  for (const expression of expressions) {
    for (const inner of walk(expression)) {
      if (inner.kind === 'column') {
        columns.set(inner.key, inner)
      }
    }
  }
  return [...columns.values()]
}

/** Returns an expression and all expressions in it. */
export function* walk(expression: Expression): Generator<Expression> {
  yield expression
  if (expression.kind === 'call' || expression.kind === 'aggregate') {
    for (const arg of expression.args) {
      yield* walk(arg)
    }
  }
  if (expression.kind === 'aggregate' && expression.condition) {
    yield* walk(expression.condition)
  }
}
