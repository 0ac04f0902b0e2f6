import { Actors } from '../columns/actors.ts'
import type { EventColumns } from '../columns/batch.ts'
import { beginScan } from '../columns/cache.ts'
import { toColumn } from '../columns/dictionary.ts'
import { decidersOf, Filter } from '../columns/filter.ts'
import { type Cohorts, Values } from '../columns/values.ts'
import type { Db } from '../db/client.ts'
import { isObject, type Json } from '../input/json.ts'
import { resolveCohorts } from '../membership/resolve.ts'
import { type FilterGroup, leavesOf } from '../properties/filter.ts'
import { Work } from '../properties/work.ts'
import type { EventRow } from './store.ts'

/** Decides which events match property filters, by the same code as trends. */
export class EventMatcher {
  readonly #keys: readonly string[]
  readonly #filter: Filter
  readonly #values: Values

  private constructor(
    db: Db,
    project: { id: number; timezone: string; weekStart: number },
    { filters, cohorts, now }: { filters: FilterGroup; cohorts: Cohorts; now: Date }
  ) {
    const ofEvents = leavesOf(filters).filter(({ type }) => type === 'event')
    this.#keys = [...new Set(ofEvents.map(({ key }) => key))]
    this.#filter = new Filter(filters, decidersOf([filters], project.timezone, now), new Work())
    const scan = beginScan(db, project.id)
    this.#values = new Values(scan, new Actors(scan), cohorts)
  }

  /** Prepares filters; reads who is in their cohorts. @throws the errors of `resolveCohorts` */
  static async begin(
    db: Db,
    project: { id: number; timezone: string; weekStart: number },
    filters: FilterGroup,
    now: Date
  ): Promise<EventMatcher> {
    const cohorts = await resolveCohorts(db, project, [filters], now)
    return new EventMatcher(db, project, { filters, cohorts, now })
  }

  /** Returns the events that match. @throws query_too_large, attr `properties` */
  async select<Row extends EventRow>(rows: readonly Row[]): Promise<Row[]> {
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
      identities: Uint32Array.from(rows, ({ identity }) => identity),
      versions: toColumn(rows.map(({ version }) => version)),
      sessions: toColumn(rows.map(({ session_id }) => session_id)),
      properties: new Map(
        this.#keys.map((key) => [key, toColumn(properties.map((one) => memberOf(one, key)))])
      )
    }
  }
}
