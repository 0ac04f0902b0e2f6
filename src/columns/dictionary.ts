import type { Json } from '../input/json.ts'
import type { Column } from './column.ts'

/** What tells a value from others: texts, numbers and booleans themselves, and the JSON of lists and objects. */
type Key = string | number | boolean | null | symbol

const keyOf = (value: Json): Key =>
  typeof value === 'object' && value !== null ? Symbol.for(JSON.stringify(value)) : value

/** Makes a column of a list of values, keeping each different one once. */
export function toColumn(values: readonly Json[]): Column {
  const places = new Map<Key, number>()
  const different: Json[] = []
  const codes = new Uint32Array(values.length)
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? null
    const key = keyOf(value)
    let place = places.get(key)
    if (place === undefined) {
      place = different.length
      places.set(key, place)
      different.push(value)
    }
    codes[i] = place
  }
  return { codes, values: different }
}
