import type { Bucket } from '../../calendar/buckets.ts'
import { toIsoIn } from '../../calendar/clock.ts'
import { MAX_POINTS } from '../../charts/chart.ts'
import { actorOfNumber } from '../../columns/actor-numbers.ts'
import { Grouping, OTHERS, type Value } from '../../columns/grouping.ts'
import { AppError } from '../../errors.ts'
import { isSame, type Json } from '../../input/json.ts'
import { show } from '../../input/show.ts'
import { type Binned, findBins, planTrend, rankValues, shownOf } from '../../trends/computation.ts'
import { feedSink } from '../../trends/count.ts'
import { toDimension } from '../../trends/dimensions.ts'
import { UNLISTED } from '../../trends/lines.ts'
import type { Sink } from '../../trends/maths/accumulator.ts'
import { BEFORE } from '../../trends/maths/firsts.ts'
import { expectFew } from '../../trends/maths/limits.ts'
import { MATHS, onlyFirsts } from '../../trends/maths/table.ts'
import { expectFewRows, feedOf, type TrendPart } from '../../trends/plan.ts'
import { type ActorCount, byCount } from '../../trends/point.ts'
import { OTHER } from '../../trends/value-names.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { QuestionPlace } from '../place.ts'
import type { RetentionColumns } from './columns.ts'
import { Members, type MembersOptions } from './members.ts'
import type { RetentionQuery } from './query.ts'
import { appearancesIn, countTables } from './tables.ts'

/** A row in the answer to a `RetentionQuery`. */
export type RetentionRow = {
  /** The place of the period, such as `Day 0`. */
  label: string
  /** When the period begins, in the time zone of the project. */
  date: string
  /** The value of the breakdown: `''` for events without one, null without a breakdown. */
  breakdown_value: string | null
  values: RetentionValue[]
}

export type RetentionValue = {
  count: number
  label: string
  /** Whether the number may still grow, or the column lies beyond the range. */
  complete?: false
}

/** Retention that is planned: its parts, and the parts from which members and returns are read. */
type PlannedRetention = Binned & {
  target: TrendPart
  /** Undefined if the events by which members come back are those of `target`. */
  returning: TrendPart | undefined
  buckets: readonly Bucket[]
}

/**
 * Computes who came back. A row has the actors with a target event in its period: their number in
 * column 0, and in the other columns how many of them had the returning event so much later.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeRetention(
  place: QuestionPlace,
  query: RetentionQuery,
  now: Date
): Promise<{ results: RetentionRow[]; resolved_date_range: ResolvedRange | null }> {
  const planned = await planRetention(place, query, now)
  const { buckets } = planned
  const { columns } = query
  const shown = await findShown(planned)
  const grouping = new Grouping(shown)
  const periods = buckets.length
  const members = await readMembers(planned, grouping, { ...query, rows: periods, periods })
  const tables = new Map<Value, Int32Array>(
    [...countTables(members, query)].map(([group, table]) => [
      shown ? grouping.valueOf(group) : null,
      table
    ])
  )
  const listed = shown ? [...shown, ...UNLISTED.filter((value) => tables.has(value))] : [null]
  const isListed = (value: Value) => value !== OTHERS || !planned.query.hidesOther
  return {
    results: listed.filter(isListed).flatMap((value) =>
      buckets.map((bucket, row) => ({
        label: `${query.period} ${row}`,
        date: toIsoIn(bucket.from, place.project.timezone),
        breakdown_value: shown ? nameOf(value) : null,
        values: valuesOf(tables.get(value), columns, { buckets, row, now })
      }))
    ),
    resolved_date_range: resolveRange({ buckets: planned.target.period.buckets })
  }
}

const nameOf = (value: Value): string => (value === OTHERS ? OTHER : (value ?? ''))

/** Returns the numbers of a row; nobody is in a table that does not exist. */
const valuesOf = (
  table: Int32Array | undefined,
  { labels, last }: RetentionColumns,
  { buckets, row, now }: { buckets: readonly Bucket[]; row: number; now: Date }
): RetentionValue[] =>
  labels.map((label, column) => {
    const end = buckets[row + (last[column] ?? 0)]?.until ?? Number.POSITIVE_INFINITY
    return {
      count: table?.[row * labels.length + column] ?? 0,
      label,
      ...(end > now.getTime() && { complete: false as const })
    }
  })

/** A row of a retention table; `value` is a `breakdown_value` of the answer. */
export type AskedRow = { row: number; value: string | undefined }

/** A member of a row, the number of columns that count it, and a function that lists them. */
export type RetainedActor = ActorCount & { appearances: () => number[] }

/**
 * Lists the members of a row, those in most columns first.
 * @throws invalid_input and required, attr `interval` or `breakdown`; query_too_large, attr the
 * name of the limit
 */
