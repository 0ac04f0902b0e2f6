import { decidersOf } from '../columns/filter.ts'
import type { Db, ProjectDb } from '../db/client.ts'
import type { AppError } from '../errors.ts'
import {
  findEventKinds,
  listNames,
  listPersonProperties,
  type PropertyRow
} from '../events/definitions/store.ts'
import type { Json } from '../input/json.ts'
import { resolveCohorts } from '../membership/resolve.ts'
import { Knowledge } from '../trends/count.ts'
import type { ProjectCalendar } from '../trends/periods.ts'
import type { Setting } from './functions/definition.ts'
import { printDay, printTime } from './functions/times.ts'
import { IdTexts } from './ids.ts'
import { parseStatement } from './parse.ts'
import { readsPersons } from './person-reads.ts'
import { fillingOf } from './placeholders.ts'
import { MAX_LIMIT, planStatement, type SelectPlan, type StatementPlan } from './plan.ts'
import type { SqlQuery } from './request.ts'
import {
  DEFAULT_LIMIT,
  expectWhole,
  type ListScope,
  limitRows,
  type RowLimit
} from './row-limit.ts'
import { runAnswer, writeColumns } from './run.ts'
import type { Kinds, PropertyKinds } from './schema.ts'
import { locating, type StatementError, toAppError } from './statement-error.ts'
import type { SqlStatement } from './tree.ts'
import { printType, type SqlType, type SqlValue } from './types.ts'

/** Where a statement is computed. */
export type SqlScope = {
  db: ProjectDb & Db
  project: ProjectCalendar
  stepEvents?: number
} & ListScope

/** The answer to a `HogQLQuery`. */
export type SqlAnswer = {
  results: Json[][]
  columns: string[]
  /** For each column, its name and the type of its values. */
  types: [name: string, type: string][]
  /** Whether there are more rows after these. */
  hasMore: boolean
  limit: number
  offset: number
  query: string
  clickhouse: null
  warnings: string[]
}

/**
 * Computes the answer to a statement.
 * @throws invalid_input, attr `query`, with the line and column of what is wrong; query_too_large,
 * attr the limit
 */
export const computeSql = (scope: SqlScope, query: SqlQuery, now: Date): Promise<SqlAnswer> =>
  locating(inText(query), async () =>
    computeStatement(scope, query, parseStatement(query.text), now)
  )

const inText =
  ({ text }: SqlQuery) =>
  (error: StatementError): AppError =>
    toAppError(text, error)

/** Computes the answer to a parsed statement. @throws StatementError; query_too_large */
export const computeStatement = async (
  scope: SqlScope,
  query: SqlQuery,
  statement: SqlStatement,
  now: Date
): Promise<SqlAnswer> => compute(scope, query, await prepare(scope, query, statement, now))

/**
 * Returns the columns of the answer to a statement, without computing it. @throws invalid_input, attr
 * `query`, for a statement that has no answer
 */
export const checkSql = (
  scope: SqlScope,
  query: SqlQuery,
  now: Date
): Promise<SqlAnswer['types']> =>
  locating(inText(query), async () => checkStatement(scope, query, parseStatement(query.text), now))

/** Returns the columns of the answer to a parsed statement. @throws StatementError */
export const checkStatement = async (
  scope: SqlScope,
  query: SqlQuery,
  statement: SqlStatement,
  now: Date
): Promise<SqlAnswer['types']> => typesOf((await prepare(scope, query, statement, now)).plan)

const typesOf = ({ columns }: StatementPlan): SqlAnswer['types'] =>
  columns.map(({ name, type }) => [name, printType(type)])

type Prepared = {
  plan: StatementPlan
  knowledge: Knowledge
  setting: Setting
  /** What planning and computing found that a client has to know. */
  noted: ReadonlySet<string>
}

async function prepare(
  scope: SqlScope,
  query: SqlQuery,
  statement: SqlStatement,
  now: Date
): Promise<Prepared> {
  const { db, project, stepEvents } = scope
  const groups = query.filters ? [query.filters.group] : []
  const filtering = {
    deciders: decidersOf(groups, project.timezone, now),
    cohorts: await resolveCohorts(db, project, groups, now, stepEvents)
  }
  const knowledge = new Knowledge(db, project.id, filtering, stepEvents)
  const noted = new Set<string>()
  const setting: Setting = {
    timezone: project.timezone,
    weekStart: project.weekStart,
    now,
    work: knowledge.work,
    warn: (text) => noted.add(text)
  }
  const plan = planStatement(statement, {
    setting,
    kinds: await readKinds(scope, query, statement),
    fill: fillingOf(query, project, now)
  })
  if (readsPersons(plan) && !query.namesPersons) {
    throw new Error('The statement reads persons, which its words do not tell.')
  }
  return { plan, knowledge, setting, noted }
}

