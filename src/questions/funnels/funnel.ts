import type { Range } from '../../calendar/buckets.ts'
import { actorOfNumber } from '../../columns/actor-numbers.ts'
import { Grouping } from '../../columns/grouping.ts'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { Period } from '../../trends/answer.ts'
import { findBins, planTrend, tooManyBreakdownValues } from '../../trends/computation.ts'
import { toDimension } from '../../trends/dimensions.ts'
import { expectFew, MAX_BREAKDOWN_VALUES } from '../../trends/maths/limits.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import { expectReadable, rowsToRead } from '../../trends/plan.ts'
import { type ActorCount, byCount } from '../../trends/point.ts'
import type { SeriesQuery } from '../../trends/query.ts'
import { sum } from '../../trends/sum.ts'
import { type ResolvedRange, resolveRange } from '../date-range.ts'
import { divide, streamEvents } from '../stream.ts'
import { conversionOf, type FollowedFunnel, type FunnelAnswer, stepsOf, timesOf } from './answer.ts'
import type { FunnelQuery } from './query.ts'
import { FunnelRuns } from './runs.ts'
import { ShownValues } from './values.ts'

/**
 * Where a funnel is computed. `stepEvents` is the approximate number of events read at once; it does
 * not change the answer.
 */
type FunnelScope = { db: Db; project: ProjectCalendar; stepEvents?: number }

/** Characters that the values of the breakdown may have together, once for each step. */
const MAX_STEP_TEXT = 2_000_000

/** All events: in a strict funnel, those between the steps count. */
const ANY: SeriesQuery = {
  event: null,
  name: 'All events',
  customName: null,
  order: 0,
  math: 'total',
  property: undefined,
  filters: { type: 'AND', values: [] },
  properties: {}
}

/**
 * Computes a funnel. An actor counts by the best attempt within the range: the first one that got
 * furthest.
 * @throws query_too_large, attr the name of the limit
 */
export async function computeFunnels(
  scope: FunnelScope,
  query: FunnelQuery,
  now: Date
): Promise<FunnelAnswer & { resolved_date_range: ResolvedRange | null }> {
  const followed = await follow(scope, query, now)
  return { ...answerOf(followed, now), resolved_date_range: resolveRange(followed.period) }
}

function answerOf(followed: FollowedFunnel, now: Date): FunnelAnswer {
  switch (followed.query.view) {
    case 'steps':
      return stepsOf(followed)
    case 'time_to_convert':
      return timesOf(followed)
    case 'trends':
      return conversionOf(followed, now)
  }
}

async function follow(
  { db, project, stepEvents }: FunnelScope,
  query: FunnelQuery,
  now: Date
): Promise<FollowedFunnel> {
  const { trend, rules } = query
  const series = rules.order === 'strict' ? [...trend.series, ANY] : trend.series
  const asked = { query: { ...trend, series }, now, ...(stepEvents && { stepEvents }) }
  const planned = await planTrend(db, project, asked)
  const [period] = planned.periods
  const parts = planned.parts.flatMap(([part]) => part ?? [])
  const [part] = parts
  const { from, until } = rangeOf(period)
  const entities = parts.map(({ filters, overview }, i) => ({
    event: series[i]?.event ?? null,
    filters,
    overview
  }))
  if (!part || !period) {
    throw new Error('A funnel was planned without a period.')
  }
  const rows = sum(divide(entities).map(({ overview }) => rowsToRead({ ...part, overview }, [])))
  const binned = trend.breakdowns.filter(({ binCount }) => binCount !== undefined)
  expectReadable(rows * (1 + binned.length))
  const steps = { ...planned, parts: planned.parts.slice(0, rules.steps) }
  const { query: withBins, knowledge } = await findBins(steps)
  const grouping = new Grouping()
  // Group 0 is that of events without a value.
  grouping.groupOf(null)
  const ends = period.buckets.map((bucket) => bucket.until)
  const runs = new FunnelRuns(rules, query.attribution, ends)
  const stream = {
    entities,
    dimensions: withBins.breakdowns.map(toDimension),
    subjects: query.subjects,
    since: from,
    until
  }
  await streamEvents(knowledge, stream, grouping, runs)
  const reached = runs.listReached()
  const actors = actorsByGroup(runs, reached)
  if (actors.size > MAX_BREAKDOWN_VALUES) {
    throw tooManyBreakdownValues(withBins)
  }
  const values = new ShownValues(grouping, withBins, actors)
  const texts = values.list.flatMap((value) => values.textsOf(value))
  if (sum(texts.map(({ length }) => length)) * rules.steps > MAX_STEP_TEXT) {
    throw tooManyBreakdownValues(withBins)
  }
  return { query, period, runs, reached, values }
}

