import type { Json } from './json.ts'

/*
 * Finds what `JSON.parse` changes silently: 9007199254740993 becomes 9007199254740992, 1e400
 * becomes Infinity, and when two members share a name, the first is dropped.
 */

/**
 * Matches numbers of 16 or more digits, or with an exponent, after `[`, `:`, `,` or white space.
 * Text inside a string may match too.
 */
const SUSPICIOUS = /(?<=[[:,\s])-?\d(?:[\d.]{15}|[\d.]*e)[-+.\de]*/gi

/** Matches a number of at most 15 digits with a small exponent, which a double always holds. */
const IS_EXACT = /^-?\d[\d.]{0,14}(?:e[+-]?\d{1,2})?$/i

/**
 * Numbers of a text that are compared with their doubles digit by digit; all numbers after them
 * count as exact. 50,000 take about 200 ms, and 10 MB can hold 1,600,000. Numbers as
 * `JSON.stringify` writes them are not compared digit by digit.
 */
const MAX_COMPARED = 50_000

/** Matches the end of each member's name. A quote inside a string may match too. */
const NAME_END = /"\s*:/g

/**
 * Longest number that is compared, significant digits: `toPrecision` gives no more. A longer number
 * counts as inexact.
 */
const MAX_DIGITS = 100
/** Longest number that is read, characters. A longer number counts as inexact. */
const MAX_LENGTH = 400

/* Character codes, which are faster to compare than characters. */
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const LIST = 0x5b
const BACKSLASH = 0x5c
const LIST_END = 0x5d
const SMALL_E = 0x65
const LARGE_E = 0x45
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/**
 * Returns the path of the first number inside a list or an object that parsing changes. 0.1 and
 * 0.10000000000000001 are the same double, so neither counts as changed. Only the first
 * `MAX_COMPARED` unusual numbers are compared. The text must be valid JSON.
 *
 * `{"properties":{"n":9007199254740993}}` → `["properties", "n"]`
 */
export const findInexact = (json: string): string[] | undefined =>
  mayHoldInexact(json) ? new Walk(json).findNumber() : undefined

/**
 * Returns the path of the first member that repeats a name within its object. `value` is the parsed
 * text: it has fewer members than the text if, and only if, one was repeated.
 *
 * `{"a":{"b":1,"b":2}}` → `["a", "b"]`
 */
export const findRepeated = (json: string, value: Json): string[] | undefined =>
  hasMoreNames(json, countMembers(value)) ? new Walk(json).findRepeated() : undefined

/** Whether parsing changes a number of a text, or something inside a string that looks like a number. */
function mayHoldInexact(json: string): boolean {
  const comparison = new Comparison()
  for (const [number] of json.matchAll(SUSPICIOUS)) {
    if (comparison.isInexact(number)) {
      return true
    }
    if (comparison.isOver) {
      return false
    }
  }
  return false
}

/** Whether a text has more than `count` ends of names. Stops at the first one too many. */
function hasMoreNames(json: string, count: number): boolean {
  let found = 0
  for (const _ of json.matchAll(NAME_END)) {
    found += 1
    if (found > count) {
      return true
    }
  }
  return false
}

/** Counts the members of all objects in a value, however deep it is. */
function countMembers(value: Json): number {
  let count = 0
  const open = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) {
      continue
    }
    const children = Object.values(next)
    count += Array.isArray(next) ? 0 : children.length
    for (const child of children) {
      if (typeof child === 'object') {
        open.push(child)
      }
    }
  }
  return count
}

/** Compares the numbers of one text with their doubles, `MAX_COMPARED` of them digit by digit. */
class Comparison {
  #left = MAX_COMPARED

  /** Whether all further numbers count as exact. */
  get isOver(): boolean {
    return this.#left === 0
  }

  /**
   * Whether a number changes when it is parsed. One or two characters never change: they are a short
   * number, or the `e` of `true`.
   */
  isInexact(number: string): boolean {
    if (this.isOver || number.length <= 2 || IS_EXACT.test(number)) {
      return false
    }
    if (number.length > MAX_LENGTH) {
      return true
    }
    const value = Number(number)
    if (String(value) === number) {
      return false
    }
    this.#left -= 1
    return !isExact(number, value)
  }
}

