import { type Batch, emptyColumn } from '../columns/batch.ts'
import type { Column } from '../columns/column.ts'
import type { Db } from '../db/client.ts'
import type { Json } from '../input/json.ts'
import { pause } from '../pause.ts'
import type { Property } from './query.ts'
import { readSessionValues, readVersionValues } from './values.store.ts'

/** Versions or sessions looked up in one statement. */
const AT_ONCE = 5_000

const REST_MS = 1

/** Finds the values that events, their persons as of the event, or their sessions have for properties. */
export class Values {
  readonly #db: Db
  readonly #projectId: number
  /** What versions and sessions are known to have, by type and name of the property. */
  readonly #known = new Map<string, Map<Json, Json>>()

  constructor(db: Db, projectId: number) {
    this.#db = db
    this.#projectId = projectId
  }

  /** Returns the values of a property in a batch; those of persons and sessions may list a value more than once. */
  async of(batch: Batch, { type, key }: Property): Promise<Column> {
    if (type === 'person') {
      return this.#owned(batch.versions, `person ${key}`, (ids: number[]) =>
        readVersionValues(this.#db, this.#projectId, ids, key)
      )
    }
    if (type === 'session') {
      return this.#owned(batch.sessions, `session ${key}`, (ids: string[]) =>
        readSessionValues(this.#db, this.#projectId, ids, key)
      )
    }
    return batch.properties.get(key) ?? emptyColumn(batch.length)
  }

  async #owned<Id extends Json>(
    { codes, values }: Column,
    name: string,
    read: (ids: Id[]) => Promise<{ ids: Id[]; values: Json[] }>
  ): Promise<Column> {
    const known = this.#known.get(name) ?? new Map<Json, Json>([[null, null]])
    this.#known.set(name, known)
    const unknown = values.filter((id) => !known.has(id))
    for (let from = 0; from < unknown.length; from += AT_ONCE) {
      const some = unknown.slice(from, from + AT_ONCE)
      for (const id of some) {
        known.set(id, null)
      }
      const found = await read(some as Id[])
      for (const [i, id] of found.ids.entries()) {
        known.set(id, found.values[i] ?? null)
      }
      await pause(REST_MS)
    }
    return { codes, values: values.map((id) => known.get(id) ?? null) }
  }
}
