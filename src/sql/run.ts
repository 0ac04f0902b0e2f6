import type { Knowledge } from '../trends/count.ts'
import { Kept } from './aggregates/accumulator.ts'
import { isCountedBySlots, readCounts } from './event-counts.ts'
import { isWhole, type Moment, readEvents, readMoments } from './events.ts'
import { columnsOf, type Expression } from './expression.ts'
import type { Setting } from './functions/definition.ts'
import { Groups } from './groups.ts'
import type { IdTexts } from './ids.ts'
import { readPersons } from './persons.ts'
import {
  type AnswerExpression,
  joinConditions,
  type SelectPlan,
  type StatementPlan
} from './plan.ts'
import { reachOf } from './reach.ts'
import { type AnswerRow, AnswerRows, isId } from './rows.ts'
import { type TableName, toColumn } from './schema.ts'
import { readSessions } from './sessions.ts'
import { firstRowsOf, type ReadTable, type TableChunk } from './table-rows.ts'
import { exactTime, int, type SqlValue } from './types.ts'
import { type Chunk, Evaluation, flat } from './vector.ts'

/** Where a statement is computed. */
export type Running = { knowledge: Knowledge; ids: IdTexts; setting: Setting }

/**
 * Computes the rows of a statement.
 * @throws query_too_large, attr the limit; StatementError for a value that cannot be computed
 */
export async function runStatement(running: Running, plan: StatementPlan): Promise<SqlValue[][]> {
  await runMembers(running, plan)
  const results: SqlValue[][] = []
  for (const select of plan.selects) {
    const rows = await runSelect(running, select, select.limit)
    for (const { cells } of rows.slice(0, select.limit)) {
      results.push(cells)
    }
  }
  return results
}

/**
 * Computes the rows of an answer, and one more if there are more.
 * @param limit of the rows @throws the errors of `runStatement`
 */
export async function runAnswer(
  running: Running,
  plan: StatementPlan,
  limit: number
): Promise<SqlValue[][]> {
  const [first, ...others] = plan.selects
  if (!first || others.length > 0) {
    const rows = await runStatement(running, plan)
    return rows.slice(0, limit + 1)
  }
  await runMembers(running, plan)
  const rows = await runSelect(running, first, limit)
  return rows.map(({ cells }) => cells)
}

/** Computes the subqueries of IN. */
async function runMembers(running: Running, { members }: StatementPlan): Promise<void> {
  for (const { plan, rows } of members) {
    const values = await runStatement(running, plan)
    for (const [value] of values) {
      rows.push(value ?? null)
    }
  }
}

async function runSelect(
  running: Running,
  plan: SelectPlan,
  limit: number | undefined
): Promise<AnswerRow[]> {
  const rows = new AnswerRows(plan, limit)
  if (plan.groupBy) {
    const groups = new Groups(plan.groupBy, new Kept())
    await readChunks(running, plan, limit, (evaluation, mask) => {
      groups.add(evaluation, mask)
      return true
    })
    addRows(rows, plan, groups.toChunk())
  } else {
    await readChunks(running, plan, limit, (evaluation, mask) =>
      rows.add(evaluation, keep(evaluation, mask, plan.having))
    )
  }
  await writeOrder(running.ids, plan, rows.all)
  return rows.finish()
}

function addRows(rows: AnswerRows, plan: SelectPlan, chunk: Chunk): void {
  const evaluation = new Evaluation(chunk)
  const all = new Uint8Array(chunk.length).fill(1)
  rows.add(evaluation, keep(evaluation, all, plan.having))
}

/** Narrows a mask to the rows for which a condition holds. */
function keep(
  evaluation: Evaluation,
  mask: Uint8Array,
  condition: Expression | undefined
): Uint8Array {
  if (!condition) {
    return mask
  }
  const own = evaluation.maskOf(condition)
  for (let row = 0; row < mask.length; row += 1) {
    mask[row] = (mask[row] ?? 0) & (own[row] ?? 0)
  }
  return mask
}

/** Takes rows, and a mask of those that count. @returns whether to go on */
type Take = (evaluation: Evaluation, mask: Uint8Array) => boolean

async function readChunks(
  running: Running,
  plan: SelectPlan,
  limit: number | undefined,
  take: Take
): Promise<void> {
  const { source, where } = plan
  if (source.kind === 'table') {
    await readTable(running, { ...plan, source }, limit, take)
    return
  }
  const chunk = source.kind === 'none' ? ONE_ROW : await readRows(running, source.plan)
  const evaluation = new Evaluation(chunk)
  take(evaluation, keep(evaluation, new Uint8Array(chunk.length).fill(1), where))
}

/** A SELECT without a table has one row. */
const ONE_ROW: Chunk = { length: 1, columns: new Map() }

