import { constantOf, type Expression, type FunctionCall } from '../expression.ts'
import { StatementError } from '../statement-error.ts'
import {
  type Base,
  commonType,
  FLAG,
  isNumeric,
  isSome,
  keyOfValue,
  printType,
  type Some,
  type SqlValue,
  ValueFailure
} from '../types.ts'
import { compareValues } from './compare.ts'
import type { FunctionDefinition, Setting } from './definition.ts'
import { numberOfText } from './numbers-of-text.ts'
import { dayOfText, momentOfDay, timeOfText } from './times.ts'

/*
 * Comparisons are two-valued: `=` of two nulls holds, `=` of one null does not, and `!=` is its
 * opposite. `<` and its like never hold with a null.
 */

const UUID_TEXT = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Two values that can be compared, and how. */
type Compared = { base: Base; left: Convert; right: Convert }

/** Makes a value comparable. */
type Convert = (value: Some) => Some

const same: Convert = (value) => value

/**
 * Returns how the values of two expressions are compared.
 * @throws StatementError if they cannot be
 */
export function comparing(
  a: Expression,
  b: Expression,
  setting: Pick<Setting, 'timezone'>
): Compared {
  const common = commonType(a.type, b.type)
  if (common && common.base !== 'time') {
    return { base: common.base, left: same, right: same }
  }
  const found = convert(a, b, setting)
  if (found) {
    return found
  }
  const turned = convert(b, a, setting)
  if (turned) {
    return { base: turned.base, left: turned.right, right: turned.left }
  }
  throw new StatementError(
    b.at,
    `${a.label} is ${printType(a.type)}, and ${b.label} is ${printType(b.type)}: these cannot be compared. ${adviceFor(a, b)}`
  )
}

function adviceFor(a: Expression, b: Expression): string {
  const text = [a, b].find(({ type }) => type.base === 'text')
  const other = text === a ? b : a
  if (text && isNumeric(other.type)) {
    return `Write toFloat(${text.label}).`
  }
  if (text && (other.type.base === 'time' || other.type.base === 'date')) {
    return `Write toDateTime(${text.label}).`
  }
  return 'Use toString or toFloat.'
}

/** Returns how `a` and `b` are compared as values of the type of `a`, if they can be. */
function convert(a: Expression, b: Expression, { timezone }: Pick<Setting, 'timezone'>) {
  const text = b.kind === 'constant' && b.type.base === 'text' ? constantOf(b) : undefined
  if (a.type.base === 'time') {
    return convertTime(a, b, text, timezone)
  }
  if (typeof text === 'string') {
    return convertText(a, b, text, timezone)
  }
  return a.type.base === 'text' && b.kind === 'constant' && b.type.base === 'bool'
    ? { base: 'text' as const, left: same, right: (flag: SqlValue) => (flag ? 'true' : 'false') }
    : undefined
}

/** Compares with a constant that a text is read as. @throws StatementError for an unreadable one */
function fixed(
  a: Expression,
  b: Expression,
  base: Base,
  { value, form }: { value: number | string | undefined; form: string }
): Compared {
  if (value === undefined) {
    throw new StatementError(
      b.at,
      `${b.label} cannot be compared with ${a.label}, which is ${printType(a.type)}: write ${form}.`
    )
  }
  return { base, left: same, right: () => value }
}

function convertText(
  a: Expression,
  b: Expression,
  text: string,
  timezone: string
): Compared | undefined {
  switch (a.type.base) {
    case 'int':
    case 'float':
      return fixed(a, b, 'float', { value: numberOfText(text), form: "a number such as '12'" })
    case 'bool':
      return fixed(a, b, 'bool', {
        value: FLAGS.get(text.toLowerCase()),
        form: "'true' or 'false'"
      })
    case 'uuid':
      return fixed(a, b, 'uuid', {
        value: UUID_TEXT.test(text) ? text.toLowerCase() : undefined,
        form: 'a UUID'
      })
    case 'date':
      return fixed(a, b, 'date', {
        value: dayOfText(text, timezone),
        form: "a date such as '2026-03-01'"
      })
    default:
      return undefined
  }
}

function convertTime(
  a: Expression,
  b: Expression,
  text: SqlValue | undefined,
  timezone: string
): Compared | undefined {
  const zone = a.type.zone ?? timezone
  if (typeof text === 'string') {
    return fixed(a, b, 'time', {
      value: timeOfText(text, zone),
      form: "a time such as '2026-03-01 09:00:00'"
    })
  }
  switch (b.type.base) {
    case 'time':
      return { base: 'time', left: same, right: same }
    case 'date':
      return { base: 'time', left: same, right: (day) => momentOfDay(Number(day), zone) }
    case 'int':
    case 'float':
      return { base: 'time', left: same, right: (seconds) => Number(seconds) * 1000 }
    default:
      return undefined
  }
}

