import { AppError } from '../errors.ts'
import type { Json } from '../input/json.ts'
import { isOpposite, type PropertyFilter } from './filter.ts'
import { type Matcher, matcherOf } from './match.ts'
import type { Work } from './work.ts'

/*
 * Property filters decided for values. db/filter.ts decides the same in SQL, for lists that are
 * read page by page; test/api/properties/decide.test.ts compares the two.
 */

/**
 * Decides which values of a property fulfil a filter; null stands for a missing value. Returns 1 or
 * 0 for each value, in their order.
 * @throws query_too_large, attr `properties`, when an operator with a matcher (see `matcherOf`)
 * gets more distinct texts than `MAX_TEXTS` or `MAX_CHARACTERS` allows, or when comparing them
 * would take too long
 */
export type Decider = (values: readonly Json[], work: Work) => Promise<Uint8Array>

/** Maximum number of distinct texts of a property that one matcher compares. */
const MAX_TEXTS = 100_000
/** Characters that these texts may have in all, because all of them are in memory at once. */
const MAX_CHARACTERS = 8_000_000

const tooManyTexts = ({ key, operator }: PropertyFilter): AppError =>
  new AppError(
    'query_too_large',
    `The operator ${operator} compares at most ${MAX_TEXTS} distinct values of ${JSON.stringify(key)} with at most ${MAX_CHARACTERS} characters in all, but this range has more. Choose a shorter range, or use an operator such as exact.`,
    'properties'
  )

/** Returns the text of a value: a string itself, anything else as JSON; null for null. */
export function textOfValue(value: Json): string | null {
  if (typeof value === 'string') {
    return value
  }
  return value === null ? null : JSON.stringify(value)
}

/**
 * A number in JSON's notation, with optional white space around it. SQLite ends a text of JSON at a
 * null character, so `5\0a` is 5 as well. A whole number lacks the group `rest`.
 */
const NUMBER =
  /^[ \t\n\r]*(?<whole>-?(?:0|[1-9]\d*))(?<rest>\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)?[ \t\n\r]*(?:\0|$)/

/**
 * Returns the number in a value, which may be written as text: `5`, `"5"` and `" 5.0\n"` → 5. NaN
 * for anything else, and for a text whose number is infinite, such as `"1e400"`.
 */
export function numberOfValue(value: Json): number {
  if (typeof value === 'number') {
    return value
  }
  return typeof value === 'string' && NUMBER.test(value) ? toDouble(value) : Number.NaN
}

/** Significant digits of a number that SQLite always reads. */
const MIN_DIGITS = 19
/**
 * Largest first 19 digits after which SQLite reads a 20th digit: all 20 then fit an unsigned 64-bit
 * integer.
 */
const LAST_BEFORE_20 = '1844674407370955159'

/**
 * Returns the double that SQLite makes of a text that `NUMBER` matches; NaN when it is infinite.
 * SQLite ignores all digits after the 19th or 20th, so the result may be a neighbour of the nearest
 * double: `1.9912429794377245475` → 1.9912429794377244.
 */
function toDouble(text: string): number {
  const number = Number.parseFloat(text.length > MIN_DIGITS ? shorten(text) : text)
  return Number.isFinite(number) ? number : Number.NaN
}

/** Drops the digits that SQLite ignores: `12177950094603733434863` → `12177950094603733434e3`. */
function shorten(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?/i.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const readsMore = digits.slice(0, MIN_DIGITS) <= LAST_BEFORE_20
  const kept = digits.slice(0, readsMore ? MIN_DIGITS + 1 : MIN_DIGITS)
  const power = Number(exponent) - fraction.length + digits.length - kept.length
  return `${sign}${kept || '0'}e${power}`
}

/**
 * A whole number with at most this many characters is read as a double, which holds it exactly. A
 * longer number is read as a bigint.
 */
const MAX_EXACT_DIGITS = 15

/**
 * Returns the number that a filter compares; NaN for anything else. Unlike `numberOfValue`, it
 * reads whole numbers in texts exactly up to 64 bits, where a double would round; NaN beyond 64
 * bits. A value that is a large whole number counts as its digits in JSON say, which JavaScript
 * rounds: 2 ** 60 counts as 1152921504606847000, not …846976.
 */
function comparedOf(value: Json): number | bigint {
  if (typeof value === 'number') {
    const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value)
    return isLarge ? (toInteger(String(value)) ?? value) : value
  }
  if (typeof value !== 'string') {
    return Number.NaN
  }
  const { whole, rest } = NUMBER.exec(value)?.groups ?? {}
  if (whole === undefined) {
    return Number.NaN
  }
  if (rest !== undefined) {
    return toDouble(value)
  }
  return whole.length <= MAX_EXACT_DIGITS ? Number(whole) : (toInteger(whole) ?? Number.NaN)
}

