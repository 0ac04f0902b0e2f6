import { midnight } from '../../calendar/clock.ts'
import { DAY, HOUR, MINUTE } from '../../calendar/units.ts'
import { SLOT } from '../../columns/slots/store.ts'
import { StatementError } from '../statement-error.ts'
import {
  DATE,
  exactTime,
  type IntName,
  int,
  type SqlType,
  type SqlValue,
  TEXT,
  time
} from '../types.ts'
import { clockFunction, roundDown } from './clocks.ts'
import {
  constantInteger,
  constantText,
  constantZone,
  type FunctionDefinition,
  likeArgs,
  type Setting,
  strictly,
  wrongType
} from './definition.ts'
import { formatTime } from './format-time.ts'
import {
  addToDay,
  dayOf,
  isoWeekOf,
  momentOfDay,
  monthOf,
  printDay,
  weekdayOf,
  weekOf
} from './times.ts'

/*
 * Functions of times and dates. Each works in the zone of the time, which is the project's unless
 * toTimeZone or an argument says otherwise.
 */

/** Defines a function that gets the day of a time, and has a whole number or a day as result. */
const ofDay = (
  name: string,
  type: SqlType,
  compute: (day: number) => number
): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const { toClock } = clockFunction(asked, { zonePlace: 1 })
    return {
      type: likeArgs(type, asked.args),
      isCoarse: true,
      apply: strictly((value) => compute(Math.floor(toClock(value) / DAY)))
    }
  }
})

/** Defines a function of the mode that its second argument is. */
const ofDayAndMode = (
  name: string,
  type: SqlType,
  {
    missingMode,
    compute
  }: {
    missingMode: (setting: Setting) => number
    compute: (day: number, mode: number) => number
  }
): FunctionDefinition => ({
  name,
  arity: [1, 3],
  build(asked) {
    const { toClock } = clockFunction(asked, { zonePlace: 2 })
    const mode = constantInteger(asked, 1, missingMode(asked.setting))
    if (mode < 0 || mode > MAX_MODE) {
      throw new StatementError(
        asked.args[1]?.at ?? asked.at,
        `${name} takes a mode from 0 to ${MAX_MODE}: 0 for weeks from Sunday, 3 from Monday.`
      )
    }
    return {
      type: likeArgs(type, asked.args),
      isCoarse: true,
      apply: strictly((value) => compute(Math.floor(toClock(value) / DAY), mode))
    }
  }
})

/** The last mode of weeks in ClickHouse. */
const MAX_MODE = 9

/** Weeks begin on Monday in odd modes of ClickHouse, and on Sunday in even ones. */
const weekInMode = (day: number, mode: number): number => weekOf(day, mode % 2 === 1)

/** The weekday by the mode: Monday 1 or 0, Sunday 0 or 1. */
function weekdayInMode(day: number, mode: number): number {
  const fromMonday = weekdayOf(day)
  const fromSunday = (fromMonday + 1) % 7
  return [fromMonday + 1, fromMonday, fromSunday, fromSunday + 1][mode % 4] ?? fromMonday + 1
}

/**
 * Returns the number of a day's week in its year, in the modes of MySQL. Odd modes have weeks from
 * Monday; modes 2, 3, 6 and 7 number from 1 to 53, and a day before the first week lies in the last
 * one of the year before.
 */
function weekNumber(day: number, mode: number): number {
  const year = new Date(day * DAY).getUTCFullYear()
  const first = firstWeekOf(year, mode)
  const isFromOne = mode >= 8 || (mode & 2) !== 0
  if (day < first) {
    return isFromOne ? weeksSince(firstWeekOf(year - 1, mode), day) : 0
  }
  return isFromOne && day >= firstWeekOf(year + 1, mode) ? 1 : weeksSince(first, day)
}

const weeksSince = (first: number, day: number): number => Math.floor((day - first) / 7) + 1

/**
 * Returns the day on which the first week of a year begins: the one with 1 January in modes 8 and 9,
 * the first one with four days of the year in modes 1, 3, 4 and 6, and the first whole one otherwise.
 */
function firstWeekOf(year: number, mode: number): number {
  const newYear = midnight(year, 0, 1) / DAY
  const begin = weekInMode(newYear, mode)
  const daysBefore = newYear - begin
  const mostBefore = [0, 3, 0, 3, 3, 0, 3, 0][mode] ?? 6
  return daysBefore <= mostBefore ? begin : begin + 7
}

const ofClock = (
  name: string,
  type: IntName,
  compute: (clock: number) => number,
  isCoarse = true
): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const { toClock } = clockFunction(asked, { zonePlace: 1 })
    return {
      type: likeArgs(int(type), asked.args),
      isCoarse,
      apply: strictly((value) => compute(toClock(value)))
    }
  }
})

const dateOf = (clock: number): Date => new Date(clock)

/** Rounds a time down to a unit of at most a day. */
const startOf = (name: string, step: number): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const clocked = clockFunction(asked, { zonePlace: 1 })
    return {
      type: likeArgs(time(clocked.zone), asked.args),
      isCoarse: step % SLOT === 0,
      apply: roundDown(clocked, step)
    }
  }
})

