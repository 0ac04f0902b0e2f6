import type { EventColumns } from '../columns/batch.ts'
import { beginScan } from '../columns/cache.ts'
import { toColumn } from '../columns/dictionary.ts'
import { decidersOf, Filter } from '../columns/filter.ts'
import { Values } from '../columns/values.ts'
import type { Db } from '../db/client.ts'
import { isObject, type Json } from '../input/json.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import type { EventRow } from './store.ts'

/** Decides which events match property filters, by the same code as trends. */
export class EventMatcher {
  readonly #keys: readonly string[]
  readonly #filter: Filter
  readonly #values: Values

  constructor(db: Db, project: { id: number; timezone: string }, filters: FilterGroup, now: Date) {
    const ofEvents = leavesOf(filters).filter(({ type }) => type === 'event')
    this.#keys = [...new Set(ofEvents.map(({ key }) => key))]
    this.#filter = new Filter(filters, decidersOf([filters], project.timezone, now), new Work())
    this.#values = new Values(beginScan(db, project.id))
  }

  /** Returns the events that match. @throws query_too_large, attr `properties` */
  async select(rows: readonly EventRow[]): Promise<EventRow[]> {
    const mask = await this.#filter.maskOf(this.#columnsOf(rows), this.#values)
    return rows.filter((_, i) => mask?.[i] !== 0)
  }

  #columnsOf(rows: readonly EventRow[]): EventColumns {
    const properties: Json[] =
      this.#keys.length > 0 ? rows.map((row) => JSON.parse(row.properties)) : []
    const memberOf = (object: Json, key: string): Json =>
      isObject(object) && Object.hasOwn(object, key) ? (object[key] ?? null) : null
    return {
      length: rows.length,
      // The versions are whole ids, which contain the identity.
      identities: new Uint32Array(),
      versions: toColumn(rows.map(({ version }) => version)),
      sessions: toColumn(rows.map(({ session_id }) => session_id)),
      properties: new Map(
        this.#keys.map((key) => [key, toColumn(properties.map((one) => memberOf(one, key)))])
      )
    }
  }
}
