import type { Knowledge } from '../trends/count.ts'
import type { ColumnRead, Expression } from './expression.ts'
import type { IdTexts } from './ids.ts'
import type { SelectPlan } from './plan.ts'
import type { Reach } from './reach.ts'
import type { SqlValue } from './types.ts'
import { type Chunk, dictionary, type Vector } from './vector.ts'

/** Where tables are read. */
export type TableReading = { knowledge: Knowledge; ids: IdTexts }

/** The columns and rows to read of a table. */
export type AskedRows = {
  reach: Reach
  columns: readonly (Expression & ColumnRead)[]
  /** Undefined if all rows have to be read. */
  first: FirstRows | undefined
}

/** The rows that are enough for an answer: so many of the earliest or of the latest ones. */
export type FirstRows = {
  count: number
  isNewest: boolean
  /** Whether each row that is read is one of the answer, so that no others need to be read. */
  isExact: boolean
}

/** Rows of a table; those from `from` up to `until` are in the range of time. */
export type TableChunk = Chunk & { from: number; until: number }

/** Takes rows. @returns whether to go on */
export type TakeChunk = (chunk: TableChunk) => boolean

/** Takes rows, also by way of the database. @returns whether to go on */
export type TakeSlowly = (chunk: TableChunk) => boolean | Promise<boolean>

/**
 * Reads the rows of a table that a condition is about, with some columns.
 * @throws query_too_large, attr `rows`, before rows are read
 */
export type ReadTable = (reading: TableReading, asked: AskedRows, take: TakeChunk) => Promise<void>

/** Returns which rows are enough for a SELECT whose answer begins or ends in the order of time. */
export function firstRowsOf(
  plan: SelectPlan,
  { rest }: Reach,
  limit: number | undefined
): FirstRows | undefined {
  const { orderBy, offset, having } = plan
  const [order] = orderBy
  if (limit === undefined || isGathered(plan) || (order && !isByTime(plan))) {
    return undefined
  }
  return {
    count: offset + limit + 1,
    isNewest: order?.isDescending ?? false,
    isExact: rest.length === 0 && having === undefined
  }
}

/** Whether a table is read in the order of the answer. */
export const isReadInOrder = (plan: SelectPlan): boolean =>
  plan.source.kind === 'table' &&
  plan.source.table === 'persons' &&
  isByTime(plan) &&
  !isGathered(plan)

/** Whether a row of the answer is made of several rows. */
const isGathered = ({ groupBy, isDistinct, limitBy }: SelectPlan): boolean =>
  groupBy !== undefined || limitBy !== undefined || isDistinct

function isByTime({ orderBy: [order] }: SelectPlan): boolean {
  const { expression } = order ?? {}
  return expression?.kind === 'column' && expression.field.kind === 'timestamp'
}

/** Returns the texts of numbers, each different one once. */
export function textsOf(numbers: ArrayLike<number>, textOf: (number: number) => SqlValue): Vector {
  const places = new Map<number, number>()
  const values: SqlValue[] = []
  const codes = new Uint32Array(numbers.length)
  for (let i = 0; i < codes.length; i += 1) {
    const number = numbers[i] ?? 0
    const place = places.get(number) ?? places.size
    if (place === places.size) {
      places.set(number, place)
      values.push(textOf(number))
    }
    codes[i] = place
  }
  return dictionary(codes, values)
}
