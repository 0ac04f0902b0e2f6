import { fromClock } from '../../calendar/clock.ts'
import { DAY, HOUR, MINUTE } from '../../calendar/units.ts'
import { SLOT } from '../../columns/slots/store.ts'
import type { FunctionCall } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import { INTERVAL_UNITS, type IntervalUnit } from '../tree.ts'
import { DATE, int, time } from '../types.ts'
import { clockFunction, roundDown, type ToClock } from './clocks.ts'
import {
  type AskedCall,
  constantInteger,
  constantText,
  expectNumbers,
  type FunctionDefinition,
  likeArgs,
  strict,
  strictly,
  strictPair
} from './definition.ts'
import {
  addToDay,
  addToTime,
  isElapsed,
  momentOfDay,
  monthOf,
  numberOfUnit,
  weekOf
} from './times.ts'

/*
 * Functions of times and units of time.
 */

const SHORT: ReadonlyMap<string, IntervalUnit> = new Map(
  Object.entries<IntervalUnit>({
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
  })
)

function readUnit(asked: AskedCall): IntervalUnit {
  const text = constantText(asked, 0).toLowerCase()
  const singular = text.replace(/s$/, '')
  const unit = INTERVAL_UNITS.find((one) => one === singular) ?? SHORT.get(text)
  if (!unit) {
    throw new StatementError(
      asked.args[0]?.at ?? asked.at,
      `${asked.name} does not know the unit '${text}': use ${INTERVAL_UNITS.join(', ')}.`
    )
  }
  return unit
}

/** Defines a function of a unit in quotes and of two times, which has a whole number. */
const betweenTimes = (
  name: string,
  compute: (from: number, until: number, unit: IntervalUnit) => number
): FunctionDefinition => ({
  name,
  arity: [3, 3],
  build(asked) {
    const unit = readUnit(asked)
    const from = clockFunction(asked, { place: 1 })
    const until = clockFunction(asked, { place: 2 })
    return {
      type: likeArgs(int('Int64'), asked.args),
      apply: strict((_, a = 0, b = 0) => compute(from.toClock(a), until.toClock(b), unit))
    }
  }
})

/** Counts the boundaries of a unit between two wall-clock times. */
const countBoundaries = (from: number, until: number, unit: IntervalUnit): number =>
  numberOfUnit(until, unit) - numberOfUnit(from, unit)

/** Counts the whole units that lie between two wall-clock times. */
function countWhole(from: number, until: number, unit: IntervalUnit): number {
  if (until < from) {
    return 0 - countWhole(until, from, unit)
  }
  const count = countBoundaries(from, until, unit)
  return addToTime(from, count, unit, 'UTC') > until ? count - 1 : count
}

const STEPS: Partial<Record<IntervalUnit, number>> = {
  second: 1000,
  minute: MINUTE,
  hour: HOUR,
  day: DAY
}

const MONTHS: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 }

const dateTrunc = (name: string): FunctionDefinition => ({
  name,
  arity: [2, 3],
  build(asked) {
    const unit = readUnit(asked)
    const clocked = clockFunction(asked, { place: 1, zonePlace: 2 })
    const args = asked.args.slice(1)
    const step = STEPS[unit]
    if (step !== undefined) {
      const round = roundDown(clocked, step)
      return {
        type: likeArgs(time(clocked.zone), args),
        isCoarse: step % SLOT === 0,
        apply: (_, value = null) => round(value)
      }
    }
    const compute = strictly((value) => {
      const day = Math.floor(clocked.toClock(value) / DAY)
      return unit === 'week' ? weekOf(day, true) : monthOf(day, MONTHS[unit] ?? 1)
    })
    return {
      type: likeArgs(DATE, args),
      isCoarse: true,
      apply: (_, value = null) => compute(value)
    }
  }
})

/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4

/**
 * `toStartOfInterval(t, INTERVAL 2 WEEK)`: rounds down to a number of units, counted from 1970 on the
 * clock; weeks begin on Monday.
 */
export const startOfInterval = (unit: IntervalUnit): FunctionDefinition => ({
  name: `toStartOfInterval-${unit}`,
  arity: [2, 3],
  build(asked) {
    const clocked = clockFunction(asked, { zonePlace: 2 })
    const amount = constantInteger(asked, 1, 1)
    if (amount < 1) {
      throw new StatementError(
        asked.args[1]?.at ?? asked.at,
        'An interval is at least 1 unit long.'
      )
    }
    const step = STEPS[unit]
    if (step === undefined) {
      return {
        type: likeArgs(DATE, asked.args),
        isCoarse: true,
        apply: roundDays(clocked.toClock, unit, amount)
      }
    }
    return {
      type: likeArgs(time(clocked.zone), asked.args),
      isCoarse: (step * amount) % SLOT === 0,
      apply: amount === 1 ? roundDown(clocked, step) : roundClock(clocked, step * amount)
    }
  }
})

const roundClock = (
  { toClock, zone }: { toClock: ToClock; zone: string },
  step: number
): FunctionCall['apply'] =>
  strictly((value) => fromClock(Math.floor(toClock(value) / step) * step, zone))

const roundDays = (toClock: ToClock, unit: IntervalUnit, amount: number): FunctionCall['apply'] =>
  strictly((value) => {
    const day = Math.floor(toClock(value) / DAY)
    if (unit === 'week') {
      const days = amount * 7
      return FIRST_MONDAY + Math.floor((day - FIRST_MONDAY) / days) * days
    }
    const months = amount * (MONTHS[unit] ?? 1)
    const month = numberOfUnit(day * DAY, 'month') - MONTHS_BEFORE_1970
    return addToDay(0, Math.floor(month / months) * months, 'month')
  })

/** The months from the year 0 to 1970. */
const MONTHS_BEFORE_1970 = 1970 * 12

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

export const INTERVALS: readonly FunctionDefinition[] = [
  betweenTimes('dateDiff', countBoundaries),
  betweenTimes('age', countWhole),
  dateTrunc('dateTrunc'),
  dateTrunc('date_trunc'),
  ...ADDING
]