export async function listRetained(
  place: QuestionPlace,
  { query, asked }: { query: RetentionQuery; asked: AskedRow },
  now: Date
): Promise<RetainedActor[]> {
  const planned = await planRetention(place, query, now)
  const value = readValue(planned, asked)
  const grouping = new Grouping(value === OTHERS ? await findShown(planned) : [value ?? []].flat())
  const periods = query.columns.ofDistance.length
  const narrowed = narrow(planned, query, asked.row)
  const members = await readMembers(narrowed, grouping, { ...query, rows: 1, periods })
  const appearancesOf = appearancesIn(members, query)
  const listed: RetainedActor[] = []
  for (let place = 0; place < members.size; place += 1) {
    if (grouping.valueOf(members.groupOf(place)) === value) {
      const actor = actorOfNumber(members.actorOf(place))
      const count = appearancesOf(place).length
      listed.push({ actor, count, appearances: () => appearancesOf(place) })
      expectFew(listed.length)
    }
  }
  return listed.sort(byCount)
}

/** @throws invalid_input or required, attr the field */
function readValue({ query, buckets }: PlannedRetention, { row, value }: AskedRow): Value {
  if (!Number.isInteger(row) || row < 0 || row >= buckets.length) {
    throw new AppError(
      'invalid_input',
      `\`interval\` must be the place of a row, from 0 to ${buckets.length - 1}; got ${show(row)}.`,
      'interval'
    )
  }
  if (query.breakdowns.length === 0) {
    if (value !== undefined) {
      throw new AppError(
        'invalid_input',
        'The question has no breakdown: leave `breakdown` out.',
        'breakdown'
      )
    }
    return null
  }
  if (value === undefined) {
    throw new AppError('required', 'This field is required.', 'breakdown')
  }
  return value === OTHER ? OTHERS : value || null
}

/** Narrows the parts to a row, which becomes period 0, and to the periods of its columns. */
function narrow(
  planned: PlannedRetention,
  { columns, isFirstOnly }: RetentionQuery,
  row: number
): PlannedRetention {
  const end = row + columns.ofDistance.length
  const { target, returning } = planned
  return {
    ...planned,
    // Earlier events tell which event of an actor is the first.
    target: cut(target, row, { first: isFirstOnly ? BEFORE : row, end: returning ? row + 1 : end }),
    returning: returning && cut(returning, row, { first: row + 1, end })
  }
}

const cut = (
  part: TrendPart,
  row: number,
  { first, end }: { first: number; end: number }
): TrendPart => ({
  ...part,
  pieces: part.pieces
    .filter(({ point }) => point >= first && point < end)
    .map((piece) => ({ ...piece, point: piece.point < row ? BEFORE : piece.point - row }))
})

async function planRetention(
  { db, project, ...reading }: QuestionPlace,
  { trend, columns }: RetentionQuery,
  now: Date
): Promise<PlannedRetention> {
  const planned = await planTrend(db, project, { query: trend, now, ...reading })
  const [target, returning] = planned.parts.flat()
  if (!target || !returning) {
    throw new Error('Retention has two series.')
  }
  const { buckets } = target.period
  expectFewValues(planned.query.breakdowns.length > 0 ? trend.breakdownLimit + 2 : 1, {
    rows: buckets.length,
    columns: columns.labels.length
  })
  const [a, b] = planned.query.series
  // Filters are plain JSON.
  const isSameEvents = a?.event === b?.event && isSame(a?.filters as Json, b?.filters as Json)
  expectFewRows(planned.query, isSameEvents ? [target] : [target, returning])
  return {
    ...(await findBins(planned)),
    target,
    returning: isSameEvents ? undefined : returning,
    buckets
  }
}

/** @throws query_too_large, attr `points` */
function expectFewValues(values: number, { rows, columns }: { rows: number; columns: number }) {
  const points = values * rows * columns
  if (points > MAX_POINTS) {
    throw new AppError(
      'query_too_large',
      `The answer would have up to ${points} numbers (breakdown values × rows × columns), and at most ${MAX_POINTS} are allowed: choose a shorter range, a longer period or fewer columns.`,
      'points'
    )
  }
}

/** Returns the values of the breakdown with most members in all rows; undefined without one. */
async function findShown(planned: PlannedRetention): Promise<string[] | undefined> {
  if (planned.query.breakdowns.length === 0) {
    return undefined
  }
  const [series] = await rankValues({ ...planned, parts: [[planned.target]] })
  return shownOf(planned.query, series?.ranked ?? [], 0)
}

/** Reads the events that make members, then those by which they come back, or both at once. */
async function readMembers(
  { query, knowledge, target, returning }: PlannedRetention,
  grouping: Grouping,
  options: Omit<MembersOptions, 'isSameEvents'>
): Promise<Members> {
  const members = new Members({ ...options, isSameEvents: !returning })
  const dimensions = query.breakdowns.map(toDimension)
  // First events alone decide the value of a member.
  const isFirst = MATHS[target.math].first !== undefined
  const targets = onlyFirsts(target, { add: members.addTargets.bind(members) })
  const returns: Sink = { add: members.addReturns.bind(members) }
  if (returning) {
    await feedSink(knowledge, feedOf(target, dimensions), grouping, targets)
    await feedSink(knowledge, feedOf(returning, isFirst ? [] : dimensions), grouping, returns)
    return members
  }
  const oneByOne: Sink = {
    add(...events) {
      targets.add(...events)
      returns.add(...events)
    }
  }
  const both: Sink = { add: members.addBoth.bind(members) }
  await feedSink(knowledge, feedOf(target, dimensions), grouping, isFirst ? oneByOne : both)
  return members
}
