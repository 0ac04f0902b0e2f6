import { fromClock } from '../../calendar/clock.ts'
import { DAY, HOUR, MINUTE } from '../../calendar/units.ts'
import { StatementError } from '../statement-error.ts'
import { INTERVAL_UNITS, type IntervalUnit } from '../tree.ts'
import {
  DATE,
  exactTime,
  type IntName,
  int,
  NULL,
  type SqlType,
  type SqlValue,
  TEXT,
  time
} from '../types.ts'
import {
  type AskedCall,
  constantInteger,
  constantText,
  constantZone,
  expectNumbers,
  type FunctionDefinition,
  likeArgs,
  strict,
  strictly,
  strictPair,
  wrongType
} from './definition.ts'
import { formatTime } from './format-time.ts'
import {
  addToDay,
  addToTime,
  clockOf,
  dayOf,
  isElapsed,
  isoWeekOf,
  momentOfDay,
  monthOf,
  numberOfUnit,
  weekdayOf,
  weekOf
} from './times.ts'

/*
 * Functions of times and dates. Each works in the zone of the time, which is the project's unless
 * toTimeZone or an argument says otherwise.
 */

/** Returns the wall-clock time of a time or a date. */
type ToClock = (value: Exclude<SqlValue, null>) => number

/** @throws StatementError unless an argument is a time or a date */
function clockFunction(
  asked: Pick<AskedCall, 'name' | 'args' | 'at' | 'setting'>,
  place = 0
): {
  toClock: ToClock
  zone: string
  type: SqlType
} {
  const arg = asked.args[place]
  const type = arg?.type ?? NULL
  const zone = type.zone ?? asked.setting.timezone
  switch (type.base) {
    case 'time':
      return { type, zone, toClock: (value) => clockOf(Number(value), zone) }
    case 'date':
    case 'null':
      return { type, zone, toClock: (value) => Number(value) * DAY }
    default:
      throw wrongType(asked, arg ?? missing(asked), 'a time')
  }
}

function missing({ at, name }: Pick<AskedCall, 'at' | 'name'>): never {
  throw new StatementError(at, `${name} takes more arguments.`)
}

/** Defines a function that gets the day of a time, and has a whole number or a day as result. */
const ofDay = (
  name: string,
  type: SqlType,
  compute: (day: number, asked: AskedCall) => number
): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const { toClock } = clockFunction(asked)
    return {
      type: likeArgs(type, asked.args),
      apply: strictly((value) => compute(Math.floor(toClock(value) / DAY), asked))
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
    missingMode: (asked: AskedCall) => number
    compute: (day: number, mode: number) => number
  }
): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const { toClock } = clockFunction(asked)
    const mode = constantInteger(asked, 1, missingMode(asked))
    return {
      type: likeArgs(type, asked.args),
      apply: strictly((value) => compute(Math.floor(toClock(value) / DAY), mode))
    }
  }
})

/** Weeks begin on Monday in odd modes of ClickHouse, and on Sunday in even ones. */
const weekInMode = (day: number, mode: number): number =>
  weekOf(day, mode === 8 ? false : mode === 9 || mode % 2 === 1)

/** The weekday by the mode: Monday 1 or 0, Sunday 0 or 1. */
function weekdayInMode(day: number, mode: number): number {
  const fromMonday = weekdayOf(day)
  const fromSunday = (fromMonday + 1) % 7
  return [fromMonday + 1, fromMonday, fromSunday, fromSunday + 1][mode % 4] ?? fromMonday + 1
}