const FLAGS = new Map([
  ['true', 1],
  ['false', 0],
  ['1', 1],
  ['0', 0]
])

type Decide = (order: number) => boolean

/** The results for two nulls, for one null, and for NaN. */
type Missing = { ofNulls: number; ofNull: number; ofNaN: number }

const comparison = (name: string, decide: Decide, missing: Missing): FunctionDefinition => ({
  name,
  arity: [2, 2],
  build({ args: [a, b], setting }) {
    if (!a || !b) {
      throw new Error('A comparison has two sides.')
    }
    const { base, left, right } = comparing(a, b, setting)
    const compare = (x: SqlValue = null, y: SqlValue = null): SqlValue => {
      if (!isSome(x) || !isSome(y)) {
        return failureIn([x, y]) ?? (x === y ? missing.ofNulls : missing.ofNull)
      }
      const [one, other] = [left(x), right(y)]
      if (Number.isNaN(one) || Number.isNaN(other)) {
        return missing.ofNaN
      }
      return Number(decide(compareValues(base, one, other)))
    }
    const limit = left === same ? numberIn(b, right) : undefined
    const compareNumber: FunctionCall['apply'] = (x = null, y = null) =>
      limit !== undefined && typeof x === 'number' && !Number.isNaN(x)
        ? Number(decide(Number(x > limit) - Number(x < limit)))
        : compare(x, y)
    return { type: FLAG, apply: limit === undefined ? compare : compareNumber }
  }
})

/** Returns the number that a constant is compared as; undefined for any other side. */
function numberIn(side: Expression, convert: Convert): number | undefined {
  const value = side.kind === 'constant' && isSome(side.value) ? convert(side.value) : undefined
  return typeof value === 'number' && !Number.isNaN(value) ? value : undefined
}

/** Returns the first value that failed. */
const failureIn = (values: readonly SqlValue[]): ValueFailure | undefined =>
  values.find((value) => value instanceof ValueFailure)

const ordered = (name: string, decide: Decide): FunctionDefinition =>
  comparison(name, decide, { ofNulls: 0, ofNull: 0, ofNaN: 0 })

/** `x BETWEEN a AND b`; never holds with a null, not even NOT BETWEEN. */
const between = (name: string, isInside: boolean): FunctionDefinition => ({
  name,
  arity: [3, 3],
  build({ args: [x, from, until], setting }) {
    if (!x || !from || !until) {
      throw new Error('BETWEEN has three operands.')
    }
    const low = comparing(x, from, setting)
    const high = comparing(x, until, setting)
    return {
      type: FLAG,
      apply(value = null, first = null, last = null) {
        if (!isSome(value) || !isSome(first) || !isSome(last)) {
          return failureIn([value, first, last]) ?? 0
        }
        const isAfter = compareValues(low.base, low.left(value), low.right(first)) >= 0
        const isBefore = compareValues(high.base, high.left(value), high.right(last)) <= 0
        return Number((isAfter && isBefore) === isInside)
      }
    }
  }
})

const membership = (name: string, ofMember: 0 | 1): FunctionDefinition => ({
  name,
  arity: [1, 1_001],
  build(asked) {
    const [x, ...items] = asked.args
    if (!x) {
      throw new Error('IN has a left side.')
    }
    const tests = items.map((item) => {
      const value = constantOf(item)
      if (value === undefined) {
        throw new StatementError(
          item.at,
          `${item.label} is not a constant: the list of IN has constants only. Write it with = and OR.`
        )
      }
      if (value === null) {
        return null
      }
      const { right } = comparing(x, item, asked.setting)
      return right(value)
    })
    const set = new Set(tests.map(keyOfValue))
    return {
      type: FLAG,
      apply(value = null) {
        if (value instanceof ValueFailure) {
          return value
        }
        return set.has(keyOfValue(value)) ? ofMember : 1 - ofMember
      }
    }
  }
})

export const COMPARISONS: readonly FunctionDefinition[] = [
  comparison('equals', (order) => order === 0, { ofNulls: 1, ofNull: 0, ofNaN: 0 }),
  comparison('notEquals', (order) => order !== 0, { ofNulls: 0, ofNull: 1, ofNaN: 1 }),
  ordered('less', (order) => order < 0),
  ordered('lessOrEquals', (order) => order <= 0),
  ordered('greater', (order) => order > 0),
  ordered('greaterOrEquals', (order) => order >= 0),
  between('between', true),
  between('notBetween', false),
  membership('in', 1),
  membership('notIn', 0)
]
