import type { RRuleTemporal } from 'rrule-temporal'
import { momentOf, toClock } from '../calendar/clock.ts'
import { DAY } from '../calendar/units.ts'
import { type Frequency, WEEKDAYS, type Weekday } from '../db/schema.ts'

/** An iCalendar recurrence (RFC 5545) in the local time of a zone. */
export type Schedule = {
  frequency: Frequency
  /** The number of periods between occurrences, at least 1. */
  interval: number
  byweekday: Weekday[] | null
  /** Selects one of the days of `byweekday` in a period; negative numbers count from the end. */
  bysetpos: number | null
  /** The number of occurrences from the start, delivered or not. */
  count: number | null
  /** The start, ms UTC, with the time of day. An occurrence only if the rule matches it. */
  startDate: number
  /**
   * The wall-clock time of the start, encoded as if it were UTC, if the clock skips it on that day:
   * the start is then after the gap, and later occurrences at this time.
   */
  startClock: number | null
  /** The end, ms UTC, inclusive. */
  untilDate: number | null
  timezone: string
}

/** The first year in which a schedule may start, and the last in which it may occur. */
export const YEARS = { first: 2000, last: 9999 }

const LAST_CLOCK = Date.UTC(YEARS.last, 11, 31, 23, 59, 59)

/**
 * 400 years, ms, after which the calendar repeats, weekdays included. A rule without an occurrence
 * in 400 years times its interval never occurs.
 */
const CYCLE = 146_097 * DAY

/** Days in the shortest period of each frequency. */
const SHORTEST = { daily: 1, weekly: 7, monthly: 28, yearly: 365 }

/** Longest intervals of the rule; each exceeds the 8,000 years in which a schedule may occur. */
const LONGEST = { daily: 3_000_000, weekly: 430_000, monthly: 100_000, yearly: 8_300 }

/** Steps of a rule: one per day for 270 years, because a `count` is evaluated from the start. */
const MAX_ITERATIONS = 100_000

/**
 * Returns the first occurrence later than `after`, ms UTC, or null when there is none. The rule
 * runs on the local clock of the zone: a time that the clock shows twice occurs once, the first
 * time; a time that it skips occurs right after the gap.
 */
export const nextOccurrence = async (schedule: Schedule, after: number): Promise<number | null> =>
  (await nextOccurrences(schedule, after, 1))[0] ?? null

/** Returns the next `n` occurrences later than `after`, ms UTC, or fewer at the end. */
export async function nextOccurrences(
  schedule: Schedule,
  after: number,
  n: number
): Promise<number[]> {
  const { timezone, untilDate, startClock } = schedule
  const start = Math.floor(schedule.startDate / 1000) * 1000
  const begin =
    startClock === null ? toClock(start, timezone) : Math.floor(startClock / 1000) * 1000
  const most = mostBetween(schedule, start, after) + n
  const end = Math.max(start, after) + n * schedule.interval * CYCLE
  const rule = await toRule(schedule, begin, most, Math.min(end, LAST_CLOCK))
  const occurrences: number[] = []
  // Begins a day early, because a clock that was put back shows earlier times again; none was put
  // back by more than a day.
  let clock = Math.min(toClock(after, timezone), LAST_CLOCK) - DAY - 1
  while (occurrences.length < n) {
    const found = rule.next(toZoned(clock))
    if (found === null) {
      break
    }
    clock = fromZoned(found.toString())
    // If the clock shows the start's time twice, the start may be the second moment, and `momentOf`
    // returns the first.
    const time = Math.max(start, momentOf(clock, timezone))
    if (untilDate !== null && time > untilDate) {
      break
    }
    if (time > (occurrences.at(-1) ?? after)) {
      occurrences.push(time)
    }
  }
  return occurrences
}

/**
 * Returns an upper bound for the number of occurrences between two times, ms UTC. The days and
 * periods that are added cover clock changes and the incomplete periods at both ends.
 */
function mostBetween(
  { frequency, interval, byweekday, bysetpos }: Schedule,
  start: number,
  after: number
): number {
  const days = Math.max(0, (after - start) / DAY + 3)
  const periods = days / SHORTEST[frequency] / interval + 2
  const isOncePerPeriod = bysetpos !== null || !byweekday?.length
  return isOncePerPeriod ? periods : periods * daysInPeriod(frequency, byweekday)
}

