import { parseTimestamp } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'

/**
 * Checks that read-only fields are unchanged: clients that edit one field of an object send the
 * whole object back.
 * @param sent the fields of a body that the operation does not change
 * @param shown the object as the API's various responses show it; fields that are in no response
 * are not checked
 * @param changing fields that change by themselves, so that a client may send an old value
 * @throws invalid_input, attr the field, for a value that is in no response
 */
export function expectUnchanged(
  sent: JsonObject,
  shown: object[],
  changing: readonly string[] = []
): void {
  for (const [name, value] of Object.entries(sent)) {
    const values = shown.flatMap((json) => Object.entries(json).filter(([key]) => key === name))
    const isFixed = values.length > 0 && !changing.includes(name)
    if (isFixed && !values.some(([, known]) => meansSame(value, known))) {
      throw new AppError(
        'invalid_input',
        'This field is read-only: leave it out, or send it back as it is.',
        name
      )
    }
  }
}

/**
 * Whether a sent value means the same as a known value: clients reformat dates and leave out
 * members that they do not know.
 */
function meansSame(value: Json, known: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(known)) {
    return value.length === known.length && value.every((item, i) => meansSame(item, known[i]))
  }
  if (isObject(value) && isObject(known)) {
    return Object.entries(value).every(
      ([name, inner]) => !Object.hasOwn(known, name) || meansSame(inner, known[name])
    )
  }
  if (typeof value === 'string' && typeof known === 'string' && value !== known) {
    const time = parseTimestamp(value)
    return time !== undefined && time === parseTimestamp(known)
  }
  return value === known
}
