import { DAY, MINUTE } from '../../calendar/units.ts'
import { StatementError } from '../statement-error.ts'
import { isoWeekOf, monthOf, weekdayOf } from './times.ts'

const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December'
]

/** From Monday on. */
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** A time as a format prints it. `offset` is that of its zone, ms. */
type Printed = { date: Date; day: number; micros: number; offset: () => number }

type Print = (time: Printed) => string

const digits = (number: number, length = 2): string => String(number).padStart(length, '0')

const hourOf12 = (date: Date): number => date.getUTCHours() % 12 || 12

const ampmOf = (date: Date): string => (date.getUTCHours() < 12 ? 'AM' : 'PM')

const hour: Print = ({ date }) => digits(date.getUTCHours())
const minute: Print = ({ date }) => digits(date.getUTCMinutes())
const second: Print = ({ date }) => digits(date.getUTCSeconds())
const month: Print = ({ date }) => digits(date.getUTCMonth() + 1)
const dayOfMonth: Print = ({ date }) => digits(date.getUTCDate())
const year: Print = ({ date }) => digits(date.getUTCFullYear(), 4)
const shortYear: Print = ({ date }) => digits(date.getUTCFullYear() % 100)
const hour12: Print = ({ date }) => digits(hourOf12(date))

/** The letters after `%`, as in MySQL: `%M` is the name of the month, and `%i` the minute. */
const PRINTS: Readonly<Record<string, Print>> = {
  Y: year,
  y: shortYear,
  C: ({ date }) => digits(Math.floor(date.getUTCFullYear() / 100)),
  m: month,
  c: month,
  M: ({ date }) => MONTH_NAMES[date.getUTCMonth()] ?? '',
  b: ({ date }) => (MONTH_NAMES[date.getUTCMonth()] ?? '').slice(0, 3),
  d: dayOfMonth,
  e: ({ date }) => String(date.getUTCDate()).padStart(2, ' '),
  F: (time) => `${year(time)}-${month(time)}-${dayOfMonth(time)}`,
  D: (time) => `${month(time)}/${dayOfMonth(time)}/${shortYear(time)}`,
  Q: ({ date }) => String(Math.floor(date.getUTCMonth() / 3) + 1),
  j: ({ day }) => digits(day - monthOf(day, 12) + 1, 3),
  H: hour,
  k: ({ date }) => String(date.getUTCHours()).padStart(2, ' '),
  I: hour12,
  h: hour12,
  l: ({ date }) => String(hourOf12(date)).padStart(2, ' '),
  i: minute,
  S: second,
  s: second,
  f: ({ micros }) => digits(micros, 6),
  T: (time) => `${hour(time)}:${minute(time)}:${second(time)}`,
  R: (time) => `${hour(time)}:${minute(time)}`,
  r: (time) => `${hour12(time)}:${minute(time)} ${ampmOf(time.date)}`,
  p: ({ date }) => ampmOf(date),
  u: ({ day }) => String(weekdayOf(day) + 1),
  w: ({ day }) => String((weekdayOf(day) + 1) % 7),
  a: ({ day }) => (WEEKDAYS[weekdayOf(day)] ?? '').slice(0, 3),
  W: ({ day }) => WEEKDAYS[weekdayOf(day)] ?? '',
  V: ({ day }) => digits(isoWeekOf(day).week),
  G: ({ day }) => String(isoWeekOf(day).year),
  g: ({ day }) => digits(isoWeekOf(day).year % 100),
  z: ({ offset }) => {
    const minutes = Math.round(offset() / MINUTE)
    const size = Math.abs(minutes)
    return `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60))}${digits(size % 60)}`
  },
  n: () => '\n',
  t: () => '\t',
  '%': () => '%'
}

/**
 * Returns a function that prints a wall-clock time by a format; it gets the offset of the zone, ms.
 * @throws StatementError for a letter that has no meaning
 */
export function formatTime(
  format: string,
  at: number
): (clock: number, offset: () => number) => string {
  const prints = [...format.matchAll(/%(.?)|[^%]+/gs)].map(([text, letter]): Print => {
    if (letter === undefined) {
      return () => text
    }
    const print = Object.hasOwn(PRINTS, letter) ? PRINTS[letter] : undefined
    if (!print) {
      throw new StatementError(
        at,
        `formatDateTime does not know %${letter}: use ${Object.keys(PRINTS).join(' ')}.`
      )
    }
    return print
  })
  return (clock, offset) => {
    const time = {
      date: new Date(clock),
      day: Math.floor(clock / DAY),
      micros: Math.round((clock - Math.floor(clock / 1000) * 1000) * 1000),
      offset
    }
    return prints.map((print) => print(time)).join('')
  }
}