const READERS: Readonly<Record<TableName, ReadTable>> = {
  events: readEvents,
  persons: readPersons,
  sessions: readSessions
}

type TablePlan = SelectPlan & { source: { kind: 'table'; table: TableName } }

async function readTable(
  running: Running,
  plan: TablePlan,
  limit: number | undefined,
  take: Take
): Promise<void> {
  const reach = reachOf(plan.where, running.setting)
  const rest = joinConditions(reach.rest, running.setting)
  const columns = columnsOf([...(rest ? [rest] : []), ...plan.reads])
  const takeChunk = (chunk: TableChunk): boolean => {
    const evaluation = new Evaluation(chunk)
    const mask = new Uint8Array(chunk.length).fill(1, chunk.from, chunk.until)
    return take(evaluation, keep(evaluation, mask, rest))
  }
  const first = firstRowsOf(plan, reach, limit)
  const { groupBy } = plan
  const isOfEvents = plan.source.table === 'events'
  if (
    isOfEvents &&
    groupBy &&
    isCountedBySlots(groupBy.aggregates, [...groupBy.keys, ...reach.rest])
  ) {
    await readCounts(running, { reach, columns, first }, takeChunk)
    return
  }
  const moments = await findMoments(running, plan, limit)
  if (moments) {
    await readMoments(running, moments, columns, takeChunk)
    return
  }
  await READERS[plan.source.table](running, { reach, columns, first }, takeChunk)
}

const TIME = toColumn(0, { kind: 'timestamp' }, exactTime('UTC'), 'timestamp')
const EVENT_ID = toColumn(0, { kind: 'event_id' }, int('UInt32'), 'event')

/**
 * Finds when the events of an answer happened, if the answer has what only rows have, and columns
 * tell which events it has: then few rows have to be read.
 */
async function findMoments(
  running: Running,
  plan: TablePlan,
  limit: number | undefined
): Promise<Moment[] | undefined> {
  const { source, where, groupBy, isDistinct, offset, having, orderBy, limitBy } = plan
  const deciding = [
    ...(where ? [where] : []),
    ...(having ? [having] : []),
    ...orderBy.map(({ expression }) => expression),
    ...(limitBy?.keys ?? [])
  ]
  const needsRows = (expressions: readonly Expression[]): boolean =>
    columnsOf(expressions).some(({ field }) => isWhole(field))
  const isSettled =
    source.table !== 'events' ||
    limit === undefined ||
    groupBy ||
    isDistinct ||
    !needsRows(plan.reads) ||
    needsRows(deciding)
  if (isSettled) {
    return undefined
  }
  const columns = [TIME, EVENT_ID].map((expression) => ({
    name: expression.label,
    type: expression.type,
    expression
  }))
  const reads = [TIME, EVENT_ID, ...deciding]
  const found = await runSelect(running, { ...plan, columns, reads, offset: 0 }, offset + limit)
  const moments = found.map(({ cells: [time, eventId] }) => ({
    time: Number(time),
    eventId: Number(eventId)
  }))
  return [...new Map(moments.map((moment) => [JSON.stringify(moment), moment])).values()]
}

async function readRows(running: Running, plan: StatementPlan): Promise<Chunk> {
  const rows = await runStatement(running, plan)
  const columns = plan.columns.map(
    (_, place) =>
      [
        JSON.stringify({ kind: 'row', place }),
        flat(rows.map((cells) => cells[place] ?? null))
      ] as const
  )
  return { length: rows.length, columns: new Map(columns) }
}

/** Replaces the numbers by which rows are ordered with the ids for which they stand. */
async function writeOrder(
  ids: IdTexts,
  { orderBy }: SelectPlan,
  rows: readonly AnswerRow[]
): Promise<void> {
  const lists = rows.map(({ order }) => order)
  for (const [place, { expression }] of orderBy.entries()) {
    await writeIds(ids, expression.type.base, lists, place)
  }
}

/** Replaces the numbers in a column of an answer with the ids for which they stand. */
export async function writeColumns(
  ids: IdTexts,
  columns: readonly Pick<AnswerExpression, 'type'>[],
  rows: readonly SqlValue[][]
): Promise<void> {
  for (const [place, { type }] of columns.entries()) {
    await writeIds(ids, type.base, rows, place)
  }
}

async function writeIds(
  ids: IdTexts,
  base: string,
  rows: readonly SqlValue[][],
  place: number
): Promise<void> {
  if (!isId(base)) {
    return
  }
  const numbers = rows.flatMap((cells) => {
    const value = cells[place]
    return typeof value === 'number' ? [value] : []
  })
  const texts = base === 'actor' ? await ids.uuidsOf(numbers) : await ids.distinctIdsOf(numbers)
  for (const cells of rows) {
    const value = cells[place]
    cells[place] = typeof value === 'number' ? (texts.get(value) ?? null) : null
  }
}
