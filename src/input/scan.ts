import { AppError } from '../errors.ts'
import { isExact } from './exact.ts'
import { MemberNames, nameAt } from './member-names.ts'

/*
 * Reads a JSON text once, before it is parsed: linear time, and memory only for the names of the
 * open objects. It finds what would take too much memory, and what `JSON.parse` changes silently:
 * 9007199254740993 becomes 9007199254740992, 1e400 becomes Infinity, and when two members share a
 * name, the first is dropped.
 */

/** Levels of nested arrays and objects allowed in JSON. SQLite's own limit is 1,000. */
export const MAX_DEPTH = 200

/**
 * Memory that the values of a JSON text may take when it is parsed, bytes, as estimated by `BYTES`.
 * An isolate has 128 MB, and a request of 10 MB takes about 20 MB for its bytes and its text alone.
 * Events as SDKs send them take 0.9 to 1.8 bytes per byte of text, and snapshots that the SDK has
 * not compressed take 2.6, so 10 MB of either take 26 MB at most. A list of `{}` takes 21 bytes per
 * byte: its limit is 1.5 MB.
 */
export const MAX_MEMORY = 32_000_000

/**
 * Values in a JSON text that is checked by a schema, which takes up to 10 µs and 500 bytes for a
 * value of a wrong type. The properties of a person, 512 kB at most, have about 25,000.
 */
export const MAX_JSON_VALUES = 50_000

/**
 * Bytes that V8 allocates for a value and its place in a list or an object: measured without
 * pointer compression, and rounded up. The characters of texts and names are not counted.
 */
const BYTES = {
  object: 64,
  list: 56,
  text: 32,
  /** A number of at most 9 digits, `true`, `false` and `null`. */
  small: 8,
  number: 24,
  /** A name's first use: its text, and its share of V8's hidden classes. */
  newName: 160,
  /** Every use of a name that begins with a digit: V8 keeps such members in a hash table. */
  indexName: 96
}

/** Longest integer that V8 keeps in its place, characters. */
const SMALL_LENGTH = 9
/** Longest number without an exponent that a double always holds, characters. */
const EXACT_LENGTH = 15
/** Matches a number of at most 15 digits with a small exponent, which a double always holds. */
const IS_EXACT = /^-?\d[\d.]{0,14}e[+-]?\d{1,2}$/i
/** Longest number that is compared, characters. A longer number counts as changed. */
const MAX_LENGTH = 400

/**
 * Numbers of a text that are compared with their doubles digit by digit; all numbers after them
 * count as exact. 50,000 take about 200 ms, and 10 MB can hold 1,600,000. Numbers as
 * `JSON.stringify` writes them are not compared digit by digit.
 */
const MAX_COMPARED = 50_000

/** Characters of a text that are read one by one before the closing quote is searched for. */
const NEAR = 32

/* Character codes, which are faster to compare than characters. */
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const LARGE_E = 0x45
const LIST = 0x5b
const BACKSLASH = 0x5c
const LIST_END = 0x5d
const SMALL_E = 0x65
const FALSE = 0x66
const NULL = 0x6e
const TRUE = 0x74
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/** `depth` is the number of levels that may be nested in each other, `memory` is in bytes. */
export type JsonLimits = { depth: number; memory: number; values: number }

/** The limits of JSON that a schema checks. */
export const JSON_LIMITS: JsonLimits = {
  depth: MAX_DEPTH,
  memory: MAX_MEMORY,
  values: MAX_JSON_VALUES
}

