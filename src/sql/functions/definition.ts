import type { Work } from '../../properties/work.ts'
import { constantOf, type Expression, type FunctionCall } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import {
  commonType,
  isNumeric,
  nullable,
  printType,
  type Some,
  type SqlType,
  type SqlValue,
  ValueFailure
} from '../types.ts'

/** What the meaning of a function depends on besides its arguments. */
export type Setting = {
  timezone: string
  weekStart: number
  now: Date
  work: Work
  /** Notes a warning for the answer. */
  warn: (text: string) => void
}

/** A call whose arguments are resolved. */
export type AskedCall = { at: number; name: string; args: readonly Expression[]; setting: Setting }

type Built = { type: SqlType } & Pick<FunctionCall, 'apply' | 'isCoarse' | 'grows'>

/** A function: how many arguments it takes, and what it computes of them. */
export type FunctionDefinition = {
  name: string
  /** The fewest and the most arguments. */
  arity: readonly [number, number]
  /** @throws StatementError for arguments of the wrong type */
  build: (asked: AskedCall) => Built
}

export const MANY = 255

/** Makes a function null for a null argument, and failed for a failed one. */
export const strict =
  (compute: (...args: Some[]) => SqlValue): FunctionCall['apply'] =>
  (...args) => {
    for (const arg of args) {
      if (arg === null || arg instanceof ValueFailure) {
        return arg
      }
    }
    // The cast is safe: no argument is null or failed.
    return compute(...(args as Some[]))
  }

/** Like `strict`, for one argument. */
export const strictly =
  (compute: (arg: Some) => SqlValue): FunctionCall['apply'] =>
  (arg) =>
    arg === null || arg === undefined || arg instanceof ValueFailure ? (arg ?? null) : compute(arg)

/** Like `strict`, for two arguments. */
export const strictPair =
  (compute: (a: Some, b: Some) => SqlValue): FunctionCall['apply'] =>
  (a = null, b = null) => {
    if (a === null || a instanceof ValueFailure) {
      return a
    }
    return b === null || b instanceof ValueFailure ? b : compute(a, b)
  }

/** Longest text that a function makes of several, characters. */
const MAX_TEXT = 1_000_000

/** Whether a text would be too long for a function to make. */
export const isTooLong = (length: number): boolean => length > MAX_TEXT

/** Returns the failure of a function whose text would be too long. */
export const tooLong = ({ at, name }: AskedCall): ValueFailure =>
  new ValueFailure(at, `The text of ${name} would have more than ${MAX_TEXT} characters.`)

/** Returns a type that is nullable if an argument is. */
export const likeArgs = (type: SqlType, args: readonly Expression[]): SqlType =>
  nullable(
    type,
    args.some((arg) => arg.type.isNullable)
  )

const CASTS: Readonly<Record<string, string>> = {
  'a number': 'toFloat',
  'a text': 'toString',
  'a time': 'toDateTime'
}

/** Returns the error for an argument of the wrong type. */
export function wrongType({ name }: Pick<AskedCall, 'name'>, arg: Expression, wanted: string) {
  const cast = CASTS[wanted]
  const advice = cast && arg.kind !== 'constant' ? `: write ${cast}(${arg.label})` : ''
  return new StatementError(
    arg.at,
    `${name} takes ${wanted}, and ${arg.label} is ${printType(arg.type)}${advice}.`
  )
}

/** @throws StatementError unless the arguments are numbers or null */
export function expectNumbers(asked: Pick<AskedCall, 'name' | 'args'>): void {
  for (const arg of asked.args) {
    if (!isNumeric(arg.type) && arg.type.base !== 'null') {
      throw wrongType(asked, arg, 'a number')
    }
  }
}

/** @throws StatementError unless an argument is a text or null */
export function expectText(asked: Pick<AskedCall, 'name'>, arg: Expression | undefined): void {
  if (arg && arg.type.base !== 'text' && arg.type.base !== 'null') {
    throw wrongType(asked, arg, 'a text')
  }
}

/** @throws StatementError unless an argument can be a condition */
export function expectCondition(name: string, arg: Expression): void {
  const { base } = arg.type
  if (base !== 'int' && base !== 'bool' && base !== 'null') {
    throw wrongType({ name }, arg, 'a condition')
  }
}

/** Returns a text that has to be constant. @throws StatementError */
export function constantText(asked: AskedCall, place: number): string {
  const arg = asked.args[place]
  const value = arg && constantOf(arg)
  if (typeof value !== 'string') {
    throw new StatementError(
      arg?.at ?? asked.at,
      `${asked.name} takes a text in quotes as argument ${place + 1}.`
    )
  }
  return value
}

/** Returns a whole number that has to be constant, or one for a missing argument. */
export function constantInteger(asked: AskedCall, place: number, missing: number): number {
  const arg = asked.args[place]
  const value = arg ? constantOf(arg) : missing
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new StatementError(
      arg?.at ?? asked.at,
      `${asked.name} takes a whole number as argument ${place + 1}.`
    )
  }
  return value
}

/** Returns a time zone that has to be constant, or the project's. @throws StatementError */
export function constantZone(asked: AskedCall, place: number): string {
  const arg = asked.args[place]
  if (!arg) {
    return asked.setting.timezone
  }
  const zone = constantText(asked, place)
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return zone
  } catch {
    throw new StatementError(
      arg.at,
      `${JSON.stringify(zone)} is not a time zone: write one such as 'Europe/Berlin'.`
    )
  }
}

/** Returns the common type of some arguments. @throws StatementError if they have none */
export function commonTypeOf(name: string, args: readonly Expression[]): SqlType {
  const [first, ...others] = args
  let type = first?.type
  for (const arg of others) {
    const joined: SqlType | undefined = type && commonType(type, arg.type)
    if (!joined || !type) {
      throw new StatementError(
        arg.at,
        `${name} needs values of one type, and got ${printType(first?.type ?? arg.type)} and ${printType(arg.type)}: use toString or toFloat.`
      )
    }
    type = joined
  }
  if (!type) {
    throw new Error('A common type needs arguments.')
  }
  return type
}

/** @throws StatementError for too few or too many arguments */
export function expectArity(
  name: string,
  [least, most]: readonly [number, number],
  found: number,
  at: number
): void {
  if (found < least || found > most) {
    const exactly = least === most ? `${least}` : `at least ${least}`
    const wanted = found > most && least !== most ? `at most ${most}` : exactly
    const noun = wanted.endsWith(' 1') || wanted === '1' ? 'argument' : 'arguments'
    throw new StatementError(at, `${name} expects ${wanted} ${noun}, found ${found}.`)
  }
}
