import { parseDate } from '../calendar/clock.ts'
import { isExact } from '../input/exact.ts'
import { show } from '../input/show.ts'
import {
  DATES,
  invalid,
  isOneOf,
  NUMERIC,
  type Operator,
  type PropertyFilter,
  RANGES,
  SEMVER
} from './filter.ts'
import type { Patterns } from './pattern.ts'
import { isVersion, isVersionPattern } from './version.ts'

/**
 * Longest value of `icontains` and similar operators, characters. It is searched for in every
 * stored value.
 */
const MAX_CONTAINED = 1_000
/** Longest number in a filter, characters. */
const MAX_NUMBER = 400

type Checking = { timezone: string; now: Date; patterns: Patterns }

/** Checks that the values of a filter suit its operator. @throws invalid_input */
export function checkValues(
  { operator, values }: PropertyFilter,
  { timezone, now, patterns }: Checking
): void {
  const expectEach = (what: string, isRight: (value: string) => boolean) => {
    const wrong = values.find((value) => !isRight(value))
    if (wrong !== undefined) {
      throw invalid(`A value of ${operator} must be ${what}; got ${show(wrong)}.`)
    }
  }
  if (isOneOf(NUMERIC, operator) || isOneOf(RANGES, operator)) {
    expectEach('a number', isNumber)
    expectNumbers(operator, values)
  }
  if (/regex$/.test(operator)) {
    for (const value of values) {
      patterns.check(value)
    }
  }
  if (/contains/.test(operator) && values.some((value) => value.length > MAX_CONTAINED)) {
    throw invalid(`A value of ${operator} may have at most ${MAX_CONTAINED} characters.`)
  }
  if (isOneOf(DATES, operator)) {
    expectEach(
      'an ISO 8601 date or a relative date such as -7d',
      (value) => parseDate(value, timezone, now) !== undefined
    )
  }
  if (operator === 'semver_wildcard') {
    expectEach('a version with a wildcard, such as 1.2.*', isVersionPattern)
  } else if (isOneOf(SEMVER, operator)) {
    expectEach('a version such as 1.2.3', isVersion)
  }
}

/** @throws invalid_input for numbers that no double holds, and for an invalid range */
function expectNumbers(operator: Operator, values: string[]): void {
  const inexact = values.find((value) => !isExactNumber(value))
  if (inexact !== undefined) {
    throw invalid(
      `${show(inexact)} cannot be compared exactly: a value of ${operator} must be a number of at most ${MAX_NUMBER} characters that does not change when it is read as a double.`
    )
  }
  if (isOneOf(RANGES, operator)) {
    const [low, high] = values.map(Number)
    if (values.length !== 2 || low === undefined || high === undefined || low > high) {
      throw invalid(`The operator ${operator} needs two numbers, the lower number first.`)
    }
  }
}

const trimJson = (text: string): string => text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')

/**
 * Whether a number keeps its digits when it is read as a double: 0.1 does, 9007199254740993 and
 * 1e400 do not. Numbers longer than `MAX_NUMBER` count as changed.
 */
function isExactNumber(text: string): boolean {
  const number = trimJson(text)
  return number.length <= MAX_NUMBER && isExact(number, Number(number))
}

/** Whether a text is a number in JSON's notation. White space around it is allowed. */
const isNumber = (text: string): boolean =>
  /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(trimJson(text))