export type Scanned = {
  /** The text, in which the numbers that `asText` names are texts: see `scan`. */
  text: string
  /** Memory that the values take when the text is parsed, bytes, as estimated. */
  memory: number
  /** Whether the text is nested too deeply. It was then read only so far. */
  isTooDeep: boolean
  /**
   * The path to the first number that parsing changes: `{"properties":{"n":9007199254740993}}` →
   * `["properties", "n"]`. 0.1 and 0.10000000000000001 are the same double, so neither is changed.
   * Only the first `MAX_COMPARED` unusual numbers are compared.
   */
  inexact: string[] | undefined
  /**
   * The path to the first member that repeats a name within its object: `{"a":{"b":1,"b":2}}` →
   * `["a", "b"]`.
   */
  repeated: string[] | undefined
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Reads a JSON text that is to be parsed. For invalid JSON, the result is of no use: parsing
 * refuses it.
 * @param asText names of members, such as `distinct_id`, whose numbers become texts where parsing
 * might make them equal to other integers: integers beyond 2^53, and fractions that are rounded to
 * an integer. `{"distinct_id":1152921504606846977}` → `{"distinct_id":"1152921504606846977"}`
 * @throws request_too_large for more values, or values that would take more memory, than `limits`
 * allows
 */
export const scan = (text: string, limits = JSON_LIMITS, asText = NONE): Scanned =>
  new Scanner(text, limits, asText).read()

class Scanner {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #asText: ReadonlySet<string>
  readonly #names: MemberNames
  /** Whether each open level is a list. */
  readonly #isList: Uint8Array
  /** Where each open level is: at an index of a list, or at a name, by its place in the text. */
  readonly #places: Int32Array
  /** The end of the name at each open level that is an object. */
  readonly #ends: Int32Array
  /** The number of names of open objects when each level was opened. */
  readonly #before: Int32Array
  #level = 0
  #memory = 0
  #values = 0
  #compared = 0
  #textStart = 0
  #textEnd = 0
  /** The text up to `#copied`, with the numbers that become texts. */
  #copy = ''
  #copied = 0
  #inexact: string[] | undefined
  #repeated: string[] | undefined

  constructor(text: string, limits: JsonLimits, asText: ReadonlySet<string>) {
    this.#text = text
    this.#limits = limits
    this.#asText = asText
    this.#names = new MemberNames(text)
    // One level for values outside lists and objects, and one that is too deep.
    const levels = limits.depth + 2
    this.#isList = new Uint8Array(levels)
    this.#places = new Int32Array(levels)
    this.#ends = new Int32Array(levels)
    this.#before = new Int32Array(levels)
  }

  read(): Scanned {
    const { depth, memory, values } = this.#limits
    const { length } = this.#text
    let at = 0
    while (
      at < length &&
      this.#level <= depth &&
      this.#memory <= memory &&
      this.#values <= values
    ) {
      at = this.#readToken(at)
    }
    if (this.#values > values) {
      throw new AppError('request_too_large', `maximum number of JSON values exceeded: ${values}`)
    }
    if (this.#memory > memory) {
      throw new AppError(
        'request_too_large',
        `maximum size of JSON values in memory exceeded: ${memory} bytes`
      )
    }
    return {
      text: this.#copy + this.#text.slice(this.#copied),
      memory: this.#memory,
      isTooDeep: this.#level > depth,
      inexact: this.#inexact,
      repeated: this.#repeated
    }
  }

  /** Reads the token at a position. Returns the position after it. */
  #readToken(at: number): number {
    const char = this.#text.charCodeAt(at)
    switch (char) {
      case QUOTE:
        return this.#readText(at)
      case COMMA:
        this.#places[this.#level] = (this.#places[this.#level] ?? 0) + 1
        return at + 1
      case COLON:
        this.#readName()
        return at + 1
      case OBJECT:
      case LIST:
        this.#open(char === LIST)
        return at + 1
      case OBJECT_END:
      case LIST_END:
        this.#close()
        return at + 1
      case TRUE:
      case FALSE:
      case NULL:
        this.#count(BYTES.small)
        // The last letter of `false` is skipped like white space.
        return at + 'true'.length
      default:
        return isDigit(char) || char === MINUS ? this.#readNumber(at) : at + 1
    }
  }

  #count(bytes: number): void {
    this.#values += 1
    this.#memory += bytes
  }

  #open(isList: boolean): void {
    this.#level += 1
    this.#count(isList ? BYTES.list : BYTES.object)
    this.#isList[this.#level] = isList ? 1 : 0
    this.#places[this.#level] = 0
    this.#before[this.#level] = this.#names.count
  }

  #close(): void {
    this.#names.removeTo(this.#before[this.#level] ?? 0)
    this.#level = Math.max(0, this.#level - 1)
  }

  #readText(from: number): number {
    const text = this.#text
    const near = from + NEAR
    let end = from + 1
    let char = text.charCodeAt(end)
    while (char !== QUOTE && char !== BACKSLASH && end < near) {
      end += 1
      char = text.charCodeAt(end)
    }
    this.#textStart = from
    this.#textEnd = (char === QUOTE ? end : findQuote(text, end)) + 1
    this.#count(BYTES.text)
    return this.#textEnd
  }

  /** Takes the last text for the name of a member. */
  #readName(): void {
    const [from, until] = [this.#textStart, this.#textEnd]
    this.#places[this.#level] = from
    this.#ends[this.#level] = until
    // The text was counted as a value.
    this.#values -= 1
    this.#memory -= BYTES.text
    const hash = this.#names.hash(from, until)
    if (this.#names.isNew(hash)) {
      this.#memory += BYTES.newName
    }
    if (isDigit(this.#text.charCodeAt(from + 1))) {
      this.#memory += BYTES.indexName
    }
    if (this.#repeated === undefined && !this.#names.add(this.#level, hash, from, until)) {
      this.#repeated = this.#path()
    }
  }

  #readNumber(from: number): number {
    const text = this.#text
    let isInteger = true
    let hasExponent = false
    let at = from + 1
    let char = text.charCodeAt(at)
    while (isDigit(char) || isMark(char)) {
      isInteger &&= isDigit(char)
      hasExponent ||= char === SMALL_E || char === LARGE_E
      at += 1
      char = text.charCodeAt(at)
    }
    const length = at - from
    this.#count(isInteger && length <= SMALL_LENGTH ? BYTES.small : BYTES.number)
    if (hasExponent || length > EXACT_LENGTH) {
      this.#readUnusual(text.slice(from, at), from, isInteger)
    }
    return at
  }

  #readUnusual(number: string, from: number, isInteger: boolean): void {
    if (this.#isNamedAsText() && isLost(number, isInteger)) {
      this.#copy += `${this.#text.slice(this.#copied, from)}"${number}"`
      this.#copied = from + number.length
    } else if (this.#inexact === undefined && this.#compared < MAX_COMPARED) {
      this.#compare(number)
    }
  }

  /** Whether the next value belongs to a member whose numbers may become texts. */
  #isNamedAsText(): boolean {
    return (
      this.#asText.size > 0 &&
      this.#isList[this.#level] === 0 &&
      this.#asText.has(this.#nameAt(this.#level))
    )
  }

  #compare(number: string): void {
    if (IS_EXACT.test(number)) {
      return
    }
    const value = Number(number)
    if (String(value) === number) {
      return
    }
    this.#compared += 1
    if (number.length > MAX_LENGTH || !isExact(number, value)) {
      this.#inexact = this.#path()
    }
  }

  #path(): string[] {
    return Array.from({ length: this.#level }, (_, i) => {
      const level = i + 1
      return this.#isList[level] ? String(this.#places[level]) : this.#nameAt(level)
    })
  }

  #nameAt(level: number): string {
    return nameAt(this.#text, this.#places[level] ?? 0, this.#ends[level] ?? 0)
  }
}

