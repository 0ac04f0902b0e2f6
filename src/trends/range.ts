import { type Calendar, isWithinDay } from '../calendar/buckets.ts'
import { noDate, readStart, readUntil } from '../calendar/dates.ts'
import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import type { Draft } from './forms.ts'
import { type Back, isAggregated, type TrendQuery } from './query.ts'

/**
 * Reads the range of a trend.
 * @throws invalid_input, attr the field, for a text that is not a date, an empty range, or a comparison of all time
 */
export function readRange(
  { pathOf, dateFrom, dateTo, interval, compare, display }: Draft,
  calendar: Calendar,
  now: Date
): Pick<TrendQuery, 'from' | 'until' | 'exact'> {
  const until = readUntil(dateTo, interval, calendar, now)
  if (until === undefined) {
    throw noDate(dateTo, pathOf('date_to'))
  }
  if (dateFrom === 'all') {
    if (compare) {
      throw new AppError(
        'invalid_input',
        'All time has no period before it to compare with.',
        pathOf('compare')
      )
    }
    return { from: 'all', until, exact: undefined }
  }
  const roundsToUnit = isWithinDay(interval) && !isAggregated({ display })
  const start = readStart(dateFrom, roundsToUnit, calendar, now)
  if (start === undefined) {
    throw noDate(dateFrom, pathOf('date_from'))
  }
  const { time: from, isExact } = start
  if (from >= until) {
    throw new AppError(
      'invalid_input',
      '`date_from` must be earlier than the end of the range.',
      pathOf('date_from')
    )
  }
  // Without an end date, the last bucket ends after now: the compared period is only as long as the time until now.
  const end = dateTo === undefined ? now.getTime() : until
  return { from, until, exact: isExact ? { length: end - from } : undefined }
}

/**
 * Reads how far back the compared period is; undefined without a comparison.
 * @throws invalid_input, attr the field
 */
export const readCompare = (draft: Draft): TrendQuery['compare'] =>
  draft.compare ? { back: readCompareTo(draft) ?? weeksOf(draft) } : undefined

function readCompareTo({ pathOf, compareTo }: Draft): Back | undefined {
  if (compareTo === undefined) {
    return undefined
  }
  const [, amount, unit = ''] = /^-?(\d{1,5})([hdwmqy])$/.exec(compareTo) ?? []
  if (!Number(amount)) {
    throw new AppError(
      'invalid_input',
      `\`compare_to\` must be a relative date such as \`-1w\`; got ${show(compareTo)}.`,
      pathOf('compare_to')
    )
  }
  return { amount: Number(amount), unit }
}

/**
 * Returns how far back the compared period is, if a trend by day ends today and begins a whole number of weeks ago: that many
 * weeks, in days, so that the same weekdays are compared. Undefined for other ranges, also for `-1w`: PostHog, too, does so only
 * for ranges in days.
 */
function weeksOf({ dateFrom, dateTo, interval }: Draft): Back | undefined {
  const [, days] = /^-?(\d{1,5})d(?:Start|End)?$/.exec(dateFrom.trim()) ?? []
  const amount = Number(days)
  const isWhole = amount > 0 && amount % 7 === 0 && interval === 'day' && dateTo === undefined
  return isWhole ? { amount, unit: 'd' } : undefined
}
