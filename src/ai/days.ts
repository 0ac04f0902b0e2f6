import { type Calendar, DAY } from '../calendar/buckets.ts'
import { toClock } from '../calendar/clock.ts'
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

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const MONTH = MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|')

const DATE = String.raw`\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}(?:st|nd|rd|th)? (?:${MONTH})\.?,? \d{4}|(?:${MONTH})\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}|yesterday|today`
const WEEKDAYS = 'sunday|monday|tuesday|wednesday|thursday|friday|saturday'

/**
 * Returns the rules that read days, in the project's time zone. `last week` means the last seven days, `this week` the
 * calendar week. A date that does not exist is passed on as it is, for the list of recordings to refuse.
 *
 * `in the last 3 days` → `{ from: '-3d' }`, `on 3 June 2025` → `{ from: '2025-06-03', to: '2025-06-03' }`
 */
export function dayRules(calendar: Calendar, now: Date): Rule<{ is: 'days'; days: Days }>[] {
  const today = Math.floor(toClock(now.getTime(), calendar.timezone) / DAY) * DAY
  const iso = (day: number) => new Date(day).toISOString().slice(0, 10)
  const weekday = new Date(today).getUTCDay()
  const ago = (days: number) => iso(today - days * DAY)
  const read = (text: string): string => {
    if (/^today$/i.test(text)) {
      return ago(0)
    }
    if (/^yesterday$/i.test(text)) {
      return ago(1)
    }
    const [, day, month = '', year] =
      /^(\d{1,2})\D* ([a-z]+)\D*(\d{4})$/i.exec(text.replaceAll(/\s+/g, ' ')) ?? []
    const [, name = '', number, ofYear] = /^([a-z]+)\D*(\d{1,2})\D*(\d{4})$/i.exec(text) ?? []
    const index = MONTHS.findIndex(
      (one) => one.slice(0, 3).toLowerCase() === (month || name).slice(0, 3).toLowerCase()
    )
    if (index < 0) {
      return text
    }
    const pad = (part: number | string = '') => String(part).padStart(2, '0')
    return `${year ?? ofYear}-${pad(index + 1)}-${pad(day ?? number)}`
  }
  const shift = (text: string, days: number): string => {
    const date = read(text)
    const time = Date.parse(`${date}T00:00:00Z`)
    return Number.isNaN(time) ? date : iso(time + days * DAY)
  }
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
      const since = `-${Math.ceil(readNumber(n))}${letterOf(unit)}`
      return { from: since, to: since }
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
      const day = ago(daysSince(name) || 7)
      return { from: day, to: day }
    })
  ]

  function daysSince(name: string): number {
    return (weekday - WEEKDAYS.split('|').indexOf(name.toLowerCase()) + 7) % 7
  }
}

const letterOf = (unit = ''): string =>
  Object.entries(UNITS).find(([name]) => name === unit.toLowerCase())?.[1] ?? 'd'