const rangeOf = (period: Period | undefined): Range => ({
  from: period?.buckets[0]?.from ?? 0,
  until: period?.buckets.at(-1)?.until ?? 0
})

/** Counts the runs of each group that have taken the first step. */
function actorsByGroup(runs: FunnelRuns, reached: Uint8Array): Map<number, number> {
  // A list is quicker than a map, and groups have few gaps.
  const actors: number[] = []
  for (let run = 0; run < reached.length; run += 1) {
    if (reached[run] !== 0) {
      const group = runs.groupOf(run)
      actors[group] = (actors[group] ?? 0) + 1
    }
  }
  return new Map(actors.entries().filter(([, count]) => count > 0))
}

/** The actors of a step, as a request names them. */
export type AskedFunnelStep = {
  /**
   * From 1 on: those who got to this step. From -2 down: those who got to the step before this one,
   * not further.
   */
  step: number
  /** The value of the breakdown as in `breakdown_value`; undefined without a breakdown. */
  value: string | readonly string[] | undefined
}

/**
 * Lists the actors who got to a step of a funnel, or who dropped off before it, with the number of
 * steps that each has taken.
 * @throws invalid_input, attr `funnelStep` or `funnelStepBreakdown`; query_too_large, attr the name
 * of the limit
 */
export async function listFunnelActors(
  scope: FunnelScope,
  { query, asked: { step, value } }: { query: FunnelQuery; asked: AskedFunnelStep },
  now: Date
): Promise<ActorCount[]> {
  expectStep(query, step)
  const { runs, reached, values } = await follow(scope, query, now)
  const place = placeOfValue(query, values, value)
  const listed = new Map<number, number>()
  for (const [run, steps] of reached.entries()) {
    const isMeant = step > 0 ? steps >= step : steps === -step - 1
    if (isMeant && (place === undefined || values.placeOf(runs.groupOf(run)) === place)) {
      const actor = actorOfNumber(runs.actorOf(run))
      listed.set(actor, Math.max(steps, listed.get(actor) ?? 0))
      expectFew(listed.size)
    }
  }
  return [...listed].map(([actor, count]) => ({ actor, count })).sort(byCount)
}

function expectStep({ rules, view, subjects }: FunnelQuery, step: number): void {
  if (subjects === 'sessions') {
    throw new AppError(
      'invalid_input',
      'A funnel of sessions has no actors: leave `funnelAggregateByHogQL` out.',
      'source__funnelsFilter__funnelAggregateByHogQL'
    )
  }
  if (view === 'trends') {
    throw new AppError(
      'invalid_input',
      'The actors of a funnel’s trend are not supported: ask for those of its steps.',
      'source__funnelsFilter__funnelVizType'
    )
  }
  const isStep = step >= 1 && step <= rules.steps
  const isDrop = step <= -2 && step >= -rules.steps
  if (!isStep && !isDrop) {
    throw new AppError(
      'invalid_input',
      `\`funnelStep\` must be a step from 1 to ${rules.steps}, or from -2 to -${rules.steps} for those who did not take it; got ${step}.`,
      'funnelStep'
    )
  }
}

/** Returns the place of the value that a request names; undefined if it names none. */
function placeOfValue(
  { trend }: FunnelQuery,
  values: ShownValues,
  asked: string | readonly string[] | undefined
): number | undefined {
  if (asked === undefined) {
    return undefined
  }
  const texts = values.list.map((value) => values.textsOf(value))
  const wanted = JSON.stringify([asked].flat())
  const place = texts.findIndex((own) => JSON.stringify(own) === wanted)
  if (trend.breakdowns.length === 0 || place < 0) {
    throw new AppError(
      'invalid_input',
      trend.breakdowns.length === 0
        ? 'The funnel has no breakdown: leave `funnelStepBreakdown` out.'
        : '`funnelStepBreakdown` must be a `breakdown_value` of the funnel’s answer.',
      'funnelStepBreakdown'
    )
  }
  return place
}
