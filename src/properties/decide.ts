import { AppError } from '../errors.ts'
import type { Json } from '../input/json.ts'
import { isOpposite, type PropertyFilter } from './filter.ts'
import { type Matcher, matcherOf } from './match.ts'
import type { Work } from './work.ts'

/*
 * Property filters decided for values. db/filter.ts says the same in SQL, for lists that are read page by page; a test
 * compares the two.
 */

/** Tells for each value of a property, null for a missing one, whether it fulfils a filter: 1 or 0. */
export type Decider = (values: readonly Json[], work: Work) => Promise<Uint8Array>

/** Different texts of a property that operators are applied to which take long, and their characters. */
const MAX_TEXTS = 100_000
const MAX_CHARACTERS = 8_000_000

/** Returns the text of a value: a string itself, anything else its JSON; null for no value. */
export function textOfValue(value: Json): string | null {
  if (typeof value === 'string') {
    return value
  }
  return value === null ? null : JSON.stringify(value)
}

/** Returns the number that a value is, also as a text; NaN for anything else, and for a text beyond all numbers. */
export function numberOfValue(value: Json): number {
  if (typeof value === 'number') {
    return value
  }
  const number = typeof value === 'string' ? readNumber(value) : Number.NaN
  return Number.isFinite(number) ? number : Number.NaN
}

/** A text that may be a number in JSON, which allows blanks around it. */
const NUMBER = /^[ \t\n\r]*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?[ \t\n\r]*$/
const INTEGER = /^[ \t\n\r]*-?(?:0|[1-9]\d*)[ \t\n\r]*$/

const readNumber = (text: string): number => (NUMBER.test(text) ? Number(text) : Number.NaN)

/** Returns what tells which values fulfil a filter. */
export function deciderOf(filter: PropertyFilter, timezone: string, now: Date): Decider {
  const match = matcherOf(filter, timezone, now)
  if (match) {
    return decideByTexts(filter, match)
  }
  const test = testOf(filter)
  return async (values) => Uint8Array.from(values, (value) => (test(value) ? 1 : 0))
}

/** Applies an operator that takes long to each different text once, however often it is asked for. */
function decideByTexts(filter: PropertyFilter, match: Matcher): Decider {
  const known = new Map<string, boolean>()
  const isNegated = isOpposite(filter.operator)
  let characters = 0
  return async (values, work) => {
    const fresh = new Set<string>()
    for (const value of values) {
      const text = textOfValue(value)
      if (text !== null && !known.has(text) && !fresh.has(text)) {
        fresh.add(text)
        characters += text.length
      }
    }
    if (known.size + fresh.size > MAX_TEXTS || characters > MAX_CHARACTERS) {
      throw tooManyValues(filter.key)
    }
    const matching = new Set(fresh.size > 0 ? await match([...fresh], work) : [])
    for (const text of fresh) {
      known.set(text, matching.has(text))
    }
    return Uint8Array.from(values, (value) => {
      const text = textOfValue(value)
      const isMatch = text !== null && known.get(text) === true
      return isMatch === isNegated ? 0 : 1
    })
  }
}

/** query_too_large, attr `breakdown_values`: for a property with too many different values, or too long ones. */
export const tooManyValues = (key: string): AppError =>
  new AppError(
    'query_too_large',
    `${JSON.stringify(key)} has more than ${MAX_TEXTS} different values in this range, or too long ones.`,
    'breakdown_values'
  )

type Test = (value: Json) => boolean

function testOf({ operator, values }: PropertyFilter): Test {
  switch (operator) {
    case 'exact':
    case 'in':
      return values.length === 0 ? () => true : isAnyOf(values)
    case 'is_not':
    case 'not_in':
      return not(isAnyOf(values))
    case 'icontains':
    case 'icontains_multi':
      return contains(values)
    case 'not_icontains':
    case 'not_icontains_multi':
      return not(contains(values))
    case 'is_set':
      return (value) => value !== null
    case 'is_not_set':
      return (value) => value === null
    default:
      return comparing(operator, values.map(Number))
  }
}

const not =
  (test: Test): Test =>
  (value) =>
    !test(value)

function isAnyOf(values: readonly string[]): Test {
  const texts = new Set(values)
  return (value) => {
    const text = textOfValue(value)
    return text !== null && texts.has(text)
  }
}

function contains(values: readonly string[]): Test {
  const parts = values.map((value) => value.toLowerCase())
  return (value) => {
    const text = textOfValue(value)?.toLowerCase()
    return text !== undefined && parts.some((part) => text.includes(part))
  }
}

/** Compares numbers. What is no number fulfils nothing. */
function comparing(operator: string, limits: readonly number[]): Test {
  const [lowest, highest] = [Math.min(...limits), Math.max(...limits)]
  const isFulfilled = COMPARISONS[operator]
  if (!isFulfilled) {
    throw new Error(`${operator} is decided by its matcher`)
  }
  return (value) => {
    const number = comparedOf(value)
    return number !== undefined && isFulfilled(number, lowest, highest)
  }
}

type Compared = number | bigint

const COMPARISONS: Record<string, (number: Compared, lowest: number, highest: number) => boolean> =
  {
    gt: (number, lowest) => number > lowest,
    gte: (number, lowest) => number >= lowest,
    min: (number, lowest) => number >= lowest,
    lt: (number, _, highest) => number < highest,
    lte: (number, _, highest) => number <= highest,
    max: (number, _, highest) => number <= highest,
    between: (number, lowest, highest) => number >= lowest && number <= highest,
    not_between: (number, lowest, highest) => number < lowest || number > highest
  }

/**
 * Returns the number that a value is compared as. A text of a whole number is compared exactly, where a double would be
 * rounded; one beyond 64 bits is no number.
 */
function comparedOf(value: Json): Compared | undefined {
  if (typeof value === 'string' && INTEGER.test(value)) {
    const number = BigInt(value.trim())
    return BigInt.asIntN(64, number) === number ? number : undefined
  }
  const number = numberOfValue(value)
  return Number.isNaN(number) ? undefined : number
}