/**
 * One step of a path: a list index, or where a member's name stands in the text. Inside a new
 * object, the step is a placeholder until the first `:`.
 */
type Level = { index: number } | { from: number; until: number }

/** Walks through a JSON text without building its values; about 6 ns per character. */
class Walk {
  readonly #json: string
  readonly #levels: Level[] = []
  #lastString = { from: 0, until: 0 }

  constructor(json: string) {
    this.#json = json
  }

  findNumber(): string[] | undefined {
    const comparison = new Comparison()
    let at = 0
    while (at < this.#json.length) {
      const char = this.#json.charCodeAt(at)
      if (char === QUOTE) {
        at = this.#skipString(at)
      } else if (isNumeric(char)) {
        const end = this.#endOfNumber(at)
        if (comparison.isInexact(this.#json.slice(at, Math.min(end, at + MAX_LENGTH + 1)))) {
          return this.#path()
        }
        at = end
      } else {
        this.#trackLevel(char)
        at += 1
      }
    }
    return undefined
  }

  findRepeated(): string[] | undefined {
    // The names found so far in the open object at each depth.
    const names: Set<string>[] = []
    let at = 0
    while (at < this.#json.length) {
      const char = this.#json.charCodeAt(at)
      if (char === QUOTE) {
        at = this.#skipString(at)
        continue
      }
      this.#trackLevel(char)
      at += 1
      if (char === OBJECT) {
        names[this.#levels.length] = new Set()
      } else if (char === COLON) {
        const known = names[this.#levels.length]
        const name = this.#nameOf(this.#lastString)
        if (known?.has(name)) {
          return this.#path()
        }
        known?.add(name)
      }
    }
    return undefined
  }

  #trackLevel(char: number): void {
    const level = this.#levels.at(-1)
    if (char === OBJECT) {
      this.#levels.push(this.#lastString)
    } else if (char === LIST) {
      this.#levels.push({ index: 0 })
    } else if (char === OBJECT_END || char === LIST_END) {
      this.#levels.pop()
    } else if (char === COLON) {
      this.#levels[this.#levels.length - 1] = this.#lastString
    } else if (char === COMMA && level && 'index' in level) {
      level.index += 1
    }
  }

  /**
   * Skips the string that begins at `from` and remembers where it stands. Returns the position
   * after its closing quote.
   */
  #skipString(from: number): number {
    let at = from + 1
    let char = this.#json.charCodeAt(at)
    while (char !== QUOTE && at < this.#json.length) {
      at += char === BACKSLASH ? 2 : 1
      char = this.#json.charCodeAt(at)
    }
    this.#lastString = { from, until: at + 1 }
    return at + 1
  }

  #endOfNumber(from: number): number {
    let at = from + 1
    while (isNumeric(this.#json.charCodeAt(at))) {
      at += 1
    }
    return at
  }

  #path(): string[] {
    return this.#levels.map((level) =>
      'index' in level ? String(level.index) : this.#nameOf(level)
    )
  }

  #nameOf({ from, until }: { from: number; until: number }): string {
    return JSON.parse(this.#json.slice(from, until))
  }
}

const isNumeric = (char: number): boolean =>
  (char >= ZERO && char <= NINE) ||
  char === MINUS ||
  char === PLUS ||
  char === DOT ||
  char === SMALL_E ||
  char === LARGE_E

/**
 * Whether a double equals the number in a text when written in its shortest form or with as many
 * digits as the text.
 */
export function isExact(text: string, value: number): boolean {
  const sent = decimalOf(text)
  if (value === 0) {
    return sent.digits === ''
  }
  if (!Number.isFinite(value) || sent.digits.length > MAX_DIGITS) {
    return false
  }
  // The shortest text of a double may differ from the nearest decimal with as many digits: accept
  // either.
  return [String(value), value.toPrecision(sent.digits.length)].some((written) => {
    const kept = decimalOf(written)
    return kept.digits === sent.digits && kept.exponent === sent.exponent
  })
}

/**
 * Splits a number into its significant digits and a power of ten, without the sign: `-12.50e3` →
 * 125 × 10^2.
 */
function decimalOf(text: string): { digits: string; exponent: number } {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const all = (whole + fraction).replace(/^0+/, '')
  const digits = all.replace(/0+$/, '')
  return { digits, exponent: Number(exponent) - fraction.length + all.length - digits.length }
}