const ofClock = (
  name: string,
  type: IntName,
  compute: (clock: number) => number
): FunctionDefinition => ({
  name,
  arity: [1, 2],
  build(asked) {
    const [arg] = asked.args
    const zone = asked.args.length > 1 ? constantZone(asked, 1) : undefined
    const { toClock } = clockFunction({
      ...asked,
      args: arg && zone ? [{ ...arg, type: { ...arg.type, zone } }] : asked.args
    })
    return {
      type: likeArgs(int(type), asked.args),
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
    const [arg] = asked.args
    const own = asked.args.length > 1 ? constantZone(asked, 1) : undefined
    const args = arg && own ? [{ ...arg, type: { ...arg.type, zone: own } }] : asked.args
    const { zone, type, toClock } = clockFunction({ ...asked, args })
    return {
      type: likeArgs(time(zone), asked.args),
      apply: roundDown({ zone, type, toClock }, step)
    }
  }
})

function roundDown(
  { zone, type, toClock }: { zone: string; type: SqlType; toClock: ToClock },
  step: number
) {
  if (step === DAY) {
    return strictly((value) => momentOfDay(Math.floor(toClock(value) / DAY), zone))
  }
  return strictly((value) => {
    const clock = toClock(value)
    const rest = clock - Math.floor(clock / step) * step
    // An hour that the clock shows twice stays the one that it is.
    return type.base === 'date' ? fromClock(clock - rest, zone) : Number(value) - rest
  })
}

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

const SHORT: Readonly<Record<string, IntervalUnit>> = {
  ss: 'second',
  s: 'second',
  mi: 'minute',
  n: 'minute',
  hh: 'hour',
  h: 'hour',
  dd: 'day',
  d: 'day',
  wk: 'week',
  ww: 'week',
  mm: 'month',
  m: 'month',
  qq: 'quarter',
  q: 'quarter',
  yy: 'year',
  yyyy: 'year'
}

function readUnit(asked: AskedCall): IntervalUnit {
  const text = constantText(asked, 0).toLowerCase()
  const singular = text.replace(/s$/, '')
  const unit = INTERVAL_UNITS.find((one) => one === singular) ?? SHORT[text]
  if (!unit) {
    throw new StatementError(
      asked.args[0]?.at ?? asked.at,
      `${asked.name} does not know the unit '${text}': use ${INTERVAL_UNITS.join(', ')}.`
    )
  }
  return unit
}

/** Counts the boundaries of a unit between two times. */
const dateDiff: FunctionDefinition = {
  name: 'dateDiff',
  arity: [3, 3],
  build(asked) {
    const unit = readUnit(asked)
    const from = clockFunction(asked, 1)
    const until = clockFunction(asked, 2)
    return {
      type: likeArgs(int('Int64'), asked.args),
      apply: strict(
        (_, a = 0, b = 0) =>
          numberOfUnit(until.toClock(b), unit) - numberOfUnit(from.toClock(a), unit)
      )
    }
  }
}

const dateTrunc = (name: string): FunctionDefinition => ({
  name,
  arity: [2, 3],
  build(asked) {
    const unit = readUnit(asked)
    const arg = asked.args[1]
    const own = asked.args.length > 2 ? constantZone(asked, 2) : undefined
    const args = arg && own ? [{ ...arg, type: { ...arg.type, zone: own } }] : asked.args.slice(1)
    const found = clockFunction({ ...asked, args })
    const step = { second: 1000, minute: MINUTE, hour: HOUR, day: DAY }[unit as 'day']
    if (step !== undefined) {
      const round = roundDown(found, step)
      return { type: likeArgs(time(found.zone), args), apply: (_, value = null) => round(value) }
    }
    const compute = strictly((value) => {
      const day = Math.floor(found.toClock(value) / DAY)
      return unit === 'week' ? weekOf(day, true) : monthOf(day, MONTHS_OF[unit] ?? 1)
    })
    return { type: likeArgs(DATE, args), apply: (_, value = null) => compute(value) }
  }
})

const MONTHS_OF: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 }

/** Adds an amount of a unit to the first argument; `sign` is -1 to subtract. */
export const adding = (name: string, unit: IntervalUnit, sign: 1 | -1): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build(asked) {
    const { type, zone } = clockFunction(asked)
    expectNumbers({ name, args: asked.args.slice(1) })
    const amountOf = (amount: unknown): number => sign * Math.trunc(Number(amount))
    if (type.base === 'date' && isElapsed(unit)) {
      return {
        type: likeArgs(time(zone), asked.args),
        apply: strictPair((day, amount) =>
          addToTime(momentOfDay(Number(day), zone), amountOf(amount), unit, zone)
        )
      }
    }
    return {
      type: likeArgs(type, asked.args),
      apply: strictPair((value, amount) =>
        type.base === 'date'
          ? addToDay(Number(value), amountOf(amount), unit)
          : addToTime(Number(value), amountOf(amount), unit, zone)
      )
    }
  }
})

/** `addDays`, `subtractMonths` … */
const ADDING = INTERVAL_UNITS.flatMap((unit) => {
  const name = `${unit[0]?.toUpperCase()}${unit.slice(1)}s`
  return [adding(`add${name}`, unit, 1), adding(`subtract${name}`, unit, -1)]
})

const formatDateTime: FunctionDefinition = {
  name: 'formatDateTime',
  arity: [2, 3],
  build(asked) {
    const [arg] = asked.args
    const own = asked.args.length > 2 ? constantZone(asked, 2) : undefined
    const args = arg && own ? [{ ...arg, type: { ...arg.type, zone: own } }] : asked.args
    const { toClock, zone, type } = clockFunction({ ...asked, args })
    const format = formatTime(constantText(asked, 1), asked.args[1]?.at ?? asked.at)
    const timeOf = (value: Exclude<SqlValue, null>) =>
      type.base === 'date' ? momentOfDay(Number(value), zone) : Number(value)
    return {
      type: likeArgs(TEXT, asked.args),
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
    missingMode: ({ setting: { weekStart } }) => (weekStart === 1 ? 3 : 0),
    compute: weekInMode
  }),
  ofDay('toMonday', DATE, (day) => weekOf(day, true)),
  ofDay('toStartOfMonth', DATE, (day) => monthOf(day, 1)),
  ofDay('toStartOfQuarter', DATE, (day) => monthOf(day, 3)),
  ofDay('toStartOfYear', DATE, (day) => monthOf(day, 12)),
  ofDayAndMode('toDayOfWeek', int('UInt8'), {
    missingMode: () => 0,
    compute: weekdayInMode
  }),
  ofDay('toISOWeek', int('UInt8'), (day) => isoWeekOf(day).week),
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
  ofClock('toHour', 'UInt8', (clock) => dateOf(clock).getUTCHours()),
  ofClock('toMinute', 'UInt8', (clock) => dateOf(clock).getUTCMinutes()),
  ofClock('toSecond', 'UInt8', (clock) => dateOf(clock).getUTCSeconds()),
  dateDiff,
  dateTrunc('dateTrunc'),
  dateTrunc('date_trunc'),
  ...ADDING,
  formatDateTime
]
