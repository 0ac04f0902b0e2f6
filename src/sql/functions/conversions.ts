import type { Json } from '../../input/json.ts'
import { constantOf, quote } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import {
  BOOL,
  DATE,
  exactTime,
  FLOAT,
  int,
  isNumeric,
  NULL,
  nullable,
  type Some,
  type SqlType,
  type SqlValue,
  TEXT,
  UUID,
  ValueFailure
} from '../types.ts'
import {
  type AskedCall,
  constantZone,
  type FunctionDefinition,
  likeArgs,
  strictly,
  wrongType
} from './definition.ts'
import { numberOfText } from './numbers-of-text.ts'
import { dayOf, dayOfText, momentOfDay, printDay, printLocal, timeOfText } from './times.ts'

/** Returns the function that writes the values of a type as text. */
export function printerOf(type: SqlType): (value: Some) => string {
  switch (type.base) {
    case 'bool':
      return (value) => (value ? 'true' : 'false')
    case 'date':
      return (value) => printDay(Number(value))
    case 'time':
      return (value) =>
        printLocal(Number(value), type.zone ?? 'UTC', type.name.startsWith('DateTime64'))
    case 'float':
      return (value) => printFloat(Number(value))
    case 'array':
    case 'tuple':
      return (value) => JSON.stringify(value)
    default:
      return String
  }
}

function printFloat(value: number): string {
  if (Number.isNaN(value)) {
    return 'nan'
  }
  return Number.isFinite(value) ? String(value) : String(value).replace('Infinity', 'inf')
}

const toText: FunctionDefinition = {
  name: 'toString',
  arity: [1, 2],
  build(asked) {
    const [arg, zone] = asked.args
    const given = arg?.type ?? NULL
    const type = zone && given.base === 'time' ? { ...given, zone: constantZone(asked, 1) } : given
    return { type: nullable(TEXT, given.isNullable), apply: strictly(printerOf(type)) }
  }
}

const WHOLE = /^[+-]?\d{1,19}$/

function toInteger(value: Some, base: SqlType['base'], at: number): SqlValue {
  if (typeof value === 'string' && !WHOLE.test(value)) {
    return null
  }
  const number = base === 'time' ? Math.floor(Number(value) / 1000) : Number(value)
  if (!Number.isInteger(number)) {
    return null
  }
  return Number.isSafeInteger(number)
    ? number
    : new ValueFailure(at, `${String(value)} is a whole number above 2^53: use toFloat.`)
}

/** Refuses what a number cannot be made of. @throws StatementError */
function expectScalar(asked: AskedCall): void {
  const [arg] = asked.args
  if (arg && (arg.type.base === 'array' || arg.type.base === 'tuple')) {
    throw wrongType(asked, arg, 'one value')
  }
}

const toInt: FunctionDefinition = {
  name: 'toInt',
  arity: [1, 1],
  build(asked) {
    expectScalar(asked)
    const base = asked.args[0]?.type.base ?? 'null'
    return {
      type: nullable(int('Int64')),
      apply: strictly((value) => toInteger(value, base, asked.at))
    }
  }
}

const floatOf = (value: Some, base: SqlType['base']): SqlValue => {
  if (typeof value === 'string') {
    return numberOfText(value) ?? null
  }
  return base === 'time' ? Number(value) / 1000 : Number(value)
}

const toFloat: FunctionDefinition = {
  name: 'toFloat',
  arity: [1, 1],
  build(asked) {
    expectScalar(asked)
    const base = asked.args[0]?.type.base ?? 'null'
    return { type: nullable(FLOAT), apply: strictly((value) => floatOf(value, base)) }
  }
}

const FLAGS: Readonly<Record<string, number>> = {
  true: 1,
  '1': 1,
  yes: 1,
  false: 0,
  '0': 0,
  no: 0
}

const toBool: FunctionDefinition = {
  name: 'toBool',
  arity: [1, 1],
  build({ at, args }) {
    return {
      type: likeArgs(BOOL, args),
      apply: strictly((value) => {
        if (typeof value === 'number') {
          return value === 0 ? 0 : 1
        }
        const flag = FLAGS[String(value).toLowerCase()]
        return flag ?? new ValueFailure(at, `toBool cannot read ${quote(String(value))}.`)
      })
    }
  }
}

const toUuid: FunctionDefinition = {
  name: 'toUUID',
  arity: [1, 1],
  build: () => ({
    type: nullable(UUID),
    apply: strictly((value) =>
      /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(String(value))
        ? String(value).toLowerCase()
        : null
    )
  })
}

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
        return { type: likeArgs(DATE, asked.args), apply: dayIn(zone) }
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

export const CONVERSIONS: readonly FunctionDefinition[] = [
  toText,
  toInt,
  toFloat,
  toBool,
  toUuid,
  toDate,
  toDateTime('toDateTime'),
  toDateTime('parseDateTimeBestEffort'),
  toUnix
]

/*
 * Members of properties, which are JSON, as values.
 */

/** Returns the text of a JSON value: that of a string as it is. */
export function textOfJson(json: Json): string | null {
  if (json === null || typeof json === 'string') {
    return json
  }
  return JSON.stringify(json)
}

export function numberOfJson(json: Json): number | null {
  if (typeof json === 'number') {
    return json
  }
  return typeof json === 'string' ? (numberOfText(json) ?? null) : null
}

export function flagOfJson(json: Json): number | null {
  if (json === true || json === 'true') {
    return 1
  }
  return json === false || json === 'false' ? 0 : null
}

/** Returns the member at a path of names and of indexes from 1 on; null if there is none. */
export function memberAt(json: Json, path: readonly (string | number)[]): Json {
  let found: Json | undefined = json
  for (const step of path) {
    if (Array.isArray(found)) {
      found = found[Number(step) - 1]
    } else if (typeof found === 'object' && found !== null && Object.hasOwn(found, step)) {
      found = found[String(step)]
    } else {
      return null
    }
  }
  return found ?? null
}
