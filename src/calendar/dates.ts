import { AppError } from '../errors.ts'
import { type Calendar, endOf, endOfDay, type Interval, isWithinDay, startOf } from './buckets.ts'
import { fromClock, goBack, midnight, parseIso, toClock } from './clock.ts'
import { DAY } from './units.ts'

/** `-7d`, `7d`, `-1mStart`, `dEnd`; no amount means 0. */
const RELATIVE = /^-?(\d{1,5})?([sMhdwmqy])(Start|End)?$/
const BARE_DATE = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/

/**
 * The earliest plausible time of an event, ms UTC. Clocks that were never set tell 1970 or the year
 * 1, and devices without a battery begin in 2000. Earlier events are stored, listed, and counted in
 * ranges that name their time, but all time does not begin with them.
 */
export const EARLIEST = Date.UTC(2010, 0, 1)

/** The date formats of `date_from` and `date_to`, for API descriptions and the AI prompt. */
export const DATE_GRAMMAR =
  'A relative date such as `-7d`, `-3h`, `-1mStart` or `dEnd`. Units: `s` seconds, `M` minutes, `h` hours, `d` days, `w` \
weeks, `m` months, `q` 13 weeks, `y` years. `Start` or `End` after `h`, `d`, `w`, `m` or `y` selects the start or end of \
that hour, day, week, month or year; as a start date, `dEnd`, `wEnd`, `mEnd` and `yEnd` mean the start of the day, or of \
the last day of the week, month or year. Or an ISO 8601 date, read in the project’s time zone unless it has an offset.'

/** Returns the invalid_input error for a field that is not a date; `attr` is its path. */
export const noDate = (text: string | undefined, attr: string): AppError =>
  new AppError(
    'invalid_input',
    `\`${attr.replace(/^.*__/, '')}\` must be an ISO date or a relative date such as \`-7d\`; got ${JSON.stringify(text)}.`,
    attr
  )

/**
 * Reads the start date of a query. Rounds a relative date down: `s`, `M` and `h` to the second,
 * minute or hour, longer units to the day.
 * @returns ms; undefined if the text is not a date
 */
export function readFrom(text: string, calendar: Calendar, now: Date): number | undefined {
  const relative = readRelative(text, calendar, now)
  if (!relative) {
    return floorMs(parseIso(text, calendar.timezone))
  }
  const { time, unit } = relative
  if (unit === 's') {
    return Math.floor(time / 1000) * 1000
  }
  if (unit === 'M' || unit === 'h') {
    return startOf(time, unit === 'h' ? 'hour' : 'minute', calendar).time
  }
  return startOf(time, 'day', calendar).time
}

/** The start of a trend, ms; with `isExact`, the first bucket starts there. */
export type Start = { time: number; isExact: boolean }

/**
 * Reads the start date of a trend. `roundsToUnit` rounds `-24h` down to the hour and `-5M` to the
 * minute; otherwise `-24h` means exactly 24 hours ago.
 * @returns undefined if the text is not a date
 */
export function readStart(
  text: string,
  roundsToUnit: boolean,
  calendar: Calendar,
  now: Date
): Start | undefined {
  const relative = readRelative(text, calendar, now)
  if (relative && !roundsToUnit && /[hMs]/.test(relative.unit)) {
    return { time: relative.time, isExact: true }
  }
  const time = readFrom(text, calendar, now)
  return time === undefined ? undefined : { time, isExact: false }
}

/**
 * Reads the end date of a query (default: now).
 *
 * | Interval | Date | The range ends |
 * |---|---|---|
 * | day or longer | any | at the end of that day |
 * | hour, minute | relative | at the end of the hour or minute that contains the date |
 * | hour, minute | `dEnd`, `wEnd`, `mEnd`, `yEnd` | at the end of that day |
 * | hour, minute | `2025-06-03` | at the end of that day |
 * | hour, minute | `2025-06-03T14:30` | 1 ms after the date, which is included |
 * @returns the exclusive end, ms; undefined if the text is not a date
 */
export function readUntil(
  text: string | undefined,
  interval: Interval,
  calendar: Calendar,
  now: Date
): number | undefined {
  const relative =
    text === undefined
      ? { time: now.getTime(), isEndOfDay: false }
      : readRelative(text, calendar, now)
  const time = relative ? relative.time : floorMs(parseIso(text ?? '', calendar.timezone))
  if (time === undefined) {
    return undefined
  }
  const isWholeDay = relative ? relative.isEndOfDay : BARE_DATE.test(text ?? '')
  if (isWholeDay || !isWithinDay(interval)) {
    return endOfDay(time, calendar.timezone)
  }
  return relative ? endOf(time, interval, calendar) : time + 1
}

const floorMs = (time: number | undefined) => (time === undefined ? undefined : Math.floor(time))

/**
 * Reads a relative date and its unit. `isEndOfDay`: the text ends in `dEnd`, `wEnd`, `mEnd` or `yEnd`.
 * `-1mStart` → the first of last month, `m`
 */
function readRelative(text: string, calendar: Calendar, now: Date) {
  const match = RELATIVE.exec(text.trim())
  if (!match) {
    return undefined
  }
  const [, amount = '0', unit = '', position] = match
  if (position && !/[hdwmy]/.test(unit)) {
    return undefined
  }
  const time = goBack(now.getTime(), Number(amount), unit, calendar.timezone)
  const isEndOfDay = position === 'End' && unit !== 'h'
  return { time: position ? moveToEdge(time, unit, position, calendar) : time, unit, isEndOfDay }
}

/** Moves to the start of the hour or a midnight; `hEnd` is the last ms of the hour. */
function moveToEdge(time: number, unit: string, position: string, calendar: Calendar): number {
  if (unit === 'h') {
    return position === 'Start'
      ? startOf(time, 'hour', calendar).time
      : endOf(time, 'hour', calendar) - 1
  }
  if (unit === 'w') {
    const week = startOf(time, 'week', calendar).time
    const last = toClock(week, calendar.timezone) + 6 * DAY
    return position === 'Start' ? week : fromClock(last, calendar.timezone)
  }
  const clock = new Date(toClock(time, calendar.timezone))
  const year = clock.getUTCFullYear()
  const edgeOfYear = position === 'Start' ? 0 : 11
  const month = unit === 'y' ? edgeOfYear : clock.getUTCMonth()
  const first = unit === 'd' ? Math.floor(clock.getTime() / DAY) * DAY : midnight(year, month, 1)
  const last = unit === 'd' ? first : midnight(year, month + 1, 0)
  return fromClock(position === 'Start' ? first : last, calendar.timezone)
}
