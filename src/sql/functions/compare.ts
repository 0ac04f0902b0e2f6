import type { Base, Some, SqlValue } from '../types.ts'

/** The surrogates, which UTF-16 sorts before the last code points that it writes as one unit. */
const FIRST_SURROGATE = 0xd8_00
const AFTER_SURROGATES = 0xe0_00
/** The number of code units from U+E000 on. */
const UNITS_AFTER = 0x20_00
const SURROGATES = 0x8_00

/** Compares two texts by their bytes in UTF-8, which have the order of their code points. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (left !== right) {
      return rankOf(left) - rankOf(right)
    }
  }
  return a.length - b.length
}

function rankOf(unit: number): number {
  if (unit >= AFTER_SURROGATES) {
    return unit - SURROGATES
  }
  return unit >= FIRST_SURROGATE ? unit + UNITS_AFTER : unit
}

/** Compares two values of a type. NaN equals itself, and comes after all numbers. */
export function compareValues(base: Base, a: Some, b: Some): number {
  if (typeof a === 'string' || typeof b === 'string') {
    return compareTexts(String(a), String(b))
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return compareNumbers(a, b)
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return compareLists(base, a, b)
  }
  return 0
}

function compareNumbers(a: number, b: number): number {
  const [isFirst, isSecond] = [Number.isNaN(a), Number.isNaN(b)]
  if (isFirst || isSecond) {
    return Number(isFirst) - Number(isSecond)
  }
  return Number(a > b) - Number(a < b)
}

function compareLists(base: Base, a: readonly SqlValue[], b: readonly SqlValue[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const [left, right] = [a[i] ?? null, b[i] ?? null]
    const order =
      left === null || right === null
        ? Number(left === null) - Number(right === null)
        : // The casts are safe: items of lists never fail.
          compareValues(base, left as Some, right as Some)
    if (order !== 0) {
      return order
    }
  }
  return a.length - b.length
}
