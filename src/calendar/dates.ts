import { type Calendar, DAY, endOf, endOfDay, type Interval, startOf } from './buckets.ts'
import { fromClock, goBack, midnight, parseTimestamp, toClock } from './clock.ts'

const RELATIVE = /^-?(\d{1,5})?([sMhdwmqy]|[hdmy](?=Start|End))(Start|End)?$/
const BARE_DATE = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/

/** How a date of a trend may be written, for whoever reads the interface's description. */
export const DATE_GRAMMAR =
  '`-7d`, `-3h`: so long ago, in `s`, `M` minutes, `h`, `d`, `w`, `m` months, `q` 13 weeks, `y`; with `Start` or `End` \
(`-1mStart`, `dEnd`) the start or end of that hour, day, month or year; ISO 8601, without an offset on the project’s clock.'

/** The moment at which a trend begins: of `-7d` that day’s start, of `-3h` that hour’s. @returns ms, or undefined */
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

/** Where a trend begins; `isExact` for a beginning that lies within its first bucket. */
export type Start = { time: number; isExact: boolean }

/**
 * Reads where a trend begins: hours, minutes and seconds ago right then, unless `isByHour` says that buckets of an hour or
 * a minute begin with theirs. `-24h` by the day is the last 24 hours. @returns undefined for what is no date
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
 * The moment before which a trend ends: with its day, and of hours and minutes with the hour or minute of a relative
 * date, and right behind an exact time. @returns ms, or undefined
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

/** `isWhole`: it names the end of a day or longer. */
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
  return { time: position ? clamp(time, unit, position, calendar) : time, unit, isWhole }
}

function clamp(time: number, unit: string, position: string, calendar: Calendar): number {
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
