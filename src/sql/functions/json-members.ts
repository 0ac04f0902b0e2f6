import type { Json } from '../../input/json.ts'
import { numberOfText } from './numbers-of-text.ts'

/*
 * Members of properties, which are JSON, as values.
 */

/** Returns the text of a JSON value: that of a string as it is. */
export function textOfJson(json: Json): string | null {
  if (json === null || typeof json === 'string') {
    return json
  }
  return JSON.stringify(json)
}

export function numberOfJson(json: Json): number | null {
  if (typeof json === 'number') {
    return json
  }
  return typeof json === 'string' ? (numberOfText(json) ?? null) : null
}

export function flagOfJson(json: Json): number | null {
  if (json === true || json === 'true') {
    return 1
  }
  return json === false || json === 'false' ? 0 : null
}

/** Returns the member at a path of names and of indexes from 1 on; null if there is none. */
export function memberAt(json: Json, path: readonly (string | number)[]): Json {
  let found: Json | undefined = json
  for (const step of path) {
    if (Array.isArray(found)) {
      found = found[Number(step) - 1]
    } else if (typeof found === 'object' && found !== null && Object.hasOwn(found, step)) {
      found = found[String(step)]
    } else {
      return null
    }
  }
  return found ?? null
}
