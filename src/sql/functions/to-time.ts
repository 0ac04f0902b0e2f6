import { constantOf, quote } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import { DATE, exactTime, int, isNumeric, NULL, nullable, time } from '../types.ts'
import {
  type AskedCall,
  constantZone,
  expectNumbers,
  type FunctionDefinition,
  likeArgs,
  strictly,
  wrongType
} from './definition.ts'
import { dayOf, dayOfText, momentOfDay, timeOfText } from './times.ts'

/** Numbers below this are days, and others seconds, as in ClickHouse. */
const FIRST_SECOND = 65_536

const toDate: FunctionDefinition = {
  name: 'toDate',
  arity: [1, 2],
  build(asked) {
    const [arg] = asked.args
    const type = arg?.type ?? NULL
    const zone =
      asked.args.length > 1 ? constantZone(asked, 1) : (type.zone ?? asked.setting.timezone)
    expectReadable(asked, (text) => dayOfText(text, zone), "a date such as '2026-03-01'")
    switch (type.base) {
      case 'text':
      case 'null':
        return {
          type: nullable(DATE, arg?.kind !== 'constant' || type.isNullable),
          apply: strictly((text) => dayOfText(String(text), zone) ?? null)
        }
      case 'time':
        return { type: likeArgs(DATE, asked.args), isCoarse: true, apply: dayIn(zone) }
      case 'date':
        return { type, apply: strictly((day) => day) }
      default:
        expectNumber(asked)
        return {
          type: likeArgs(DATE, asked.args),
          apply: strictly((number) =>
            Number(number) < FIRST_SECOND
              ? Math.floor(Number(number))
              : dayOf(Number(number) * 1000, zone)
          )
        }
    }
  }
}

const dayIn = (zone: string) => strictly((time) => dayOf(Number(time), zone))

/** @throws StatementError */
function expectNumber(asked: AskedCall): void {
  const [arg] = asked.args
  if (arg && !isNumeric(arg.type)) {
    throw wrongType(asked, arg, 'a date, a time, a text or a number')
  }
}

/** Refuses a constant text that cannot be read. @throws StatementError */
function expectReadable(
  { args: [arg], name }: AskedCall,
  read: (text: string) => number | undefined,
  form: string
): void {
  const text = arg?.kind === 'constant' && arg.type.base === 'text' ? constantOf(arg) : undefined
  if (arg && typeof text === 'string' && read(text) === undefined) {
    throw new StatementError(arg.at, `${name} cannot read ${quote(text)}: write ${form}.`)
  }
}

const toDateTime = (name: string): FunctionDefinition => ({
  name,
  arity: [1, 3],
  build(asked) {
    const [arg] = asked.args
    const type = arg?.type ?? NULL
    const last = asked.args.length - 1
    const hasZone = last > 0 && asked.args[last]?.type.base === 'text'
    const zone = hasZone ? constantZone(asked, last) : (type.zone ?? asked.setting.timezone)
    expectReadable(asked, (text) => timeOfText(text, zone), "a time such as '2026-03-01 09:00:00'")
    const result = exactTime(zone)
    switch (type.base) {
      case 'text':
      case 'null':
        return {
          type: nullable(result, arg?.kind !== 'constant' || type.isNullable),
          apply: strictly((text) => timeOfText(String(text), zone) ?? null)
        }
      case 'time':
        return { type: likeArgs(result, asked.args), apply: strictly((value) => value) }
      case 'date':
        return {
          type: likeArgs(result, asked.args),
          apply: strictly((day) => momentOfDay(Number(day), zone))
        }
      default:
        expectNumber(asked)
        return {
          type: likeArgs(result, asked.args),
          apply: strictly((seconds) => Number(seconds) * 1000)
        }
    }
  }
})

const toUnix: FunctionDefinition = {
  name: 'toUnixTimestamp',
  arity: [1, 1],
  build(asked) {
    const [arg] = asked.args
    const base = arg?.type.base
    if (arg && base !== 'time' && base !== 'date') {
      throw wrongType(asked, arg, 'a time')
    }
    const zone = arg?.type.zone ?? asked.setting.timezone
    return {
      type: likeArgs(int('UInt32'), asked.args),
      apply: strictly((value) =>
        Math.floor((base === 'date' ? momentOfDay(Number(value), zone) : Number(value)) / 1000)
      )
    }
  }
}

/** Returns the time of a number of seconds since 1970. */
const fromUnix: FunctionDefinition = {
  name: 'fromUnixTimestamp',
  arity: [1, 1],
  build(asked) {
    expectNumbers(asked)
    return {
      type: likeArgs(time(asked.setting.timezone), asked.args),
      apply: strictly((seconds) => Math.floor(Number(seconds)) * 1000)
    }
  }
}

export const TO_TIME: readonly FunctionDefinition[] = [
  toDate,
  toDateTime('toDateTime'),
  toDateTime('toDateTime64'),
  toDateTime('parseDateTimeBestEffort'),
  toUnix,
  fromUnix
]
