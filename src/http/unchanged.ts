import { parseTimestamp } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'

/**
 * Takes fields that a client sends back as answers show them: whole objects are sent to change one of their fields.
 * @param sent the fields of a body that the operation does not change
 * @param shown the object as each of the answers shows it; what is in none of them is not looked at
 * @param changing fields that change by themselves, so that what is sent back of them may be old
 * @throws invalid_input, attr the field, for one that has another value in each of the answers
 */
export function expectUnchanged(
  sent: JsonObject,
  shown: object[],
  changing: readonly string[] = []
): void {
  for (const [name, value] of Object.entries(sent)) {
    const values = shown.flatMap((json) => Object.entries(json).filter(([key]) => key === name))
    const isFixed = values.length > 0 && !changing.includes(name)
    if (isFixed && !values.some(([, known]) => isSent(value, known))) {
      throw new AppError(
        'invalid_input',
        'This field is read-only: leave it out, or send it back as it is.',
        name
      )
    }
  }
}

/** Whether a value means the same: clients write dates in other ways, and leave out members that they do not know. */
function isSent(value: Json, known: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(known)) {
    return value.length === known.length && value.every((item, i) => isSent(item, known[i]))
  }
  if (isObject(value) && isObject(known)) {
    return Object.entries(value).every(
      ([name, inner]) => !Object.hasOwn(known, name) || isSent(inner, known[name])
    )
  }
  if (typeof value === 'string' && typeof known === 'string' && value !== known) {
    const time = parseTimestamp(value)
    return time !== undefined && time === parseTimestamp(known)
  }
  return value === known
}
