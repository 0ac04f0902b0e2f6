/**
 * What a value of an expression is at run time:
 *
 * - `int`, `float`: a number; NaN and Infinity are floats
 * - `bool`: 1 or 0
 * - `text`, `uuid`: a string
 * - `date`: days since 1970-01-01
 * - `time`: ms UTC
 * - `actor`, `identity`: the number of an actor, or the key of an identity, whose UUID or distinct
 *   id is looked up for the answer only
 * - `array`, `tuple`: a list
 * - `null`: null, the type of the literal
 */
export type Base =
  | 'int'
  | 'float'
  | 'bool'
  | 'text'
  | 'uuid'
  | 'date'
  | 'time'
  | 'actor'
  | 'identity'
  | 'array'
  | 'tuple'
  | 'null'

/** `name` is the type's name in the answer, without `Nullable`. */
export type SqlType = {
  base: Base
  name: string
  isNullable: boolean
  /** The time zone of a time. */
  zone?: string
  /** The type of an array's items, or the types of a tuple's. */
  items?: readonly SqlType[]
}

/** A value that could not be computed. It counts only if it gets into the answer. */
export class ValueFailure {
  readonly at: number
  readonly detail: string

  constructor(at: number, detail: string) {
    this.at = at
    this.detail = detail
  }
}

export type SqlValue = null | number | string | ValueFailure | readonly SqlValue[]

/** A value that is there. */
export type Some = Exclude<SqlValue, null | ValueFailure>

export const isSome = (value: SqlValue | undefined): value is Some =>
  value !== null && value !== undefined && !(value instanceof ValueFailure)

const plain = (base: Base, name: string): SqlType => ({ base, name, isNullable: false })

export const TEXT = plain('text', 'String')
export const FLOAT = plain('float', 'Float64')
export const BOOL = plain('bool', 'Bool')
export const UUID = plain('uuid', 'UUID')
export const DATE = plain('date', 'Date')
export const NULL: SqlType = { base: 'null', name: 'Nothing', isNullable: true }
/** 1 or 0, the result of a comparison. */
export const FLAG = plain('int', 'UInt8')
export const COUNT = plain('int', 'UInt64')
export const ACTOR = plain('actor', 'UUID')
export const IDENTITY = plain('identity', 'String')

export type IntName =
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Int8'
  | 'Int16'
  | 'Int32'
  | 'Int64'

export const int = (name: IntName): SqlType => plain('int', name)

/** A time with a fraction of a second. */
export const exactTime = (zone: string): SqlType => ({
  ...plain('time', `DateTime64(6, '${zone}')`),
  zone
})

/** A time to the second. */
export const time = (zone: string): SqlType => ({ ...plain('time', `DateTime('${zone}')`), zone })

export const arrayOf = (item: SqlType): SqlType => ({
  ...plain('array', `Array(${printType(item)})`),
  items: [item]
})

export const tupleOf = (items: readonly SqlType[]): SqlType => ({
  ...plain('tuple', `Tuple(${items.map(printType).join(', ')})`),
  items
})

export const nullable = (type: SqlType, isNullable = true): SqlType =>
  isNullable && type.base !== 'array' && type.base !== 'tuple' ? { ...type, isNullable } : type

/** `Nullable(String)` */
export const printType = ({ name, isNullable }: SqlType): string =>
  isNullable ? `Nullable(${name})` : name

export const isNumeric = ({ base }: SqlType): boolean =>
  base === 'int' || base === 'float' || base === 'bool'

/** Returns the smallest type of a whole number that is a literal. */
export function typeOfInteger(value: number): SqlType {
  const signed: readonly [number, IntName][] = [
    [2 ** 7, 'Int8'],
    [2 ** 15, 'Int16'],
    [2 ** 31, 'Int32']
  ]
  const unsigned: readonly [number, IntName][] = [
    [2 ** 8, 'UInt8'],
    [2 ** 16, 'UInt16'],
    [2 ** 32, 'UInt32']
  ]
  const [, name] =
    value < 0
      ? (signed.find(([limit]) => -value <= limit) ?? [0, 'Int64' as const])
      : (unsigned.find(([limit]) => value < limit) ?? [0, 'UInt64' as const])
  return int(name)
}

/** Returns the type that has the values of both types; undefined if there is none. */
export function commonType(a: SqlType, b: SqlType): SqlType | undefined {
  const isNullable = a.isNullable || b.isNullable
  if (a.base === 'null' || b.base === 'null') {
    return nullable(a.base === 'null' ? b : a)
  }
  if (a.name === b.name) {
    return nullable(a, isNullable)
  }
  if (isNumeric(a) && isNumeric(b)) {
    return nullable(commonNumber(a, b), isNullable)
  }
  if (a.base !== b.base) {
    return undefined
  }
  if (a.base === 'time') {
    return nullable(a.name.startsWith('DateTime64') ? a : b, isNullable)
  }
  return a.base === 'array' ? commonArray(a, b) : undefined
}

function commonArray(a: SqlType, b: SqlType): SqlType | undefined {
  const item = commonType(a.items?.[0] ?? NULL, b.items?.[0] ?? NULL)
  return item && arrayOf(item)
}

function commonNumber(a: SqlType, b: SqlType): SqlType {
  if (a.base === 'float' || b.base === 'float') {
    return FLOAT
  }
  const [first, second] = [a, b].map(({ name }) => (name === 'Bool' ? 'UInt8' : name))
  if (first === second) {
    return a.name === 'Bool' ? b : a
  }
  const isSigned = !first?.startsWith('U') || !second?.startsWith('U')
  const bits = [first, second].map((name) => Number(/\d+/.exec(name ?? '')?.[0] ?? 64))
  const widest = Math.max(...bits)
  // A signed number that holds an unsigned one needs twice the bits.
  const isMixed = isSigned && (first?.startsWith('U') || second?.startsWith('U'))
  const wanted = Math.min(64, isMixed ? widest * 2 : widest)
  // The cast is safe: all names of integers have 8, 16, 32 or 64 bits.
  return int(`${isSigned ? '' : 'U'}Int${wanted}` as IntName)
}

/** Returns a key that equal values share: a list is known by its items, not by its identity. */
export const keyOfValue = (value: SqlValue): SqlValue =>
  Array.isArray(value) ? JSON.stringify(value) : value

/** Returns the length of a text; of a list, that of its items, and 8 for each of them. */
export function charactersIn(value: SqlValue): number {
  if (typeof value === 'string') {
    return value.length
  }
  return Array.isArray(value)
    ? value.reduce<number>((sum, item: SqlValue) => sum + 8 + charactersIn(item), 0)
    : 0
}

/** The value that stands for no value in a type that has no null. */
export function defaultOf({ base }: SqlType): SqlValue {
  switch (base) {
    case 'text':
      return ''
    case 'uuid':
      return '00000000-0000-0000-0000-000000000000'
    case 'array':
    case 'tuple':
      return []
    case 'null':
    case 'actor':
    case 'identity':
      return null
    default:
      return 0
  }
}

/** Whether a condition holds: null and 0 do not. */
export const isTrue = (value: SqlValue | undefined): boolean =>
  typeof value === 'number' && value !== 0 && !Number.isNaN(value)