/** Returns the most days that `byweekday` can match in one period: the limit of `bysetpos`. */
export function daysInPeriod(frequency: Frequency, byweekday: Weekday[]): number {
  if (frequency === 'daily') {
    return 1
  }
  if (frequency === 'weekly') {
    return byweekday.length
  }
  // A month of 31 days has four weeks and three days, a year of 366 days has 52 weeks and two days.
  return frequency === 'monthly'
    ? 4 * byweekday.length + mostInARow(byweekday, 3)
    : 52 * byweekday.length + mostInARow(byweekday, 2)
}

/** Returns the most days, among `length` consecutive days, that can fall on the given weekdays. */
function mostInARow(byweekday: Weekday[], length: number): number {
  const twice = [...WEEKDAYS, ...WEEKDAYS]
  const rows = WEEKDAYS.map((_, first) => twice.slice(first, first + length))
  return Math.max(...rows.map((row) => row.filter((day) => byweekday.includes(day)).length))
}

/**
 * Builds the rule from `clock` to `end`, both local times in ms. A `count` becomes an end date; it
 * is ignored from `most` on, because the caller reads no more occurrences than that.
 */
async function toRule(
  schedule: Schedule,
  clock: number,
  most: number,
  end: number
): Promise<RRuleTemporal> {
  // Loaded when it is first needed, because the library is a sixth of all JavaScript.
  const { RRuleTemporal } = await import('rrule-temporal')
  const { frequency, interval, byweekday, bysetpos, count } = schedule
  const hasDays = byweekday !== null && byweekday.length > 0
  const options = {
    freq: RULE_FREQUENCIES[frequency],
    interval: Math.min(interval, LONGEST[frequency]),
    dtstart: toZoned(clock),
    until: toZoned(end),
    wkst: 'MO',
    ...(hasDays && { byDay: byweekday.map((day) => day.slice(0, 2).toUpperCase()) }),
    ...(hasDays && bysetpos !== null && { bySetPos: [bysetpos] }),
    maxIterations: MAX_ITERATIONS,
    maxCandidateEvaluations: 10 * MAX_ITERATIONS
  }
  const last =
    count !== null && count < most
      ? new RRuleTemporal({ ...options, count }).all().at(-1)
      : undefined
  return new RRuleTemporal(last ? { ...options, until: last } : options)
}

const RULE_FREQUENCIES = {
  daily: 'DAILY',
  weekly: 'WEEKLY',
  monthly: 'MONTHLY',
  yearly: 'YEARLY'
} as const

/**
 * Passes a local time to the rule as if it were UTC. The library's own handling of clock changes
 * has changed between versions, so it never sees the zone.
 */
function toZoned(clock: number) {
  const text = `${new Date(clock).toISOString().slice(0, -1)}+00:00[UTC]`
  return { timeZoneId: 'UTC', toString: () => text }
}

/** Reads a time as the rule writes it: `2026-11-23T09:00:00+00:00[UTC]`. */
const fromZoned = (text: string): number => Date.parse(text.replace(/\[.*/, ''))

const UNITS = { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' }

/** Writes a schedule in words: `sent every 2 weeks on Monday and Friday`. */
export function summarize({ frequency, interval, byweekday, bysetpos }: Schedule): string {
  const unit = UNITS[frequency]
  const every = interval === 1 ? `sent every ${unit}` : `sent every ${interval} ${unit}s`
  if (!byweekday || byweekday.length === 0) {
    return every
  }
  const days = WEEKDAYS.filter((day) => byweekday.includes(day))
  const each = frequency === 'monthly' || frequency === 'yearly' ? 'every ' : ''
  if (bysetpos === null) {
    return `${every} on ${each}${join(days.map(capitalize), 'and')}`
  }
  return `${every} on the ${ordinal(bysetpos)} ${nameOf(days)}`
}

function nameOf(days: Weekday[]): string {
  const names: Record<string, string> = {
    [WEEKDAYS.join()]: 'day',
    [WEEKDAYS.slice(0, 5).join()]: 'weekday',
    [WEEKDAYS.slice(5).join()]: 'weekend day'
  }
  return names[days.join()] ?? join(days.map(capitalize), 'or')
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

function ordinal(n: number): string {
  if (n === -1) {
    return 'last'
  }
  if (n < 0) {
    return `${ordinal(-n)} to last`
  }
  const rest = n % 100
  const ending = (rest > 10 && rest < 14 ? undefined : ['th', 'st', 'nd', 'rd'][n % 10]) ?? 'th'
  return ORDINALS[n - 1] ?? `${n}${ending}`
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const join = (names: string[], last: string): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`
