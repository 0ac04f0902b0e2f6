import { fromClock, midnight, momentOf, parseTimestamp, toClock } from '../../calendar/clock.ts'
import { DAY, HOUR, MINUTE } from '../../calendar/units.ts'
import type { IntervalUnit } from '../tree.ts'

/** Zones change their offset at a multiple of this, ms. */
const STEP = 15 * MINUTE

/** Offsets that a zone remembers; 20,000 are seven months, in about 1 MB. */
const MAX_KNOWN = 20_000

/** The clock of a time zone, which remembers its offsets. */
class Clock {
  readonly #timezone: string
  readonly #offsets = new Map<number, number>()
  #lastStep = Number.NaN
  #lastOffset = 0

  constructor(timezone: string) {
    this.#timezone = timezone
  }

  /** Returns the wall-clock time of a moment, encoded as if it were UTC. */
  of(time: number): number {
    const step = Math.floor(time / STEP)
    if (step !== this.#lastStep) {
      this.#lastOffset = this.#offsetOf(step)
      this.#lastStep = step
    }
    return time + this.#lastOffset
  }

  #offsetOf(step: number): number {
    const known = this.#offsets.get(step)
    if (known !== undefined) {
      return known
    }
    if (this.#offsets.size >= MAX_KNOWN) {
      this.#offsets.clear()
    }
    const offset = toClock(step * STEP, this.#timezone) - step * STEP
    this.#offsets.set(step, offset)
    return offset
  }
}

const clocks = new Map<string, Clock>()

/** Returns the wall-clock time of a moment in a time zone, encoded as if it were UTC, ms. */
export function clockOf(time: number, timezone: string): number {
  const known = clocks.get(timezone)
  if (known) {
    return known.of(time)
  }
  const clock = new Clock(timezone)
  clocks.set(timezone, clock)
  return clock.of(time)
}

/** Returns the day of a moment in a time zone, in days since 1970-01-01. */
export const dayOf = (time: number, timezone: string): number =>
  Math.floor(clockOf(time, timezone) / DAY)

/** Returns the moment at which a day begins. */
export const momentOfDay = (day: number, timezone: string): number => momentOf(day * DAY, timezone)

/**
 * Reads a time: ISO 8601, a date with a month name, or a Unix time. Without an offset, it is local
 * to the time zone. @returns ms; undefined for any other text
 */
export const timeOfText = (text: string, timezone: string): number | undefined =>
  parseTimestamp(text.replace(/^(\d{4})\/(\d{1,2})\/(\d{1,2})/, '$1-$2-$3'), timezone)

/** Reads the day of a date or of a time, in days since 1970-01-01. */
export function dayOfText(text: string, timezone: string): number | undefined {
  const time = timeOfText(text, timezone)
  return time === undefined ? undefined : dayOf(time, timezone)
}

/** `2026-03-04` */
export const printDay = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** Returns the seconds and microseconds of a moment. */
function fractionOf(time: number): string {
  const micros = Math.round((time - Math.floor(time / 1000) * 1000) * 1000)
  return micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`
}

/** `2026-03-01T09:00:05.250000+01:00`, or with `Z` in UTC; whole seconds have no fraction. */
export function printTime(time: number, timezone: string): string {
  const clock = clockOf(time, timezone)
  const minutes = Math.round((clock - time) / MINUTE)
  const text = new Date(clock).toISOString().slice(0, 19) + fractionOf(time)
  if (timezone === 'UTC') {
    return `${text}Z`
  }
  const size = Math.abs(minutes)
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((n) => String(n).padStart(2, '0'))
  return `${text}${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}

/** `2026-03-01 09:00:05.250000`, or without a fraction if the type has none. */
export function printLocal(time: number, timezone: string, isExact: boolean): string {
  const text = new Date(clockOf(time, timezone)).toISOString().slice(0, 19).replace('T', ' ')
  return isExact ? `${text}${fractionOf(time) || '.000000'}` : text
}

const ELAPSED: Partial<Record<IntervalUnit, number>> = {
  second: 1000,
  minute: MINUTE,
  hour: HOUR
}

const DAYS: Partial<Record<IntervalUnit, number>> = { day: 1, week: 7 }

const MONTHS: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 }

/**
 * Adds units to a moment. Hours and shorter units elapse; days and longer ones keep the wall-clock
 * time, and a day that a month lacks becomes its last.
 */
export function addToTime(
  time: number,
  amount: number,
  unit: IntervalUnit,
  timezone: string
): number {
  const elapsed = ELAPSED[unit]
  if (elapsed !== undefined) {
    return time + amount * elapsed
  }
  const clock = clockOf(time, timezone)
  const day = Math.floor(clock / DAY)
  return fromClock(addToDay(day, amount, unit) * DAY + (clock - day * DAY), timezone)
}

/** Adds days or longer units to a day. */
export function addToDay(day: number, amount: number, unit: IntervalUnit): number {
  const days = DAYS[unit]
  if (days !== undefined) {
    return day + amount * days
  }
  const date = new Date(day * DAY)
  const month = date.getUTCMonth() + amount * (MONTHS[unit] ?? 0)
  const last = new Date(midnight(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return midnight(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last)) / DAY
}

/** Whether a unit is shorter than a day. */
export const isElapsed = (unit: IntervalUnit): boolean => ELAPSED[unit] !== undefined

/** 1970-01-01 was a Thursday: 3 in the days of a week from Monday, 0. */
const FIRST_WEEKDAY = 3

/** Returns the day of the week, from Monday, 0, to Sunday, 6. */
export const weekdayOf = (day: number): number => (((day + FIRST_WEEKDAY) % 7) + 7) % 7

/** Returns the first day of the week; a week begins on Monday, or on Sunday. */
export const weekOf = (day: number, beginsOnMonday: boolean): number =>
  day - (beginsOnMonday ? weekdayOf(day) : (weekdayOf(day) + 1) % 7)

/** Returns the first day of a day's month, quarter or year. */
export function monthOf(day: number, months: number): number {
  const date = new Date(day * DAY)
  const month = Math.floor(date.getUTCMonth() / months) * months
  return midnight(date.getUTCFullYear(), month, 1) / DAY
}

/** Returns the number of the unit that a wall-clock time is in, for counting boundaries. */
export function numberOfUnit(clock: number, unit: IntervalUnit): number {
  const elapsed = ELAPSED[unit]
  if (elapsed !== undefined) {
    return Math.floor(clock / elapsed)
  }
  const day = Math.floor(clock / DAY)
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return Math.floor((day + FIRST_WEEKDAY) / 7)
    default: {
      const date = new Date(day * DAY)
      const month = date.getUTCFullYear() * 12 + date.getUTCMonth()
      return Math.floor(month / (MONTHS[unit] ?? 1))
    }
  }
}

/** Returns the week of ISO 8601 and its year. */
export function isoWeekOf(day: number): { week: number; year: number } {
  const thursday = weekOf(day, true) + 3
  const year = new Date(thursday * DAY).getUTCFullYear()
  const first = midnight(year, 0, 1) / DAY
  return { week: Math.floor((thursday - first) / 7) + 1, year }
}
