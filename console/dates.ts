/*
 * Periods as the address and the API have them: `date_from`, `date_to` and `compare_to`. Days are texts
 * such as `2026-11-27`, in the project's zone.
 */

/** A period; without `to`, it ends now. */
export type Period = { from: string; to?: string | undefined }

/** The present day, and on which day weeks begin: 0 for Sunday, 1 for Monday. */
export type Today = { day: string; weekStart: 0 | 1 }

/** Days, both included. */
export type Days = { from: string; to: string }

export type Preset = Period & { letter?: string; name: string; short: string }

/** The periods of the menu. */
export const PRESETS: Preset[] = [
  { letter: 't', name: 'Today', short: 'Today', from: 'dStart' },
  { letter: 'y', name: 'Yesterday', short: 'Yesterday', from: '-1dStart', to: '-1dEnd' },
  { letter: 'w', name: 'Last 7 days', short: '7 days', from: '-6d' },
  { name: 'Last week', short: 'Last week', from: '-1wStart', to: '-1wEnd' },
  { letter: 'm', name: 'Last 30 days', short: '30 days', from: '-29d' },
  { letter: 'q', name: 'Last 90 days', short: '90 days', from: '-89d' },
  { name: 'This month', short: 'Month', from: 'mStart' },
  { name: 'Last 12 months', short: '12 months', from: '-11mStart' },
  { name: 'All time', short: 'All', from: 'all' }
]

/** The period of a page whose address names none. */
export const DEFAULT_PERIOD: Period = { from: '-29d' }

export const presetOf = ({ from, to }: Period): Preset | undefined =>
  PRESETS.find((one) => one.from === from && one.to === to)