/**
 * Whether parsing rounds an integer, such as 9007199254740993, or makes an integer of a number that
 * is none, such as 0.99999999999999999999.
 */
function isLost(number: string, isInteger: boolean): boolean {
  const value = Number(number)
  if (isInteger) {
    return !Number.isSafeInteger(value)
  }
  return Number.isSafeInteger(value) && (number.length > MAX_LENGTH || !isExact(number, value))
}

/**
 * Returns the position of the quote that ends a text, or the length of the JSON if there is none.
 * `from` is a position inside the text, but not after a backslash.
 */
export function findQuote(json: string, from: number): number {
  let quote = json.indexOf('"', from)
  while (quote !== -1 && isEscaped(json, quote, from)) {
    quote = json.indexOf('"', quote + 1)
  }
  return quote === -1 ? json.length : quote
}

/** Whether a quote follows an odd number of backslashes, the first not before `from`. */
function isEscaped(json: string, quote: number, from: number): boolean {
  let at = quote
  while (at > from && json.charCodeAt(at - 1) === BACKSLASH) {
    at -= 1
  }
  return (quote - at) % 2 === 1
}

const isDigit = (char: number): boolean => char >= ZERO && char <= NINE

/** Whether a character may occur in a number, besides digits. */
const isMark = (char: number): boolean =>
  char === DOT || char === SMALL_E || char === LARGE_E || char === MINUS || char === PLUS
