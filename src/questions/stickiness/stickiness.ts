import { actorOfNumber } from '../../columns/actor-numbers.ts'
import { Grouping } from '../../columns/grouping.ts'
import { AppError } from '../../errors.ts'
import { type Period, toAction } from '../../trends/answer.ts'
import { planTrend } from '../../trends/computation.ts'
import { feedSink } from '../../trends/count.ts'
import { expectFew } from '../../trends/maths/limits.ts'
import { expectFewRows, feedOf, type TrendPart } from '../../trends/plan.ts'
import { type ActorCount, byCount } from '../../trends/point.ts'
import { sum } from '../../trends/sum.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import type { QuestionPlace } from '../place.ts'
import { ActiveIntervals, type Criteria, IntervalCounts, meets } from './intervals.ts'
import type { StickinessQuery } from './query.ts'

/** A series in the answer to a `StickinessQuery`. */
export type StickinessSeries = {
  action: object
  label: string
  /** The sum of `data`. */
  count: number
  /** The actors that were active in 1, 2, 3… intervals; if cumulative, in so many or more. */
  data: number[]
  /** The numbers of intervals. */
  days: number[]
  labels: string[]
  compare?: true
  compare_label?: 'current' | 'previous'
}

/**
 * Computes for each number of intervals how many actors were active in so many intervals of the
 * range. In a comparison, each series is followed by that of the earlier period.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeStickiness(
  { db, project, ...reading }: QuestionPlace,
  { trend, criteria, isCumulative }: StickinessQuery,
  now: Date
): Promise<{ results: StickinessSeries[]; resolved_date_range: ResolvedRange | null }> {
  const { query, periods, parts, knowledge } = await planTrend(db, project, {
    query: trend,
    now,
    ...reading
  })
  expectFewRows(query, parts.flat())
  const results: StickinessSeries[] = []
  for (const [i, series] of query.series.entries()) {
    for (const part of parts[i] ?? []) {
      const counts = new IntervalCounts(part.period.buckets.length)
      const intervals = new ActiveIntervals(criteria, counts.note)
      await feedSink(knowledge, feedOf(part, []), new Grouping(), intervals)
      const data = counts.numbers(isCumulative)
      results.push({
        action: toAction(series),
        label: series.customName ?? series.name,
        count: sum(data),
        data,
        ...axisOf(data.length, query.interval, isCumulative),
        ...comparisonOf(part.period)
      })
    }
  }
  return { results, resolved_date_range: resolveRange(periods[0]) }
}

const axisOf = (length: number, interval: string, isCumulative: boolean) => ({
  days: Array.from({ length }, (_, i) => i + 1),
  labels: Array.from({ length }, (_, i) => {
    const label = `${i + 1} ${interval}${i === 0 ? '' : 's'}`
    return isCumulative ? `${label} or more` : label
  })
})

const comparisonOf = ({ label }: Period) =>
  label && { compare: true as const, compare_label: label }

/** A bar of stickiness: the actors that were active in `day` intervals, in at least or at most so many. */
export type AskedStickiness = {
  /** The place of the series, from 0 on. */
  series: number
  day: number
  operator: Criteria['operator']
  isPrevious: boolean
}

/**
 * Lists the actors behind a bar of stickiness; `count` is the number of their intervals.
 * @throws invalid_input, attr `series`, `day` or `compare`; query_too_large, attr the name of the
 * limit
 */
export async function listStickiness(
  { db, project, ...reading }: QuestionPlace,
  { query: { trend, criteria }, bar }: { query: StickinessQuery; bar: AskedStickiness },
  now: Date
): Promise<ActorCount[]> {
  const { query, parts, knowledge } = await planTrend(db, project, {
    query: trend,
    now,
    ...reading
  })
  const part = findPart(parts, bar)
  expectFewRows(query, [part])
  const active = new Map<number, number>()
  const intervals = new ActiveIntervals(criteria, (actor, _, after) => {
    active.set(actor, after)
    expectFew(active.size)
  })
  await feedSink(knowledge, feedOf(part, []), new Grouping(), intervals)
  return [...active]
    .filter(([, count]) => count > 0 && meets({ operator: bar.operator, value: bar.day }, count))
    .map(([number, count]) => ({ actor: actorOfNumber(number), count }))
    .sort(byCount)
}

function findPart(
  parts: readonly TrendPart[][],
  { series, day, isPrevious }: AskedStickiness
): TrendPart {
  const periods = parts[series]
  if (!periods) {
    throw invalid(`\`series\` must be less than ${parts.length}; got ${series}.`, 'series')
  }
  const part = periods[isPrevious ? 1 : 0]
  if (!part) {
    throw invalid('The question has no previous period: send `compareFilter`.', 'compare')
  }
  const { length } = part.period.buckets
  if (!Number.isInteger(day) || day < 1 || day > length) {
    throw invalid(`\`day\` must be a number of intervals from 1 to ${length}; got ${day}.`, 'day')
  }
  return part
}

const invalid = (detail: string, attr: string) => new AppError('invalid_input', detail, attr)
