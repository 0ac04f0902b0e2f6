import type { Period } from '../../trends/answer.ts'
import { percentileOfSorted } from '../../trends/maths/tally.ts'
import type { FunnelQuery } from './query.ts'
import type { FunnelRuns } from './runs.ts'
import type { ShownValues } from './values.ts'

/** The runs of all actors through a funnel. */
export type FollowedFunnel = {
  query: FunnelQuery
  period: Period
  runs: FunnelRuns
  /** How many steps each run has; 0 if an exclusion spoilt it. */
  reached: Uint8Array
  values: ShownValues
}

/** A step of a funnel in an answer. */
export type FunnelStep = {
  /** The name of the step's event; null for any event, and in a funnel without an order. */
  action_id: string | null
  name: string
  custom_name: string | null
  order: number
  people: never[]
  /** Actors who got at least this far. */
  count: number
  type: 'events'
  /** Mean time from the step before, seconds; null if nobody got here. */
  average_conversion_time: number | null
  median_conversion_time: number | null
  breakdown?: string[]
  breakdown_value?: string[]
}

/** How long actors took from one step to another, by ranges of equal width. */
export type FunnelTimes = {
  /** The beginning of each range, seconds, and how many took so long. */
  bins: [number, number][]
  average_conversion_time: number | null
  median_conversion_time: number | null
}

/** The share of actors who converted, percent, by the period in which they took the first step. */
export type FunnelTrend = {
  /** The number of periods. */
  count: number
  data: number[]
  days: string[]
  labels: string[]
  breakdown_value?: string[]
}

/** `excluded` is the number of actors, or in trends of their runs, whom an exclusion removed. */
export type FunnelAnswer = {
  results: FunnelStep[] | FunnelStep[][] | FunnelTimes | FunnelTrend[]
  excluded: number
}

/** Answers with the actors of each step, for each value of the breakdown. */
export function stepsOf(followed: FollowedFunnel): FunnelAnswer {
  const { query, values } = followed
  const { steps } = query.rules
  const counts = countSteps(followed)
  const times = Array.from({ length: steps }, (_, step) => timesTo(followed, step, counts))
  const isBrokenDown = query.trend.breakdowns.length > 0
  const lists = values.list.map((value, place) => {
    const texts = values.textsOf(value)
    return times.map(
      (byPlace, step): FunnelStep => ({
        ...nameOf(followed, step),
        order: step,
        people: [],
        count: counts[place]?.[step] ?? 0,
        type: 'events',
        ...(byPlace[place] ?? NO_TIMES),
        ...(isBrokenDown && { breakdown: texts, breakdown_value: texts })
      })
    )
  })
  return {
    results: isBrokenDown ? sortLists(lists, values.list) : (lists[0] ?? []),
    excluded: countExcluded(followed)
  }
}

type Times = Pick<FunnelStep, 'average_conversion_time' | 'median_conversion_time'>

const NO_TIMES: Times = { average_conversion_time: null, median_conversion_time: null }

/** The lists of named values, most conversions first; then no value, then all others. */
const sortLists = (lists: FunnelStep[][], values: readonly unknown[]): FunnelStep[][] =>
  lists
    .map((list, place) => ({ list, isNamed: typeof values[place] === 'string' }))
    .sort((a, b) =>
      a.isNamed && b.isNamed ? compareCounts(a.list, b.list) : Number(b.isNamed) - Number(a.isNamed)
    )
    .map(({ list }) => list)

/** Compares the last steps; if they are equal, those before. */
const compareCounts = (a: readonly FunnelStep[], b: readonly FunnelStep[]): number =>
  a
    .map(({ count }, step) => (b[step]?.count ?? 0) - count)
    .findLast((difference) => difference !== 0) ?? 0

function nameOf(
  { query: { rules, trend } }: FollowedFunnel,
  step: number
): Pick<FunnelStep, 'action_id' | 'name' | 'custom_name'> {
  const series = trend.series[step]
  if (rules.order === 'unordered') {
    const name = `Completed ${step + 1} step${step === 0 ? '' : 's'}`
    return { action_id: null, name, custom_name: null }
  }
  return {
    action_id: series?.event ?? null,
    name: series?.name ?? '',
    custom_name: series?.customName ?? null
  }
}

/** Counts for each value the actors who got at least to each step. */
function countSteps({ query, runs, reached, values }: FollowedFunnel): number[][] {
  const { steps } = query.rules
  const furthest = values.list.map(() => new Float64Array(steps + 1))
  for (let run = 0; run < reached.length; run += 1) {
    const own = furthest[values.placeOf(runs.groupOf(run))]
    const steps = reached[run] ?? 0
    if (own) {
      own[steps] = (own[steps] ?? 0) + 1
    }
  }
  return furthest.map((own) => {
    let further = 0
    const counts = [...own.subarray(1)].reverse().map((count) => {
      further += count
      return further
    })
    return counts.reverse()
  })
}

