import { type Calendar, isWithinDay } from '../calendar/buckets.ts'
import { noDate, readStart, readUntil } from '../calendar/dates.ts'
import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import type { TrendsNode } from './node-fields.ts'
import { type Back, isAggregated, type TrendQuery } from './query.ts'

/**
 * Reads the range of a node.
 * @throws invalid_input, attr the field, for a text that is not a date, an empty range, or a
 * comparison of all time
 */
export function readTrendRange(
  { dateRange, interval, compareFilter, trendsFilter }: TrendsNode,
  calendar: Calendar,
  now: Date
): Pick<TrendQuery, 'from' | 'until' | 'exact'> {
  const { date_from, date_to } = dateRange
  const until = readUntil(date_to, interval, calendar, now)
  if (until === undefined) {
    throw noDate(date_to, 'dateRange__date_to')
  }
  if (date_from === 'all') {
    if (compareFilter.compare) {
      throw new AppError(
        'invalid_input',
        'All time has no period before it to compare with.',
        'compareFilter__compare'
      )
    }
    return { from: 'all', until, exact: undefined }
  }
  const roundsToUnit = isWithinDay(interval) && !isAggregated(trendsFilter)
  const start = readStart(date_from, roundsToUnit, calendar, now)
  if (start === undefined) {
    throw noDate(date_from, 'dateRange__date_from')
  }
  const { time: from, isExact } = start
  if (from >= until) {
    throw new AppError(
      'invalid_input',
      '`date_from` must be earlier than the end of the range.',
      'dateRange__date_from'
    )
  }
  // Without an end date, the last bucket ends after now: the compared period is only as long as the
  // time until now.
  const end = date_to === undefined ? now.getTime() : until
  return { from, until, exact: isExact ? { length: end - from } : undefined }
}

/**
 * Reads how far back the compared period is; undefined without a comparison.
 * @throws invalid_input, attr the field
 */
export const readCompare = (node: TrendsNode): TrendQuery['compare'] =>
  node.compareFilter.compare
    ? { back: readCompareTo(node.compareFilter.compare_to) ?? weeksOf(node) }
    : undefined

function readCompareTo(compareTo: string | undefined): Back | undefined {
  if (compareTo === undefined) {
    return undefined
  }
  const [, amount, unit = ''] = /^-?(\d{1,5})([hdwmqy])$/.exec(compareTo) ?? []
  if (!Number(amount)) {
    throw new AppError(
      'invalid_input',
      `\`compare_to\` must be a relative date such as \`-1w\`; got ${show(compareTo)}.`,
      'compareFilter__compare_to'
    )
  }
  return { amount: Number(amount), unit }
}

/**
 * Returns how far back the compared period is, if a trend by day ends today and begins a whole
 * number of weeks ago: that many weeks, in days, so that the same weekdays are compared. Undefined
 * for other ranges, even for `-1w`: PostHog, too, does so only for ranges in days.
 */
function weeksOf({ dateRange: { date_from, date_to }, interval }: TrendsNode): Back | undefined {
  const [, days] = /^-?(\d{1,5})d(?:Start|End)?$/.exec(date_from.trim()) ?? []
  const amount = Number(days)
  const isWhole = amount > 0 && amount % 7 === 0 && interval === 'day' && date_to === undefined
  return isWhole ? { amount, unit: 'd' } : undefined
}
