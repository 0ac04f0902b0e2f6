import type { Property } from '../../properties/filter.ts'
import type { Accumulator, Sink } from './accumulator.ts'
import { type First, Firsts, FirstsTotal } from './firsts.ts'
import { type Moments, momentsOf, PerEvent, Total } from './numbers.ts'
import { Percentile } from './percentile.ts'
import { Distinct, perActor, perSession } from './subjects.ts'
import { percentileOf, tallyOf } from './tally.ts'

type Rule = {
  /**
   * What the math goes through: it reads the actor or the session of each event, or the numbers of
   * a property. Values that are no numbers are left out; without numbers, the result is 0.
   */
  over: 'events' | 'actors' | 'sessions' | 'numbers'
  /** Whether the results for any parts of the events add up to the result for all of them. */
  isAdditive: boolean
  /** Whether each actor or session counts once, in a cumulative display once for all points. */
  isDistinct?: true
  /** Length of the window, days, in which actors were active. It ends with the bucket. */
  windowDays?: number
  first?: First
  /** Makes the accumulator for windows of time that do not overlap; for others, see `Sliding`. */
  accumulator: (property: Property | undefined) => Accumulator
}

const distinct = (over: 'actors' | 'sessions') => ({
  over,
  isAdditive: false,
  isDistinct: true as const,
  accumulator: () => new Distinct()
})

/** A result of numbers, which are those of a property or the number of events of each actor. */
type Summary = {
  accumulator: () => Accumulator
  summarize: (numbers: Iterable<number>) => number
}

const ofMoments = (resultOf: (moments: Moments) => number): Summary => ({
  accumulator: () => new PerEvent(resultOf),
  summarize: (numbers) => resultOf(momentsOf(numbers))
})

/** @param place of the percentile among sorted numbers, from 0 to 1 */
const ofPercentile = (place: number): Summary => ({
  accumulator: () => new Percentile(place),
  summarize: (numbers) => percentileOf(tallyOf(numbers), place)
})

const SUM = ofMoments(({ sum }) => sum)
const AVG = ofMoments(({ sum, count }) => sum / count)
const MIN = ofMoments(({ low }) => low)
const MAX = ofMoments(({ high }) => high)
const MEDIAN = ofPercentile(0.5)
const P75 = ofPercentile(0.75)
const P90 = ofPercentile(0.9)
const P95 = ofPercentile(0.95)
const P99 = ofPercentile(0.99)

/** A property of a session counts once for each session, however many events the session has. */
const ofProperty = ({ accumulator, summarize }: Summary) => ({
  over: 'numbers' as const,
  isAdditive: false,
  accumulator: (property: Property | undefined) =>
    property?.type === 'session' ? perSession(summarize) : accumulator()
})

const countPerActor = ({ summarize }: Summary) => ({
  over: 'actors' as const,
  isAdditive: false,
  accumulator: () => perActor(summarize)
})

const firstOf = (first: First) => ({
  over: 'actors' as const,
  isAdditive: true,
  first,
  accumulator: () => new FirstsTotal(first)
})

/** In the order in which messages and the reference list them. */
const TABLE = {
  total: { over: 'events', isAdditive: true, accumulator: () => new Total() },
  dau: distinct('actors'),
  weekly_active: { ...distinct('actors'), windowDays: 7 },
  monthly_active: { ...distinct('actors'), windowDays: 30 },
  unique_session: distinct('sessions'),
  sum: { ...ofProperty(SUM), isAdditive: true },
  avg: ofProperty(AVG),
  min: ofProperty(MIN),
  max: ofProperty(MAX),
  median: ofProperty(MEDIAN),
  p75: ofProperty(P75),
  p90: ofProperty(P90),
  p95: ofProperty(P95),
  p99: ofProperty(P99),
  avg_count_per_actor: countPerActor(AVG),
  min_count_per_actor: countPerActor(MIN),
  max_count_per_actor: countPerActor(MAX),
  median_count_per_actor: countPerActor(MEDIAN),
  p75_count_per_actor: countPerActor(P75),
  p90_count_per_actor: countPerActor(P90),
  p95_count_per_actor: countPerActor(P95),
  p99_count_per_actor: countPerActor(P99),
  first_time_for_user: firstOf('of name'),
  first_matching_event_for_user: firstOf('matching')
} satisfies Record<string, Rule>

export type MathName = keyof typeof TABLE

/** All maths. A math without an accumulator does not compile. */
export const MATHS: Readonly<Record<MathName, Rule>> = TABLE

// The cast is safe: the table has no other keys.
export const MATH_NAMES = Object.keys(TABLE) as MathName[]

/** The math of a series, and the property whose numbers it reads. */
export type Counting = { math: MathName; property: Property | undefined }

/** Whether the results for any parts of the events add up to the result for all of them. */
export const isAdditive = ({ math, property }: Counting): boolean =>
  MATHS[math].isAdditive && property?.type !== 'session'

/** Restricts a sink to each actor's first event if the math counts first events. */
export function onlyFirsts({ math }: Pick<Counting, 'math'>, sink: Sink): Sink {
  const { first } = MATHS[math]
  return first ? new Firsts(first, sink) : sink
}