const toTimeZone: FunctionDefinition = {
  name: 'toTimeZone',
  arity: [2, 2],
  build(asked) {
    const { type } = clockFunction(asked)
    const [arg] = asked.args
    if (arg && type.base !== 'time') {
      throw wrongType(asked, arg, 'a time')
    }
    const zone = constantZone(asked, 1)
    const isExact = type.name.startsWith('DateTime64')
    return {
      type: likeArgs(isExact ? exactTime(zone) : time(zone), asked.args),
      apply: strictly((value) => value)
    }
  }
}

const MONTH_AS_MINUTE = 'In formatDateTime, %M is the name of the month: write %i for the minute.'

/** Whether a format has the month's name beside an hour, and no minute: `%H:%M`. */
const looksLikeMinutes = (format: string): boolean =>
  /%[HIhkl]/.test(format) && format.includes('%M') && !/%[iTRr]/.test(format)

const formatDateTime: FunctionDefinition = {
  name: 'formatDateTime',
  arity: [2, 3],
  build(asked) {
    const { toClock, zone, type } = clockFunction(asked, { zonePlace: 2 })
    const written = constantText(asked, 1)
    const format = formatTime(written, asked.args[1]?.at ?? asked.at)
    if (looksLikeMinutes(written)) {
      asked.setting.warn(MONTH_AS_MINUTE)
    }
    const timeOf = (value: Exclude<SqlValue, null>) =>
      type.base === 'date' ? momentOfDay(Number(value), zone) : Number(value)
    return {
      type: likeArgs(TEXT, asked.args),
      isCoarse: !/%[iSsfTRr]/.test(written),
      apply: strictly((value) => format(toClock(value), () => toClock(value) - timeOf(value)))
    }
  }
}

const now = (name: string): FunctionDefinition => ({
  name,
  arity: [0, 1],
  build(asked) {
    const zone = constantZone(asked, 0)
    return { type: exactTime(zone), apply: () => asked.setting.now.getTime() }
  }
})

const relativeDay = (name: string, days: number): FunctionDefinition => ({
  name,
  arity: [0, 0],
  build: ({ setting: { now: at, timezone } }) => ({
    type: DATE,
    apply: () => dayOf(at.getTime(), timezone) + days
  })
})

export const DATES: readonly FunctionDefinition[] = [
  now('now'),
  now('current_timestamp'),
  relativeDay('today', 0),
  relativeDay('yesterday', -1),
  toTimeZone,
  startOf('toStartOfDay', DAY),
  startOf('toStartOfHour', HOUR),
  startOf('toStartOfFifteenMinutes', 15 * MINUTE),
  startOf('toStartOfTenMinutes', 10 * MINUTE),
  startOf('toStartOfFiveMinutes', 5 * MINUTE),
  startOf('toStartOfMinute', MINUTE),
  ofDayAndMode('toStartOfWeek', DATE, {
    missingMode: ({ weekStart }) => (weekStart === 1 ? 3 : 0),
    compute: weekInMode
  }),
  ofDay('toMonday', DATE, (day) => weekOf(day, true)),
  ofDay('toStartOfMonth', DATE, (day) => monthOf(day, 1)),
  ofDay('toStartOfQuarter', DATE, (day) => monthOf(day, 3)),
  ofDay('toStartOfYear', DATE, (day) => monthOf(day, 12)),
  ofDay('toLastDayOfMonth', DATE, (day) => addToDay(monthOf(day, 1), 1, 'month') - 1),
  ofDayAndMode('toDayOfWeek', int('UInt8'), {
    missingMode: () => 0,
    compute: weekdayInMode
  }),
  ofDay('toISOWeek', int('UInt8'), (day) => isoWeekOf(day).week),
  ofDayAndMode('toWeek', int('UInt8'), { missingMode: () => 0, compute: weekNumber }),
  ofClock('toYear', 'UInt16', (clock) => dateOf(clock).getUTCFullYear()),
  ofClock('toQuarter', 'UInt8', (clock) => Math.floor(dateOf(clock).getUTCMonth() / 3) + 1),
  ofClock('toMonth', 'UInt8', (clock) => dateOf(clock).getUTCMonth() + 1),
  ofClock('toDayOfMonth', 'UInt8', (clock) => dateOf(clock).getUTCDate()),
  ofClock(
    'toDayOfYear',
    'UInt16',
    (clock) => Math.floor(clock / DAY) - monthOf(Math.floor(clock / DAY), 12) + 1
  ),
  ofClock('toYYYYMM', 'UInt32', (clock) => {
    const date = dateOf(clock)
    return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
  }),
  ofClock('toYYYYMMDD', 'UInt32', (clock) =>
    Number(printDay(Math.floor(clock / DAY)).replaceAll('-', ''))
  ),
  ofClock('toHour', 'UInt8', (clock) => dateOf(clock).getUTCHours()),
  ofClock('toMinute', 'UInt8', (clock) => dateOf(clock).getUTCMinutes(), false),
  ofClock('toSecond', 'UInt8', (clock) => dateOf(clock).getUTCSeconds(), false),
  formatDateTime
]
