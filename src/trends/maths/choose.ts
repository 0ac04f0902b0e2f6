import { isOneOf } from '../../properties/filter.ts'
import { FIRSTS, type Maths, type Series } from '../query.ts'
import type { Accumulator } from './accumulator.ts'
import { Firsts } from './firsts.ts'
import { Summary, Total } from './numbers.ts'
import { Percentile } from './percentile.ts'
import { Distinct, PerActor, PerSession } from './subjects.ts'
import { PERCENTILES } from './tally.ts'

/** The end of names such as `avg_count_per_actor`; the rest is the math over the counts. */
const PER_ACTOR_SUFFIX = '_count_per_actor'

/** Whether a math reads the actor of each event. */
export const countsActors = (math: Maths): boolean =>
  math.endsWith(PER_ACTOR_SUFFIX) ||
  isOneOf(FIRSTS, math) ||
  isOneOf(['dau', 'weekly_active', 'monthly_active'], math)

/**
 * Restricts an accumulator to each actor's first event if the math counts first events; otherwise
 * returns it unchanged.
 */
export const onlyFirsts = (
  { math }: Pick<Series, 'math'>,
  accumulator: Accumulator
): Accumulator =>
  isOneOf(FIRSTS, math)
    ? new Firsts(math === 'first_matching_event_for_user', accumulator)
    : accumulator

/**
 * Returns the accumulator of a math for points whose windows of time do not overlap; for windows
 * that overlap, see `Sliding`.
 */
export function accumulatorOf({ math, property }: Pick<Series, 'math' | 'property'>): Accumulator {
  if (isOneOf(FIRSTS, math)) {
    return onlyFirsts({ math }, new Total())
  }
  if (property?.type === 'session') {
    return new PerSession(math)
  }
  if (math.endsWith(PER_ACTOR_SUFFIX)) {
    return new PerActor(math.slice(0, -PER_ACTOR_SUFFIX.length))
  }
  const place = PERCENTILES[math]
  if (place !== undefined) {
    return new Percentile(place)
  }
  switch (math) {
    case 'total':
      return new Total()
    case 'sum':
    case 'avg':
    case 'min':
    case 'max':
      return new Summary(math)
    // `dau` and `unique_session`. Weekly and monthly active users are counted by `Sliding`.
    default:
      return new Distinct()
  }
}