async function compute(
  scope: SqlScope,
  query: SqlQuery,
  { plan, knowledge, setting, noted }: Prepared
): Promise<SqlAnswer> {
  const { db, project } = scope
  const ids = new IdTexts(db, project.id)
  const limits = limitsOf(plan, scope)
  const { limit, offset, warnings } = limits
  const rows = await runAnswer({ knowledge, ids, setting }, plan, limit)
  expectWhole(limits, rows.length > limit)
  const shown = rows.slice(0, limit)
  await writeColumns(ids, plan.columns, shown)
  const prints = plan.columns.map(({ type }) => printerOf(type))
  return {
    results: shown.map((cells) => cells.map((cell, i) => prints[i]?.(cell) ?? null)),
    columns: plan.columns.map(({ name }) => name),
    types: typesOf(plan),
    hasMore: rows.length > limit,
    limit,
    offset,
    query: query.text,
    clickhouse: null,
    warnings: [...query.warnings, ...warnings, ...noted]
  }
}

/** Finds the types of properties, if a statement names any. */
async function readKinds(
  { db, project }: SqlScope,
  { text, namesPersons }: SqlQuery,
  { selects }: SqlStatement
): Promise<PropertyKinds> {
  const scope = { db, project }
  const isOfEvents = selects.some(({ from }) => from !== undefined) && /properties/i.test(text)
  const names = isOfEvents ? await listNames(scope) : []
  const ids = names.map(({ id }) => id)
  const events = ids.length > 0 ? await findEventKinds(scope, ids) : []
  return {
    event: toKinds(events),
    person: toKinds(namesPersons ? await listPersonProperties(scope) : [])
  }
}

const toKinds = (rows: readonly PropertyRow[]): Kinds =>
  new Map(rows.map(({ name, kind }) => [name, kind]))

/** Returns the limit of an answer, and what a client has to know about it. */
function limitsOf(
  { selects }: StatementPlan,
  scope: ListScope
): RowLimit & { offset: number; warnings: string[] } {
  const limits = selects.map(({ limit }) => limit)
  const [first] = selects
  const offset = selects.length === 1 ? (first?.offset ?? 0) : 0
  const given = limits.includes(undefined) ? undefined : sumOf(limits)
  if (given !== undefined && given > MAX_LIMIT) {
    const warnings = [`At most ${MAX_LIMIT} rows are returned.`]
    return { limit: MAX_LIMIT, isWhole: scope.isExport === true, offset, warnings }
  }
  const warnings = given === undefined && !isOneRow(selects) ? [NO_LIMIT] : []
  return { ...limitRows(given, MAX_LIMIT, scope), offset, warnings }
}

const NO_LIMIT = `The statement has no LIMIT, so at most ${DEFAULT_LIMIT} rows are returned: \`hasMore\` tells whether there are more.`

const sumOf = (limits: readonly (number | undefined)[]): number =>
  limits.reduce<number>((sum, limit) => sum + (limit ?? 0), 0)

/** Whether each SELECT has one row: totals, or constants. */
const isOneRow = (selects: readonly SelectPlan[]): boolean =>
  selects.every(({ groupBy, source }) => groupBy?.keys.length === 0 || source.kind === 'none')

/** Returns the function that writes the values of a type as JSON. */
function printerOf(type: SqlType): (value: SqlValue) => Json {
  const [first] = type.items ?? []
  if (type.base === 'array' || type.base === 'tuple') {
    const prints = (type.items ?? []).map(printerOf)
    const every = type.base === 'array' && first ? printerOf(first) : undefined
    return (value) =>
      Array.isArray(value) ? value.map((item, i) => (every ?? prints[i])?.(item) ?? null) : null
  }
  const print = jsonOf(type)
  return (value) => (typeof value === 'number' || typeof value === 'string' ? print(value) : null)
}

function jsonOf({ base, name, zone }: SqlType): (value: number | string) => Json {
  switch (base) {
    case 'time':
      return (value) => printTime(Number(value), zone ?? 'UTC')
    case 'date':
      return (value) => printDay(Number(value))
    case 'bool':
      return (value) => (name === 'Bool' ? value === 1 : value)
    default:
      return (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value)
  }
}