const DAY = 86_400_000

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`)
const toDay = (date: Date): string => date.toISOString().slice(0, 'YYYY-MM-DD'.length)

/** Moves a day by days. */
export const addDays = (day: string, days: number): string =>
  toDay(new Date(toDate(day).getTime() + days * DAY))

/** Moves a day by months; the 31st becomes the last day of a shorter month. */
function addMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate()
  return toDay(new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))))
}

const firstOfMonth = (day: string): string => `${day.slice(0, 'YYYY-MM'.length)}-01`
const lastOfMonth = (day: string): string => addDays(addMonths(firstOfMonth(day), 1), -1)

/** The number of days, both ends included. */
export const lengthOf = ({ from, to }: Days): number =>
  Math.round((toDate(to).getTime() - toDate(from).getTime()) / DAY) + 1

const IS_DAY = /^\d{4}-\d\d-\d\d$/
const RELATIVE = /^-?(\d{1,5})?([dwmqy])(Start|End)?$/

/** Returns the day of a date of a period; undefined for one that is not a day, such as `-24h`. */
function dayOfText(text: string, today: Today): string | undefined {
  if (IS_DAY.test(text) && !Number.isNaN(toDate(text).getTime())) {
    return text
  }
  const [, amount = '0', unit = '', edge] = RELATIVE.exec(text) ?? []
  const back = Number(amount)
  switch (unit) {
    case 'd':
      return addDays(today.day, -back)
    case 'w': {
      const day = addDays(today.day, -7 * back)
      return edge ? edgeOfWeek(day, edge, today) : day
    }
    case 'q':
      return edge ? undefined : addDays(today.day, -91 * back)
    case 'm': {
      const day = addMonths(today.day, -back)
      return edge === 'Start' ? firstOfMonth(day) : edgeOfMonth(day, edge)
    }
    case 'y':
      return edge ? undefined : addMonths(today.day, -12 * back)
    default:
      return undefined
  }
}

function edgeOfWeek(day: string, edge: string, { weekStart }: Today): string {
  const passed = (toDate(day).getUTCDay() - weekStart + 7) % 7
  return addDays(day, edge === 'Start' ? -passed : 6 - passed)
}

const edgeOfMonth = (day: string, edge: string | undefined): string =>
  edge === 'End' ? lastOfMonth(day) : day

/** Returns the days of a period; undefined for all time, and for hours. */
export function daysOf({ from, to }: Period, today: Today): Days | undefined {
  const first = dayOfText(from, today)
  const last = to === undefined ? today.day : dayOfText(to, today)
  return first && last && first <= last ? { from: first, to: last } : undefined
}

/** Whether days are whole months, of which the last may go on. */
const areMonths = ({ from, to }: Days, today: Today): boolean =>
  from.endsWith('-01') &&
  (to === lastOfMonth(to) || (to === today.day && lengthOf({ from, to }) > 7))

const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))

/**
 * Returns the period right before (-1) or after (1), which is as long: months stay months. Undefined
 * where there is none, as after today.
 */
export function moved(period: Period, direction: -1 | 1, today: Today): Period | undefined {
  const days = daysOf(period, today)
  if (!days || (direction === 1 && days.to >= today.day)) {
    return undefined
  }
  const next = areMonths(days, today) ? monthsMoved(days, direction) : daysMoved(days, direction)
  return named(next.to > today.day ? cutAt(next, today) : next, today)
}

const daysMoved = (days: Days, direction: number): Days => {
  const length = lengthOf(days) * direction
  return { from: addDays(days.from, length), to: addDays(days.to, length) }
}

const monthsMoved = ({ from, to }: Days, direction: number): Days => {
  const months = (monthOf(to) - monthOf(from) + 1) * direction
  return { from: addMonths(from, months), to: lastOfMonth(addMonths(firstOfMonth(to), months)) }
}

/** Ends days today: months from their first day on, others as long as they were. */
function cutAt(days: Days, today: Today): Days {
  return days.from.endsWith('-01') && days.to === lastOfMonth(days.to) && days.from <= today.day
    ? { from: days.from, to: today.day }
    : { from: addDays(today.day, 1 - lengthOf(days)), to: today.day }
}

/** Returns the preset that has these days, or the days. */
function named(days: Days, today: Today): Period {
  const preset = PRESETS.find((one) => {
    const own = daysOf(one, today)
    return own?.from === days.from && own.to === days.to
  })
  return preset ? { from: preset.from, to: preset.to } : days
}

export type BucketLength = 'hour' | 'day' | 'week' | 'month'

/** The buckets in which a period is drawn. */
export function intervalOf(period: Period, today: Today): BucketLength {
  const days = daysOf(period, today)
  if (!days) {
    return period.from === 'all' ? 'week' : 'hour'
  }
  const length = lengthOf(days)
  if (length <= 2) {
    return 'hour'
  }
  if (length <= 92) {
    return 'day'
  }
  return length <= 186 ? 'week' : 'month'
}

/**
 * Returns how much earlier the compared period begins unless another is chosen: the smallest number of
 * whole weeks that is not shorter, so that weekdays match, or a year for periods in months.
 */
export function usualComparison(period: Period, today: Today): string | undefined {
  const days = daysOf(period, today)
  if (!days) {
    return undefined
  }
  return intervalOf(period, today) === 'month' ? '-1y' : `-${Math.ceil(lengthOf(days) / 7)}w`
}

/** Returns the days of the compared period; undefined if they are not known. */
export function comparedDays(period: Period, compareTo: string, today: Today): Days | undefined {
  const days = daysOf(period, today)
  const from = days && dayOfText(compareTo, { ...today, day: days.from })
  return days && from ? { from, to: addDays(from, lengthOf(days) - 1) } : undefined
}

/** `29 Oct – 27 Nov 2026` */
export function daysText({ from, to }: Days): string {
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    year: 'numeric'
  })
  return format.formatRange(toDate(from), toDate(to))
}

/** What a period is called: `Last 30 days`, `29 Sep – 28 Oct 2026`, `Since -24h`. */
export function periodName(period: Period, today: Today): string {
  const preset = presetOf(period)
  if (preset) {
    return preset.name
  }
  const days = daysOf(period, today)
  if (days) {
    return daysText(days)
  }
  return period.to ? `${period.from} – ${period.to}` : `Since ${period.from}`
}

/** What a comparison is called. */
export function comparisonName(compareTo: string | undefined, usual: string | undefined): string {
  if (compareTo === undefined) {
    return 'No comparison'
  }
  if (compareTo === '-1y') {
    return 'Year before'
  }
  if (compareTo === usual) {
    return 'Previous period'
  }
  const [, amount = '', unit = ''] = /^-?(\d+)([dwm])$/.exec(compareTo) ?? []
  const units: Record<string, string> = { d: 'days', w: 'weeks', m: 'months' }
  return amount ? `${amount} ${units[unit]} before` : compareTo
}
