import { actorOf } from '../columns/actor-numbers.ts'
import type { Db } from '../db/client.ts'
import { type Asked, Computation } from './computation.ts'
import { Grouping, OTHERS } from '../columns/grouping.ts'
import { ActorCounter } from './maths/actor-counter.ts'
import { onlyFirsts } from './maths/table.ts'
import type { Project } from './periods.ts'
import { expectFewRows, expectReadable, rowsOf } from './plan.ts'
import {
  type ActorCounts,
  type AskedPoint,
  byCount,
  findPoint,
  isOther,
  partBehind,
  rangeBehind,
  readValueNames,
  toValue
} from './point.ts'

/**
 * Counts the events of each actor behind a point of a trend.
 * @throws invalid_input and required, attr the field of the request, if any; query_too_large, attr the name of the limit
 */
export async function countBehind(
  db: Db,
  project: Project,
  asked: Asked & { point: AskedPoint }
): Promise<ActorCounts> {
  const computation = await Computation.plan(db, project, asked)
  const { query, periods, parts } = computation
  const { series, period, bucket } = findPoint(query, periods, asked.point)
  const names = readValueNames(query, asked.point)
  const whole = parts[series]?.[period]
  if (!whole) {
    throw new Error('The trend has no such part.')
  }
  const part = partBehind(query, whole, bucket)
  // Only the events of all parts tell which values are "Other", and where bins begin.
  if (isOther(names) || query.breakdowns.some(({ binCount }) => binCount !== undefined)) {
    expectFewRows(query, parts.flat())
  }
  expectReadable(rowsOf(part, query.breakdowns))
  await computation.readBins()
  const value = toValue({ ...query, breakdowns: computation.breakdowns }, names)
  const grouping = new Grouping(
    value === OTHERS ? await readShown(computation, series, asked.point) : [value ?? []].flat()
  )
  const counter = new ActorCounter(part, (group) => grouping.valueOf(group) === value)
  await computation.feed(part, computation.breakdowns, grouping, onlyFirsts(part, counter))
  const counts = counter.counts().map(({ number, count }) => ({ actor: actorOf(number), count }))
  return { counts: counts.sort(byCount), ...rangeBehind(part) }
}

/** Returns the breakdown values that a series shows on the page at `offset`. */
async function readShown(
  computation: Computation,
  series: number,
  { offset }: AskedPoint
): Promise<string[]> {
  const ranked = computation.rank(await computation.readBrokenDown())
  return computation.shownOf(ranked[series] ?? [], offset)
}
