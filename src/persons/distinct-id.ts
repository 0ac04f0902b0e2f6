import type { Json, JsonObject } from '../input/json.ts'

/** Characters of a distinct id or an event's name that are kept, as in PostHog. */
const MAX_LENGTH = 200

/** The distinct id that posthog-js sends for every visitor in cookieless mode. */
export const SENTINEL = '$posthog_cookieless'

/** Whether an event was captured without cookies. */
export const isCookieless = (properties: JsonObject): boolean =>
  Boolean(properties.$cookieless_mode)

/**
 * Whether a value that should be an id is, or contains, a number that is no integer, or that may
 * have been rounded. A longer integer has become a text when its request was read.
 */
export const isNoId = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(isNoId)
    : typeof value === 'number' && !Number.isSafeInteger(value)

/** The reason for dropping an event with such a value. */
export const notAnId = (member: string): string =>
  `event ${member} must be a text or an integer; got another number`

/**
 * Reads a distinct id: `42` → `"42"`, as in PostHog; undefined for null, for blank text and for
 * values that are no id.
 */
export function readDistinctId(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || isNoId(value)) {
    return undefined
  }
  const text = clean(typeof value === 'string' ? value : JSON.stringify(value))
  return text.trim() === '' ? undefined : text
}

/**
 * Reads the distinct id of an event as SDKs send it: beside the properties, or among them. Returns
 * the reason for dropping the event if it has none.
 */
export function readOwnId(
  event: JsonObject,
  properties: JsonObject
): { id: string } | { reason: string } {
  const given = event.distinct_id ?? event.$distinct_id ?? properties.distinct_id
  const id = readDistinctId(given)
  if (id !== undefined) {
    return { id }
  }
  return {
    reason: isNoId(given) ? notAnId('distinct_id') : 'event submitted without a distinct_id'
  }
}

/** Returns a text as it is stored: well-formed, NUL replaced by U+FFFD, cut to 200 code points. */
export function clean(text: string): string {
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed()
  // 200 code points have at most 400 UTF-16 units, so no more are split into code points.
  return whole.length <= MAX_LENGTH
    ? whole
    : [...whole.slice(0, MAX_LENGTH * 2)].slice(0, MAX_LENGTH).join('')
}
