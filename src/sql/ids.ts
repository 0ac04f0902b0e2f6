import { actorOfNumber } from '../columns/actor-numbers.ts'
import type { Db } from '../db/client.ts'
import { placeholderUuid } from '../persons/placeholder.ts'
import { pause } from '../turns.ts'
import { readDistinctIds, readPersonTimes, readPersonUuids } from './lookups.store.ts'

/** Ids that a statement looks up; it takes about 20 ms. */
const AT_ONCE = 5_000

/** Pause after each statement, ms, so that other requests get the database. */
const REST_MS = 1

type Look<Value> = (
  db: Db,
  projectId: number,
  ids: readonly number[]
) => Promise<Map<number, Value>>

/** Finds the UUIDs of actors, when they were created, and the distinct ids of identities. */
export class IdTexts {
  readonly #db: Db
  readonly #projectId: number
  readonly #distinctIds = new Map<number, string | null>()
  readonly #uuids = new Map<number, string>()
  readonly #times = new Map<number, number | null>()

  constructor(db: Db, projectId: number) {
    this.#db = db
    this.#projectId = projectId
  }

  /** Returns the distinct id of each identity; null for an erased one. */
  async distinctIdsOf(keys: Iterable<number>): Promise<ReadonlyMap<number, string | null>> {
    const unknown = [...new Set(keys)].filter((key) => !this.#distinctIds.has(key))
    const found = await this.#lookUp(unknown, readDistinctIds)
    for (const key of unknown) {
      this.#distinctIds.set(key, found.get(key) ?? null)
    }
    return this.#distinctIds
  }

  /** Returns the UUID of each actor; that of an actor without a person is a placeholder. */
  async uuidsOf(numbers: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const unknown = [...new Set(numbers)].filter((number) => !this.#uuids.has(number))
    const actors = unknown.map((number) => ({ number, actor: actorOfNumber(number) }))
    const persons = actors.flatMap(({ actor }) => (actor > 0 ? [actor] : []))
    const found = await this.#lookUp(persons, readPersonUuids)
    const keys = actors.flatMap(({ actor }) => (actor > 0 ? [] : [-actor]))
    const names = await this.distinctIdsOf(keys)
    for (const { number, actor } of actors) {
      const uuid =
        actor > 0
          ? (found.get(actor) ?? placeholderUuid(this.#projectId, `person ${actor}`))
          : placeholderUuid(this.#projectId, names.get(-actor) ?? -actor)
      this.#uuids.set(number, uuid)
    }
    return this.#uuids
  }

  /** Returns when each actor was created, ms UTC; null for an actor without a person. */
  async createdOf(numbers: Iterable<number>): Promise<ReadonlyMap<number, number | null>> {
    const unknown = [...new Set(numbers)].filter((number) => !this.#times.has(number))
    const persons = unknown.map(actorOfNumber).filter((actor) => actor > 0)
    const found = await this.#lookUp(persons, readPersonTimes)
    for (const number of unknown) {
      this.#times.set(number, found.get(actorOfNumber(number)) ?? null)
    }
    return this.#times
  }

  async #lookUp<Value>(ids: readonly number[], look: Look<Value>): Promise<Map<number, Value>> {
    const found = new Map<number, Value>()
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = await look(this.#db, this.#projectId, ids.slice(from, from + AT_ONCE))
      for (const [id, text] of some) {
        found.set(id, text)
      }
      await pause(REST_MS)
    }
    return found
  }
}
