import type { Json } from '../input/json.ts'

/** Characters of a distinct id, and of an event's name, that are kept. */
const MAX_LENGTH = 200

/** Anything but a string is taken as its JSON text, as PostHog does; nothing at all is undefined. */
export function readDistinctId(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) {
    return undefined
  }
  const text = clean(typeof value === 'string' ? value : JSON.stringify(value))
  return text.trim() === '' ? undefined : text
}

/** The text as it is kept: well-formed, without NUL, cut to 200 characters. */
export function clean(text: string): string {
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed()
  return whole.length <= MAX_LENGTH
    ? whole
    : [...whole.slice(0, MAX_LENGTH * 2)].slice(0, MAX_LENGTH).join('')
}
