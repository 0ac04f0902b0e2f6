import { inHalves } from '../db/halves.ts'
import type { Json } from '../input/json.ts'
import type { Property } from '../properties/filter.ts'
import { pause } from '../turns.ts'
import type { ActorSet } from './actor-set.ts'
import type { Actors } from './actors.ts'
import { type EventColumns, emptyColumn } from './batch.ts'
import type { Scan } from './cache.ts'
import type { Column } from './column.ts'
import { readSessionValues } from './values.store.ts'
import { VersionValues } from './versions.ts'

const AT_ONCE = 5_000

/** Pause after each statement, ms, so that other requests get the database. */
const REST_MS = 1

/** The members of cohorts, by the cohorts' ids. */
export type Cohorts = ReadonlyMap<string, ActorSet>

/** Codes of the values of a membership. */
const MEMBERSHIP: readonly Json[] = [null, true]

/**
 * Finds the values of properties of events, of their persons then, and of their sessions, and
 * whether their actors are in cohorts now.
 */
export class Values {
  readonly #scan: Scan
  readonly #actors: Actors
  readonly #cohorts: Cohorts
  /** The values of person properties that were read, by the name of the property. */
  readonly #versions = new Map<string, VersionValues>()
  /** The value of each session that was read, by the name of the property and the session's id. */
  readonly #sessions = new Map<string, Map<Json, Json>>()

  constructor(scan: Scan, actors: Actors, cohorts: Cohorts) {
    this.#scan = scan
    this.#actors = actors
    this.#cohorts = cohorts
  }

  /** Looks up a property's values in batches, in as few statements as if they were one. */
  async learn(batches: readonly EventColumns[], { type, key }: Property): Promise<void> {
    if (type === 'person') {
      await this.#versionsOf(key).learn(batches)
    }
    if (type === 'session') {
      const ids = batches.map(({ sessions }) => sessions.values)
      await this.#lookUpSessions(key, [...new Set(ids.flat())])
    }
    if (type === 'cohort') {
      await this.#actors.learn(batches.map(({ identities }) => identities))
    }
  }

  /** Returns a property's values; those of persons and sessions may list one several times. */
  async of(batch: EventColumns, { type, key }: Property): Promise<Column> {
    if (type === 'person') {
      return this.#versionsOf(key).of(batch.versions, batch.identities)
    }
    if (type === 'session') {
      const { codes, values: ids } = batch.sessions
      const known = await this.#lookUpSessions(key, ids)
      return { codes, values: ids.map((id) => known.get(id) ?? null) }
    }
    if (type === 'cohort') {
      return this.#membershipsOf(batch, key)
    }
    return batch.properties.get(key) ?? emptyColumn(batch.length)
  }

  async #membershipsOf({ identities }: EventColumns, id: string): Promise<Column> {
    const cohort = this.#cohorts.get(id)
    if (!cohort) {
      throw new Error('A cohort was not resolved.')
    }
    const numbers = new Int32Array(identities.length)
    await this.#actors.list(identities, numbers)
    const codes = new Uint8Array(numbers.length)
    for (let i = 0; i < codes.length; i += 1) {
      codes[i] = cohort.has(numbers[i] ?? 0) ? 1 : 0
    }
    return { codes, values: MEMBERSHIP }
  }

  #versionsOf(key: string): VersionValues {
    const known = this.#versions.get(key) ?? new VersionValues(this.#scan, key)
    this.#versions.set(key, known)
    return known
  }

  /** Looks up a property in unknown sessions. @returns the value of each known session */
  async #lookUpSessions(key: string, ids: readonly Json[]): Promise<ReadonlyMap<Json, Json>> {
    const known = this.#sessions.get(key) ?? new Map<Json, Json>([[null, null]])
    this.#sessions.set(key, known)
    const unknown = ids.filter((id) => !known.has(id))
    for (let from = 0; from < unknown.length; from += AT_ONCE) {
      const some = unknown.slice(from, from + AT_ONCE)
      for (const id of some) {
        known.set(id, null)
      }
      const found = await inHalves(some.map(String), (sessionIds) =>
        readSessionValues(this.#scan.db, this.#scan.projectId, sessionIds, key)
      )
      for (const [id, value] of found) {
        known.set(id, value)
      }
      await pause(REST_MS)
    }
    return known
  }
}