/** Reads a 64-bit integer; undefined for anything else, such as `1e+21`. */
function toInteger(text: string): bigint | undefined {
  const integer = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined
  return integer === undefined || BigInt.asIntN(64, integer) !== integer ? undefined : integer
}

/**
 * Returns the decider of a filter. A decider with a matcher remembers each text's result for later
 * calls.
 */
export function deciderOf(filter: PropertyFilter, timezone: string, now: Date): Decider {
  const match = matcherOf(filter, timezone, now)
  return match ? decideTexts(filter, match) : decideEach(testOf(filter))
}

/** Compares each distinct text only once, even across calls. */
function decideTexts(filter: PropertyFilter, match: Matcher): Decider {
  const known = new KnownTexts(filter)
  const [hit, miss] = isOpposite(filter.operator) ? [0, 1] : [1, 0]
  return async (values, work) => {
    const texts = values.map(textOfValue)
    const fresh = known.freshOf(texts)
    if (fresh.length > 0) {
      known.add(fresh, await match(fresh, work))
    }
    return Uint8Array.from(texts, (text) => (known.isMatch(text) ? hit : miss))
  }
}

/** The texts of a property that have been compared, and whether they match. */
class KnownTexts {
  readonly #filter: PropertyFilter
  readonly #matches = new Map<string, boolean>()
  #characters = 0

  constructor(filter: PropertyFilter) {
    this.#filter = filter
  }

  /**
   * Returns the distinct texts that are not known yet.
   * @throws query_too_large when these and the known texts exceed `MAX_TEXTS` or `MAX_CHARACTERS`
   */
  freshOf(texts: readonly (string | null)[]): string[] {
    const fresh = new Set<string>()
    let characters = this.#characters
    for (const text of texts) {
      if (text === null || this.#matches.has(text) || fresh.has(text)) {
        continue
      }
      fresh.add(text)
      characters += text.length
      if (this.#matches.size + fresh.size > MAX_TEXTS || characters > MAX_CHARACTERS) {
        throw tooManyTexts(this.#filter)
      }
    }
    return [...fresh]
  }

  add(texts: readonly string[], matching: readonly string[]): void {
    const found = new Set(matching)
    for (const text of texts) {
      this.#matches.set(text, found.has(text))
      this.#characters += text.length
    }
  }

  isMatch = (text: string | null): boolean => text !== null && this.#matches.get(text) === true
}

type Test = (value: Json) => boolean

const decideEach =
  (test: Test): Decider =>
  async (values) => {
    const decided = new Uint8Array(values.length)
    // Four times as quick as `Uint8Array.from`.
    for (let i = 0; i < values.length; i += 1) {
      if (test(values[i] ?? null)) {
        decided[i] = 1
      }
    }
    return decided
  }

/**
 * A missing value fulfils only the negating operators (see `isOpposite`; `not_between` is not one
 * of them), and `exact` and `in` with an empty list.
 */
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
      return containsAnyOf(values)
    case 'not_icontains':
    case 'not_icontains_multi':
      return not(containsAnyOf(values))
    case 'is_set':
      return (value) => value !== null
    case 'is_not_set':
      return (value) => value === null
    default:
      return compares(operator, values)
  }
}

const not =
  (test: Test): Test =>
  (value) =>
    !test(value)

function isAnyOf(values: readonly string[]): Test {
  const [first, ...others] = values
  if (others.length === 0 && first !== undefined) {
    // A set would compute the hash of each text, which takes longer than a comparison.
    return (value) => textOfValue(value) === first
  }
  const texts = new Set(values)
  return (value) => {
    const text = textOfValue(value)
    return text !== null && texts.has(text)
  }
}

function containsAnyOf(values: readonly string[]): Test {
  const parts = values.map((value) => value.toLowerCase())
  return (value) => {
    const text = textOfValue(value)?.toLowerCase()
    return text !== undefined && parts.some((part) => text.includes(part))
  }
}

type Comparison = (number: number | bigint, lowest: number, highest: number) => boolean

/** Each is false for NaN. */
const COMPARISONS: Partial<Record<PropertyFilter['operator'], Comparison>> = {
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
 * Tests a number. Of several limits, `gt`, `gte` and `min` use the lowest, `lt`, `lte` and `max`
 * the highest; `between` and `not_between` use both.
 */
function compares(operator: PropertyFilter['operator'], values: readonly string[]): Test {
  const isFulfilled = COMPARISONS[operator]
  if (!isFulfilled) {
    throw new Error(`${operator} is decided by its matcher`)
  }
  const limits = values.map(Number).sort((a, b) => a - b)
  const lowest = limits.at(0) ?? Number.NaN
  const highest = limits.at(-1) ?? Number.NaN
  return (value) => isFulfilled(comparedOf(value), lowest, highest)
}
