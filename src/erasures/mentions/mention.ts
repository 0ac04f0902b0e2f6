import type { JsonObject } from '../../input/json.ts'
import type { Texts } from './texts.ts'

/** A request of this API, its path relative to the project. */
export type Removal = { method: 'PATCH' | 'POST' | 'DELETE'; path: string; body: JsonObject }

/** A place where a text of the person stands: an object, or a property of events. */
export type Mention = {
  id: string
  fields: string[]
  /** The number of events with the property; null for an object. */
  events: number | null
  /** The request that removes it; null if nothing but time does. */
  removal: Removal | null
}

/** Returns the names of the properties that mention the person in name or value. */
export const namesWithin = (properties: JsonObject, texts: Texts): string[] =>
  Object.entries(properties).flatMap(([name, value]) =>
    texts.isIn(name) || texts.isWithin(value) ? [name] : []
  )
