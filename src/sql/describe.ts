import { AGGREGATE_NAMES, findAggregate } from './aggregates/table.ts'
import { RESERVED } from './cursor.ts'
import { COMPARISONS } from './functions/comparisons.ts'
import { FUNCTION_NAMES, findFunction } from './functions/table.ts'
import type { Schema } from './schema.ts'
import { eventsSchema } from './tables/events.ts'
import { personsSchema } from './tables/persons.ts'
import { sessionsSchema } from './tables/sessions.ts'
import { INTERVAL_UNITS } from './tree.ts'
import type { Base } from './types.ts'
import type { OwnerName, Vocabulary, VocabularyTable } from './vocabulary.ts'

const PHRASES = [
  'SELECT',
  'SELECT DISTINCT',
  'FROM',
  'WHERE',
  'GROUP BY',
  'HAVING',
  'ORDER BY',
  'LIMIT',
  'OFFSET',
  'UNION ALL',
  'WITH',
  'AS',
  'AND',
  'OR',
  'NOT',
  'IN',
  'NOT IN',
  'LIKE',
  'NOT LIKE',
  'ILIKE',
  'NOT ILIKE',
  'BETWEEN',
  'IS NULL',
  'IS NOT NULL',
  'INTERVAL',
  'CASE',
  'WHEN',
  'THEN',
  'ELSE',
  'END',
  'DISTINCT',
  'ASC',
  'DESC',
  'NULLS FIRST',
  'true',
  'false',
  'NULL'
]

/** The columns of a table whose names end like this are members of an object. */
const MEMBER = '.x'

const OWNERS: Readonly<Record<string, OwnerName>> = {
  'events properties': 'event',
  'events person.properties': 'person',
  'events session': 'session',
  'persons properties': 'person'
}

function describeTable({ names: [name = ''], columns, find }: Schema): VocabularyTable {
  const owners = columns.flatMap((column) => {
    const path = column.slice(0, -MEMBER.length)
    const of = column.endsWith(MEMBER) ? OWNERS[`${name} ${path}`] : undefined
    return of ? [{ path, of }] : []
  })
  const typeOf = (column: string): string => {
    const steps = column.split('.').map((step) => ({ name: step, at: 0 }))
    const type = find(steps, column)?.type
    if (!type) {
      throw new Error(`The table ${name} lists ${column}, and does not have it.`)
    }
    return owners.some(({ path }) => path === column) ? 'json' : TYPES[type.base]
  }
  return {
    name,
    columns: columns
      .filter((column) => !column.endsWith(MEMBER))
      .map((column) => ({ name: column, type: typeOf(column) })),
    owners
  }
}

/** The types of values in plain words. */
const TYPES: Readonly<Record<Base, string>> = {
  int: 'number',
  float: 'number',
  bool: 'boolean',
  text: 'text',
  uuid: 'uuid',
  date: 'date',
  time: 'time',
  actor: 'uuid',
  identity: 'text',
  array: 'list',
  tuple: 'list',
  null: 'text'
}

/** The functions of operators, which are written as operators. */
const OPERATORS = new Set(COMPARISONS.map(({ name }) => name).concat('and', 'or', 'not'))

const takesNone = (arity: readonly [number, number] | undefined): boolean => arity?.[0] === 0

/** The names that statements of this service may have. */
export const VOCABULARY: Vocabulary = {
  tables: [
    eventsSchema(undefined, 'UTC', { event: new Map(), person: new Map() }),
    personsSchema(undefined, 'UTC', new Map()),
    sessionsSchema(undefined, 'UTC')
  ].map(describeTable),
  functions: [
    ...AGGREGATE_NAMES.map((name) => ({
      name,
      isAggregate: true,
      takesNone: !name.endsWith('If') && takesNone(findAggregate(name)?.definition.arity)
    })),
    ...FUNCTION_NAMES.filter((name) => !OPERATORS.has(name)).map((name) => ({
      name,
      isAggregate: false,
      takesNone: takesNone(findFunction(name)?.arity)
    }))
  ],
  phrases: PHRASES,
  keywords: [
    ...new Set([
      ...RESERVED,
      ...PHRASES.flatMap((phrase) => phrase.toLowerCase().split(' ')),
      ...['all', 'last', 'any', 'inf', 'nan']
    ])
  ],
  units: INTERVAL_UNITS
}
