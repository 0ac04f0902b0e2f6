import type { Json } from '../input/json.ts'

/** Characters of a distinct id or an event's name that are kept, as in PostHog. */
const MAX_LENGTH = 200

/**
 * Reads a distinct id: `42` → `"42"`, as in PostHog; undefined for null and for blank text.
 */
export function readDistinctId(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) {
    return undefined
  }
  const text = clean(typeof value === 'string' ? value : JSON.stringify(value))
  return text.trim() === '' ? undefined : text
}

/** Returns a text as it is stored: well-formed, NUL replaced by U+FFFD, cut to 200 code points. */
export function clean(text: string): string {
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed()
  // 200 code points have at most 400 UTF-16 units, so no more are split into code points.
  return whole.length <= MAX_LENGTH
    ? whole
    : [...whole.slice(0, MAX_LENGTH * 2)].slice(0, MAX_LENGTH).join('')
}
