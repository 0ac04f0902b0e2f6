import type { Range } from '../../calendar/buckets.ts'
import { formatValue } from '../../charts/format.ts'
import type { AlertRule, Verdict } from '../../db/schema.ts'

/** A line of an insight in one interval; null where there is nothing to count or to compare. */
export type Sample = { label: string; value: number | null; before: number | null }

/** An interval that is over, with a sample of each line of the insight. */
export type ClosedInterval = Range & { samples: Sample[] }

/** The number of a line that is compared with the bounds, and whether it is beyond them. */
export type Judgement = { value: number | null; isBreach: boolean; words: string }

/** Judges a line in one interval; undefined if there is nothing to judge. */
export function judge(rule: AlertRule, sample: Sample): Judgement | undefined {
  const { type } = rule.condition
  const { label, value } = sample
  if (type === 'no_data') {
    const isBreach = value === null || value === 0
    return { value, isBreach, words: isBreach ? `${label}: no data` : `${label}: there is data` }
  }
  if (value === null) {
    return undefined
  }
  if (type === 'absolute_value') {
    return compare(rule, value, `${label}: ${formatValue(value)}`)
  }
  const { before } = sample
  if (before === null) {
    return undefined
  }
  const change = type === 'relative_increase' ? value - before : before - value
  const isShare = rule.threshold.configuration.type === 'percentage'
  const compared = isShare ? shareOf(change, before) : change
  const words = `${label}: ${formatValue(value)}, ${formatValue(before)} ${BEFORE[rule.condition.compare_to]}`
  return compare(rule, compared, words)
}

const BEFORE = {
  previous_interval: 'in the interval before',
  same_weekday: 'a week before'
}

/** Nothing is a change of 0, and anything after nothing is an infinite one. */
const shareOf = (change: number, before: number): number =>
  change === 0 ? 0 : change / Math.abs(before)

function compare(rule: AlertRule, value: number, words: string): Judgement {
  const { type, bounds } = rule.threshold.configuration
  const isPercentage = type === 'percentage'
  const show = (bound: number) =>
    isPercentage ? `${formatValue(bound * 100)}%` : formatValue(bound)
  const isChange = rule.condition.type !== 'absolute_value'
  const way = rule.condition.type === 'relative_decrease' ? 'a decrease' : 'an increase'
  const than = isChange ? `${way} of ` : ''
  if (bounds.lower !== null && value < bounds.lower) {
    const beyond = isChange ? `less than ${than}` : 'below '
    return { value, isBreach: true, words: `${words}; ${beyond}${show(bounds.lower)}` }
  }
  if (bounds.upper !== null && value > bounds.upper) {
    const beyond = isChange ? `more than ${than}` : 'above '
    return { value, isBreach: true, words: `${words}; ${beyond}${show(bounds.upper)}` }
  }
  return { value, isBreach: false, words: `${words}; within bounds` }
}

/** Judges an interval by its first line beyond the bounds, or else by its first line. */
export function judgeInterval(rule: AlertRule, { samples }: ClosedInterval): Judgement | undefined {
  const judged = samples.flatMap((sample) => judge(rule, sample) ?? [])
  return judged.find(({ isBreach }) => isBreach) ?? judged[0]
}

type Finding = Pick<Verdict, 'event' | 'value' | 'interval' | 'words'> & { isFiring: boolean }

/**
 * Goes through intervals in the order of time. An interval that cannot be judged changes nothing.
 * `event` is `firing` if the bounds were crossed and still are, and `over` if they no longer are.
 */
export function evaluate(
  rule: AlertRule,
  intervals: ClosedInterval[],
  wasFiring: boolean
): Finding {
  const judged = intervals.flatMap((interval) => {
    const judgement = judgeInterval(rule, interval)
    return judgement ? [{ interval, ...judgement }] : []
  })
  const last = judged.at(-1)
  const isFiring = last?.isBreach ?? wasFiring
  const lastBreach = judged.findLast(({ isBreach }) => isBreach)
  const lastCalm = judged.findLastIndex(({ isBreach }) => !isBreach)
  const hasCrossed = isFiring ? !wasFiring || lastCalm >= 0 : wasFiring || lastBreach !== undefined
  const words = last?.words ?? 'There is nothing to compare yet.'
  return {
    isFiring,
    event: last && hasCrossed ? eventOf(isFiring) : null,
    value: last && Number.isFinite(last.value ?? Number.NaN) ? last.value : null,
    interval: last ? { from: last.interval.from, until: last.interval.until } : null,
    words:
      !wasFiring && !isFiring && lastBreach ? `${lastBreach.words}. It is over: ${words}` : words
  }
}

const eventOf = (isFiring: boolean): 'firing' | 'over' => (isFiring ? 'firing' : 'over')
