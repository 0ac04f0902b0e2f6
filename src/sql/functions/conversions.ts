import { quote } from '../expression.ts'
import {
  BOOL,
  charactersIn,
  FLOAT,
  int,
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
  expectNumbers,
  type FunctionDefinition,
  isTooLong,
  likeArgs,
  strictly,
  tooLong,
  wrongType
} from './definition.ts'
import { numberOfText } from './numbers-of-text.ts'
import { printDay, printLocal } from './times.ts'

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
    const print = printerOf(type)
    return {
      type: nullable(TEXT, given.isNullable),
      grows: type.items !== undefined,
      apply: strictly((value) => (isTooLong(charactersIn(value)) ? tooLong(asked) : print(value)))
    }
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

const FLAGS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    true: 1,
    '1': 1,
    yes: 1,
    false: 0,
    '0': 0,
    no: 0
  })
)

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
        const flag = FLAGS.get(String(value).toLowerCase())
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

/** `toFloatOrZero('abc')` is 0. */
const orZero = (name: string, { arity, build }: FunctionDefinition): FunctionDefinition => ({
  name,
  arity,
  build(asked) {
    const { type, apply } = build(asked)
    return {
      type: likeArgs({ ...type, isNullable: false }, asked.args),
      apply: strictly((value) => apply(value) ?? 0)
    }
  }
})

/** `toFloatOrDefault('abc', 5)` is 5, and so it is for null. */
const toFloatOrDefault: FunctionDefinition = {
  name: 'toFloatOrDefault',
  arity: [2, 2],
  build(asked) {
    const [arg, ...others] = asked.args
    expectNumbers({ name: asked.name, args: others })
    const { apply } = toFloat.build({ ...asked, args: arg ? [arg] : [] })
    return {
      type: likeArgs(FLOAT, others),
      apply: (value = null, otherwise = null) => apply(value) ?? otherwise
    }
  }
}

export const CONVERSIONS: readonly FunctionDefinition[] = [
  toText,
  toInt,
  orZero('toIntOrZero', toInt),
  toFloat,
  orZero('toFloatOrZero', toFloat),
  toFloatOrDefault,
  toBool,
  toUuid
]
