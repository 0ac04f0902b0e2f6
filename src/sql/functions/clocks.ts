import { fromClock } from '../../calendar/clock.ts'
import { DAY } from '../../calendar/units.ts'
import type { FunctionCall } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import { NULL, type SqlType, type SqlValue } from '../types.ts'
import { type AskedCall, constantZone, strictly, wrongType } from './definition.ts'
import { clockOf, momentOfDay } from './times.ts'

/** Returns the wall-clock time of a time or a date. */
export type ToClock = (value: Exclude<SqlValue, null>) => number

/** How the values of a type are read as wall-clock times. */
type Clocked = { toClock: ToClock; zone: string; type: SqlType }

/**
 * Returns how an argument is read as a wall-clock time.
 * @param zonePlace the argument that may be a time zone; otherwise, the time has its own
 * @throws StatementError unless it is a time or a date
 */
export function clockFunction(
  asked: AskedCall,
  { place = 0, zonePlace }: { place?: number; zonePlace?: number } = {}
): Clocked {
  const arg = asked.args[place]
  const type = arg?.type ?? NULL
  const zone =
    zonePlace !== undefined && asked.args.length > zonePlace
      ? constantZone(asked, zonePlace)
      : (type.zone ?? asked.setting.timezone)
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

/** Returns a function that rounds a time down to a step of at most a day, ms. */
export function roundDown({ zone, type, toClock }: Clocked, step: number): FunctionCall['apply'] {
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
