import { actorOfNumber } from '../columns/actor-numbers.ts'
import { Grouping, OTHERS } from '../columns/grouping.ts'
import type { Db } from '../db/client.ts'
import { type Asked, type Binned, findBins, planTrend, rankValues, shownOf } from './computation.ts'
import { feedSink } from './count.ts'
import { toDimension } from './dimensions.ts'
import { ActorCounter } from './maths/actor-counter.ts'
import { onlyFirsts } from './maths/table.ts'
import type { ProjectCalendar } from './periods.ts'
import { expectFewRows, expectReadable, feedOf, rowsToRead } from './plan.ts'
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
 * @throws invalid_input and required, attr the field of the request, if any; query_too_large, attr
 * the name of the limit
 */
export async function countBehind(
  db: Db,
  project: ProjectCalendar,
  asked: Asked & { point: AskedPoint }
): Promise<ActorCounts> {
  const planned = await planTrend(db, project, asked)
  const { series, period, bucket } = findPoint(planned.query, planned.periods, asked.point)
  const names = readValueNames(planned.query, asked.point)
  const whole = planned.parts[series]?.[period]
  if (!whole) {
    throw new Error('The trend has no such part.')
  }
  const part = partBehind(planned.query, whole, bucket)
  const { breakdowns } = planned.query
  // Only the events of all parts tell which values are "Other", and where bins begin.
  if (isOther(names) || breakdowns.some(({ binCount }) => binCount !== undefined)) {
    expectFewRows(planned.query, planned.parts.flat())
  }
  expectReadable(rowsToRead(part, breakdowns))
  const binned = await findBins(planned)
  const value = toValue(binned.query, names)
  const grouping = new Grouping(
    value === OTHERS ? await findShown(binned, series, asked.point) : [value ?? []].flat()
  )
  const counter = new ActorCounter(part, (group) => grouping.valueOf(group) === value)
  const feed = { ...feedOf(part, binned.query.breakdowns.map(toDimension)), listsActors: true }
  await feedSink(binned.knowledge, feed, grouping, onlyFirsts(part, counter))
  const counts = counter
    .counts()
    .map(({ number, count }) => ({ actor: actorOfNumber(number), count }))
  return { counts: counts.sort(byCount), ...rangeBehind(part) }
}

async function findShown(
  binned: Binned,
  series: number,
  { offset }: AskedPoint
): Promise<string[]> {
  const ranking = await rankValues(binned)
  return shownOf(binned.query, ranking[series]?.ranked ?? [], offset)
}