/** Returns for each value the times that actors took to a step from the one before. */
function timesTo(
  { runs, reached, values }: FollowedFunnel,
  step: number,
  counts: readonly number[][]
): Times[] {
  if (step === 0) {
    return []
  }
  const times = counts.map((own) => new Float64Array(own[step] ?? 0))
  const lengths = new Uint32Array(times.length)
  for (let run = 0; run < reached.length; run += 1) {
    if ((reached[run] ?? 0) <= step) {
      continue
    }
    const place = values.placeOf(runs.groupOf(run))
    const own = times[place]
    if (own) {
      own[lengths[place] ?? 0] =
        runs.attempts.timeTo(run, step) - runs.attempts.timeTo(run, step - 1)
      lengths[place] = (lengths[place] ?? 0) + 1
    }
  }
  return times.map(summarize)
}

/** Returns the mean and the median of times, ms, in seconds. Sorts the times. */
function summarize(times: Float64Array): Times {
  if (times.length === 0) {
    return NO_TIMES
  }
  let total = 0
  for (let i = 0; i < times.length; i += 1) {
    total += times[i] ?? 0
  }
  return {
    average_conversion_time: total / times.length / 1_000,
    median_conversion_time: percentileOfSorted(times.sort(), 0.5) / 1_000
  }
}

function countExcluded({ query, runs, reached }: FollowedFunnel): number {
  if (query.rules.exclusions.length === 0) {
    return 0
  }
  let excluded = 0
  for (let run = 0; run < reached.length; run += 1) {
    excluded += runs.attempts.isExcluded(run) ? 1 : 0
  }
  return excluded
}

/** Answers with how long actors took from one step to another. */
export function timesOf(followed: FollowedFunnel): FunnelAnswer {
  const { query, runs, reached } = followed
  const { from, to, binCount } = query
  const found: number[] = []
  for (let run = 0; run < reached.length; run += 1) {
    if ((reached[run] ?? 0) > to) {
      found.push(runs.attempts.timeTo(run, to) - runs.attempts.timeTo(run, from))
    }
  }
  const times = Float64Array.from(found)
  const summary = summarize(times)
  return {
    results: { bins: binsOf(times, binCount), ...summary },
    excluded: countExcluded(followed)
  }
}

/** Most ranges of times without a number of them. */
const MAX_BINS = 60

/** Width of a range if all times are the same, seconds. */
const SAME_WIDTH = 60

/**
 * Counts sorted times, ms, in ranges of whole seconds. The last range is one more than asked for,
 * as in PostHog: it begins at the longest time or later.
 */
function binsOf(times: Float64Array, binCount: number | undefined): [number, number][] {
  const [low, high] = [(times[0] ?? 0) / 1_000, (times.at(-1) ?? 0) / 1_000]
  if (times.length === 0) {
    return []
  }
  const count = binCount ?? Math.min(MAX_BINS, Math.ceil(Math.cbrt(times.length)))
  const width = Math.ceil((high - low) / count) || SAME_WIDTH
  const bins = Array.from({ length: count + 1 }, (_, i): [number, number] => [low + i * width, 0])
  for (const time of times) {
    const bin = bins[Math.floor((time / 1_000 - low) / width)]
    if (bin) {
      bin[1] += 1
    }
  }
  return bins
}

/** Answers with the share of actors who converted, by the period of their first step. */
export function conversionOf(followed: FollowedFunnel, now: Date): FunnelAnswer {
  const { query, runs, reached, period, values } = followed
  const { buckets, days, labels } = period
  const { rules, from, to } = query
  const entered = values.list.map(() => new Float64Array(buckets.length))
  const converted = values.list.map(() => new Float64Array(buckets.length))
  for (const [run, steps] of reached.entries()) {
    const place = values.placeOf(runs.groupOf(run))
    const at = runs.periodOf(run)
    count(entered[place], at, steps > from)
    count(converted[place], at, steps > to)
  }
  const isShown = buckets.map(
    ({ until }) => !query.hidesIncomplete || until <= now.getTime() - rules.window
  )
  const shown = <Item>(items: readonly Item[]): Item[] => items.filter((_, i) => isShown[i])
  const shownDays = shown(days)
  const results = values.list.map(
    (value, place): FunnelTrend => ({
      count: shownDays.length,
      data: shown(buckets.map((_, i) => percent(converted[place]?.[i], entered[place]?.[i]))),
      days: shownDays,
      labels: shown(labels),
      ...(query.trend.breakdowns.length > 0 && { breakdown_value: values.textsOf(value) })
    })
  )
  return { results, excluded: countExcluded(followed) }
}

function count(counts: Float64Array | undefined, at: number, isCounted: boolean): void {
  if (counts && isCounted) {
    counts[at] = (counts[at] ?? 0) + 1
  }
}

/** Returns a share in percent, with two decimals; 0 of nobody. */
const percent = (part = 0, whole = 0): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
