import { Buffer } from 'node:buffer'
import { AppError } from '../errors.ts'
import { MAX_DEPTH, scan } from './scan.ts'

export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

/** Whether a value is an object: not null, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is an object without members. */
export const isEmpty = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).length === 0

/**
 * Returns `{}` for a member that is absent, null, or an empty list, which is how PHP encodes an
 * empty object. Returns other values unchanged.
 */
export const objectOf = (value: Json | undefined): Json =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0) ? {} : value

/** Whether two values are equal. Objects whose keys are in a different order count as different. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) {
    return true
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, i) => isSame(value, b[i]))
    )
  }
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  return (
    keys.length === others.length &&
    keys.every((key, i) => key === others[i] && isSame(a[key], b[key]))
  )
}

/** Returns the length of a text in UTF-8 bytes. */
export const byteLength = (text: string): number => Buffer.byteLength(text)

/** Counts the levels of arrays and objects, 0 for a scalar, until soon after `limit`. */
export function depthOf(value: Json, limit = MAX_DEPTH): number {
  if (typeof value !== 'object' || value === null) {
    return 0
  }
  if (limit < 0) {
    return 1
  }
  let deepest = 0
  for (const child of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(child, limit - 1))
  }
  return deepest + 1
}

/** Replaces unpaired surrogates, which the database would not return unchanged, with U+FFFD. */
export const toWellFormed = <T extends Json>(json: T): T => wellFormedOf(json, JSON.stringify(json))

/** Like `toWellFormed`, for a value with its text. */
export function wellFormedOf<T extends Json>(json: T, text: string): T {
  if (!/\\ud[89a-f]/.test(text)) {
    return json
  }
  // `JSON.stringify` escapes only unpaired surrogates. Every escape is matched as a unit, so that
  // `\\ud800` (a backslash followed by text) stays as it is.
  return JSON.parse(
    text.replace(/\\(?:ud[89a-f][\da-f]{2}|.)/g, (found) => (found.length > 2 ? '\ufffd' : found))
  )
}

/**
 * Parses JSON that is part of something else, such as a query parameter.
 * @throws SyntaxError with a message for the client, for JSON that is invalid or nested too deeply,
 * a repeated member, or a number that no double holds exactly; request_too_large
 */
export function parseJson(text: string): Json {
  const { isTooDeep, repeated, inexact } = scan(text)
  if (isTooDeep) {
    throw new SyntaxError(`This JSON is nested deeper than ${MAX_DEPTH}.`)
  }
  const json = parseOr(text, () => new SyntaxError('This is not valid JSON.'))
  if (repeated) {
    throw new SyntaxError(`\`${repeated.join('.')}\` occurs twice: send it once.`)
  }
  if (inexact) {
    throw new SyntaxError(
      `The number at \`${inexact.join('.')}\` cannot be stored exactly: send it as a string.`
    )
  }
  return toWellFormed(json)
}

/** Parses as `JSON.parse` does. @throws the error that `toError` makes of its message */
export function parseOr(text: string, toError: (why: string) => Error): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw toError(error instanceof Error ? error.message : 'invalid')
  }
}

/** Parses JSON like `parseJson`, for the parameter `attr`. @throws invalid_input */
export function readJsonParameter(text: string, attr: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    throw new AppError('invalid_input', faultOf(error), attr)
  }
}

/** Returns the message of a SyntaxError from `parseJson`; rethrows every other error. */
export function faultOf(error: unknown): string {
  if (error instanceof SyntaxError) {
    return error.message
  }
  throw error
}
