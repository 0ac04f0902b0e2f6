import { type Calendar, DAY, endOf, endOfDay, type Interval, startOf } from './buckets.ts'
import { fromClock, goBack, midnight, parseTimestamp, toClock } from './clock.ts'

const RELATIVE = /^-?(\d{1,5})?([sMhdwmqy]|[hdmy](?=Start|End))(Start|End)?$/
const BARE_DATE = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/

/** The dates that a trend accepts, for the API reference. */
export const DATE_GRAMMAR =
  'A relative date such as `-7d` or `-3h`, in `s` seconds, `M` minutes, `h` hours, `d` days, `w` weeks, `m` months, `q` \
13 weeks or `y` years; with `Start` or `End` (`-1mStart`, `dEnd`) the start or end of that hour, day, month or year. Or an \
ISO 8601 date, which without an offset is in the project’s time zone.'

/**
 * Reads the date at which a query begins. A relative date is rounded down: `-7d` to the start of that day, `-3h` to the
 * start of that hour.
 * @returns ms, or undefined
 */
export function readFrom(text: string, calendar: Calendar, now: Date): number | undefined {
  const relative = readRelative(text, calendar, now)
  if (!relative) {
    return roundDown(parseTimestamp(text, calendar.timezone))
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

/** The start of a trend; `isExact` when it may lie inside the first bucket, which is then cut. */
export type Start = { time: number; isExact: boolean }

/**
 * Reads the date at which a trend begins. With buckets of a day or longer, `-24h` means exactly 24 hours ago; with buckets
 * of an hour or a minute (`isByHour`) it is rounded down to its hour.
 * @returns undefined for anything but a date
 */
export function readStart(
  text: string,
  isByHour: boolean,
  calendar: Calendar,
  now: Date
): Start | undefined {
  const relative = readRelative(text, calendar, now)
  if (relative && !isByHour && /[hMs]/.test(relative.unit)) {
    return { time: relative.time, isExact: true }
  }
  const time = readFrom(text, calendar, now)
  return time === undefined ? undefined : { time, isExact: false }
}

/**
 * Reads the date at which a trend ends, now by default, and returns the first moment behind it, ms, or undefined.
 *
 * | Interval | Date | The range ends |
 * |---|---|---|
 * | day or longer | any | with the day of the date |
 * | hour, minute | relative | with the hour or minute of the date; `dEnd`, `mEnd` and `yEnd` with the day |
 * | hour, minute | `2025-06-03` | with that day |
 * | hour, minute | `2025-06-03T14:30` | 1 ms after the date |
 */
export function readUntil(
  text: string | undefined,
  interval: Interval,
  calendar: Calendar,
  now: Date
): number | undefined {
  const relative =
    text === undefined ? { time: now.getTime(), isWhole: false } : readRelative(text, calendar, now)
  const time = relative ? relative.time : roundDown(parseTimestamp(text ?? '', calendar.timezone))
  if (time === undefined) {
    return undefined
  }
  const isWithinDay = interval === 'hour' || interval === 'minute'
  if (!isWithinDay || (relative ? relative.isWhole : BARE_DATE.test(text ?? ''))) {
    return endOfDay(time, calendar.timezone)
  }
  return relative ? endOf(time, interval, calendar) : time + 1
}

const roundDown = (time: number | undefined) => (time === undefined ? undefined : Math.floor(time))

/**
 * Reads a relative date and its unit. `isWhole` when it names the end of a day, month or year.
 * `-1mStart` → the first of last month, `m`
 */
function readRelative(text: string, calendar: Calendar, now: Date) {
  const match = RELATIVE.exec(text.trim())
  if (!match) {
    return undefined
  }
  const [, amount = '0', unit = '', position] = match
  if (position && !/[hdmy]/.test(unit)) {
    return undefined
  }
  const time = goBack(now.getTime(), Number(amount), unit, calendar.timezone)
  const isWhole = position === 'End' && unit !== 'h'
  return { time: position ? moveToEdge(time, unit, position, calendar) : time, unit, isWhole }
}

function moveToEdge(time: number, unit: string, position: string, calendar: Calendar): number {
  if (unit === 'h') {
    return position === 'Start'
      ? startOf(time, 'hour', calendar).time
      : endOf(time, 'hour', calendar) - 1
  }
  const clock = new Date(toClock(time, calendar.timezone))
  const year = clock.getUTCFullYear()
  const edgeOfYear = position === 'Start' ? 0 : 11
  const month = unit === 'y' ? edgeOfYear : clock.getUTCMonth()
  const first = unit === 'd' ? Math.floor(clock.getTime() / DAY) * DAY : midnight(year, month, 1)
  const last = unit === 'd' ? first : midnight(year, month + 1, 0)
  return fromClock(position === 'Start' ? first : last, calendar.timezone)
}
