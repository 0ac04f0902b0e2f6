import type { Calendar } from '../calendar/buckets.ts'
import { goBack, toClock } from '../calendar/clock.ts'
import { DAY } from '../calendar/units.ts'
import { phrase, type Rule } from './words.ts'

/** The days on which recordings began, as `date_from` and `date_to` of the list of recordings. */
export type Days = { from?: string; to?: string }

const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten'
]

/** Pattern of a number: digits, `a`, or a word from zero to ten. */
export const NUMBER = String.raw`\d+(?:\.\d+)?|an?|${NUMBERS.join('|')}`

/** Reads a number that `NUMBER` matches: `three` → 3, `a` → 1, `2.5` → 2.5. */
export function readNumber(text: string): number {
  const word = text.toLowerCase()
  const spelt = NUMBERS.indexOf(word)
  if (spelt >= 0) {
    return spelt
  }
  return /^an?$/.test(word) ? 1 : Number(word)
}

const UNITS = {
  minute: 'M',
  hour: 'h',
  day: 'd',
  week: 'w',
  month: 'm',
  quarter: 'q',
  year: 'y'
} as const
const UNIT = Object.keys(UNITS).join('|')

/** Largest number of units in a relative date; the list of recordings refuses larger ones. */
const MAX_AMOUNT = 99_999

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const MONTH = MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')

const DATE = String.raw`\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}(?:st|nd|rd|th)? (?:${MONTH})\.?,? \d{4}|(?:${MONTH})\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|yesterday|today`
const WEEKDAYS = 'sunday|monday|tuesday|wednesday|thursday|friday|saturday'

/**
 * Returns the rules that read days, in the project's time zone. `last week` means the last seven
 * days, `this week` the calendar week, `3 weeks ago` that one day. A date that does not exist stays
 * as it is; the list of recordings refuses it.
 *
 * `in the last 3 days` → `{ from: '-3d' }`, `on 3 June 2025` →
 * `{ from: '2025-06-03', to: '2025-06-03' }`
 */
export function dayRules(calendar: Calendar, now: Date): Rule<{ is: 'days'; days: Days }>[] {
  const today = Math.floor(toClock(now.getTime(), calendar.timezone) / DAY) * DAY
  const weekday = new Date(today).getUTCDay()
  const ago = (days: number) => toDay(today - days * DAY)
  const daysSince = (name: string) =>
    (weekday - WEEKDAYS.split('|').indexOf(name.toLowerCase()) + 7) % 7
  const read = (text: string) => readDate(text, today)
  const shift = (text: string, days: number) => shiftDate(read(text), days)
  const rule = (
    source: string,
    days: (match: RegExpExecArray) => Days
  ): Rule<{ is: 'days'; days: Days }> => [
    phrase(source),
    (match) => ({ is: 'days', days: days(match) })
  ]
  return [
    rule(
      `(?:(?:in|over|within|during|for) )?(?:the )?(?:last|past|previous) (?:(${NUMBER}) )?(${UNIT})s?`,
      ([, n, unit]) => ({
        from: `-${Math.ceil(readNumber(n ?? 'one'))}${letterOf(unit)}`
      })
    ),
    rule(`(${NUMBER}) (${UNIT})s? ago`, ([, n = '', unit]) => {
      const amount = Math.ceil(readNumber(n))
      const letter = letterOf(unit)
      const since = `-${amount}${letter}`
      // The list of recordings refuses an amount beyond the limit.
      if (letter === 'M' || amount > MAX_AMOUNT) {
        return { from: since, to: since }
      }
      if (letter === 'h') {
        return { from: since, to: `${since}End` }
      }
      const time = goBack(now.getTime(), amount, letter, calendar.timezone)
      const day = toDay(toClock(time, calendar.timezone))
      return { from: day, to: day }
    }),
    rule('(?:in )?this week', () => ({ from: ago((weekday - calendar.weekStart + 7) % 7) })),
    rule('(?:in )?this (month|year)', ([, unit]) => ({ from: `${letterOf(unit)}Start` })),
    rule(
      `(?:between|from) (${DATE}) (?:and|to|until|till|through) (${DATE})`,
      ([, from = '', to = '']) => ({
        from: read(from),
        to: read(to)
      })
    ),
    rule('from (yesterday|today)', ([, date = '']) => ({ from: read(date), to: read(date) })),
    rule(`(?:since|from|starting(?: from)?) (${DATE})`, ([, date = '']) => ({ from: read(date) })),
    rule(`(?:since|from) (${WEEKDAYS})`, ([, name = '']) => ({ from: ago(daysSince(name)) })),
    rule(`after (${DATE})`, ([, date = '']) => ({ from: shift(date, 1) })),
    rule(`before (${DATE})`, ([, date = '']) => ({ to: shift(date, -1) })),
    rule(`(?:until|till|up to|to) (${DATE})`, ([, date = '']) => ({ to: read(date) })),
    rule(`(?:on )?(${DATE})`, ([, date = '']) => ({ from: read(date), to: read(date) })),
    rule(`on (${WEEKDAYS})`, ([, name = '']) => ({
      from: ago(daysSince(name)),
      to: ago(daysSince(name))
    })),
    rule(`(?:on )?last (${WEEKDAYS})`, ([, name = '']) => {
      // On a Monday, `last Monday` is a week ago.
      const day = ago(daysSince(name) || 7)
      return { from: day, to: day }
    })
  ]
}

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

const DAY_FIRST = /^(?<day>\d{1,2})\D* (?<month>[a-z]+)\D*(?<year>\d{4})$/i
const MONTH_FIRST = /^(?<month>[a-z]+)\D*(?<day>\d{1,2})\D*(?<year>\d{4})$/i

const NUMERIC = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?<time>T.*)?$/i

/**
 * Returns a date as `YYYY-MM-DD`, and any other text as it is. Keeps the time of an ISO date-time.
 * `3rd June 2025` → `2025-06-03`, `2026-1-5` → `2026-01-05`
 */
function readDate(text: string, today: number): string {
  if (/^today$/i.test(text)) {
    return toDay(today)
  }
  if (/^yesterday$/i.test(text)) {
    return toDay(today - DAY)
  }
  const numeric = NUMERIC.exec(text)?.groups
  if (numeric) {
    return `${toIsoDay(numeric.year, numeric.month, numeric.day)}${numeric.time ?? ''}`
  }
  const match = DAY_FIRST.exec(text.replaceAll(/\s+/g, ' ')) ?? MONTH_FIRST.exec(text)
  const { day, month = '', year } = match?.groups ?? {}
  const index = MONTHS.findIndex((name) => isSameMonth(name, month))
  return index < 0 ? text : toIsoDay(year, String(index + 1), day)
}

/** `2026`, `1`, `5` → `2026-01-05` */
const toIsoDay = (year = '', month = '', day = ''): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`

const isSameMonth = (a: string, b: string): boolean =>
  a.slice(0, 3).toLowerCase() === b.slice(0, 3).toLowerCase()

/** Moves a date by days, unless it has a time or does not exist. */
function shiftDate(date: string, days: number): string {
  const time = Date.parse(`${date}T00:00:00Z`)
  // `Date.parse` reads February 31 as March 3.
  const exists = !Number.isNaN(time) && toDay(time) === date
  return exists ? toDay(time + days * DAY) : date
}

const letterOf = (unit = ''): string =>
  Object.entries(UNITS).find(([name]) => name === unit.toLowerCase())?.[1] ?? 'd'
