import { type Batch, placeByTimes } from '../columns/batch.ts'
import { toColumn } from '../columns/dictionary.ts'
import { beginScan } from '../columns/recent.ts'
import type { Db } from '../db/client.ts'
import { isObject, type Json } from '../input/json.ts'
import { deciderOf } from '../properties/decide.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import { Grouping } from '../trends/grouping.ts'
import { Selection } from '../trends/selection.ts'
import { Values } from '../trends/values.ts'
import type { EventRow } from './store.ts'

/** Decides which events match property filters, by the same code as trends. */
export class EventMatcher {
  readonly #keys: readonly string[]
  readonly #selection: Selection
  readonly #values: Values

  constructor(db: Db, project: { id: number; timezone: string }, filters: FilterGroup, now: Date) {
    const leaves = leavesOf(filters)
    const keys = leaves.filter(({ type }) => type === 'event').map(({ key }) => key)
    const deciders = new Map(
      leaves.map((filter) => [filter, deciderOf(filter, project.timezone, now)])
    )
    this.#keys = [...new Set(keys)]
    this.#selection = new Selection(filters, deciders, [], new Work())
    this.#values = new Values(beginScan(db, project.id))
  }

  /** Returns the events that match. @throws query_too_large, attr `properties` */
  async select(rows: readonly EventRow[]): Promise<EventRow[]> {
    const batch = this.#batchOf(rows)
    const groups = await this.#selection.groupsOf(batch, this.#values, new Grouping())
    return rows.filter((_, i) => (groups?.[i] ?? 0) >= 0)
  }

  #batchOf(rows: readonly EventRow[]): Batch {
    const properties: Json[] =
      this.#keys.length > 0 ? rows.map((row) => JSON.parse(row.properties)) : []
    const memberOf = (object: Json, key: string): Json =>
      isObject(object) && Object.hasOwn(object, key) ? (object[key] ?? null) : null
    // A selection reads no times, places or identities.
    return {
      length: rows.length,
      since: 0,
      place: placeByTimes([]),
      identities: new Uint32Array(),
      versions: toColumn(rows.map(({ version }) => version)),
      sessions: toColumn(rows.map(({ session_id }) => session_id)),
      properties: new Map(
        this.#keys.map((key) => [key, toColumn(properties.map((one) => memberOf(one, key)))])
      )
    }
  }
}
