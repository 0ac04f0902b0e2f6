import type { OpenProject } from '../../access/open.ts'
import { findTombstonesOf } from '../../barred/tombstones/store.ts'
import { hashDistinctId, type Tombstone, tombstoneFor } from '../../barred/tombstones/tombstone.ts'
import { deleteObjects, putObject } from '../../bucket.ts'
import { type DeadContent, readContent } from '../../dead-letters/content.ts'
import { type KeptMessage, removeEvents, removePart } from '../../dead-letters/erased.ts'
import { memberOf } from '../../dead-letters/noted.ts'
import { parkWaiting } from '../../dead-letters/park.ts'
import { type Invocation, isSpent } from '../../queues/invocation.ts'
import {
  jsonOrText,
  listWaiting,
  MARKER_PREFIX,
  readWaitingKey,
  SPILL_PREFIX
} from '../../queues/waiting-objects.ts'
import type { ErasureRow } from './store.ts'

/** Waiting objects that one invocation reads at most; the platform allows 10,000 requests to R2. */
const MAX_OBJECTS = 4_000
/** Waiting objects that are read at the same time, each up to 1 MB. */
const OBJECTS_AT_ONCE = 5

type WaitingInvocation = Invocation<Pick<Env, 'DB' | 'BUCKET'>>

/** A waiting object that can be read. `acceptedAt` is ms UTC. */
type WaitingObject = {
  key: string
  etag: string
  acceptedAt: number
  content: Extract<DeadContent, { events: object } | { part: object }>
}

export type Search = {
  /** When the oldest object was accepted that holds up an erasure, ms UTC, by the erasure's id. */
  waiting: Map<number, number>
  /** The number of objects that could not be read, and have become dead letters. */
  parked: number
}

type Options = {
  /**
   * Whether the data is removed from the objects, so that no erasure waits, unless the invocation
   * has used up its queries.
   */
  removes: boolean
  maxObjects?: number
}

/**
 * Searches the objects of a project that wait to be processed for data of erased persons. An
 * erasure waits for objects with events of its person and, if it deletes recordings, for parts of
 * the person's recordings. No erasure waits for other objects, nor for one that cannot be read:
 * that becomes a dead letter at once. If there are more than `maxObjects` objects, all erasures
 * wait.
 */
export async function searchWaiting(
  open: OpenProject,
  erasures: ErasureRow[],
  { removes, maxObjects, ...invocation }: WaitingInvocation & Options
): Promise<Search> {
  const search = { waiting: new Map<number, number>(), parked: 0 }
  if (erasures.length === 0) {
    return search
  }
  const objects = new WaitingObjects(open, invocation, maxObjects)
  let persons: Persons | undefined
  const until = Math.max(...erasures.map(({ requestedAt }) => requestedAt))
  for await (const object of objects.read([SPILL_PREFIX, MARKER_PREFIX], until)) {
    persons ??= await Persons.of(open, erasures)
    const owners = persons.ownersOf(object)
    if (removes && owners.length > 0 && !isSpent(invocation.usage)) {
      await objects.remove(object, (tombstone) => owners.includes(tombstone.erasureId))
      continue
    }
    for (const id of owners) {
      const oldest = search.waiting.get(id) ?? object.acceptedAt
      search.waiting.set(id, Math.min(oldest, object.acceptedAt))
    }
  }
  for (const { id, requestedAt } of objects.isCut ? erasures : []) {
    search.waiting.set(id, search.waiting.get(id) ?? requestedAt)
  }
  return { ...search, parked: objects.parked }
}

/**
 * Returns when the project's oldest request was accepted that waits to be processed, ms UTC;
 * Infinity if none was accepted up to `until`. Requests that cannot be read become dead letters.
 */
export async function findOldestRequest(
  open: OpenProject,
  until: number,
  invocation: WaitingInvocation
): Promise<number> {
  const objects = new WaitingObjects(open, invocation)
  for await (const { acceptedAt } of objects.read([SPILL_PREFIX], until)) {
    return acceptedAt
  }
  return objects.isCut ? until : Number.POSITIVE_INFINITY
}

class WaitingObjects {
  /** The number of objects that could not be read, and have become dead letters. */
  parked = 0
  /** Whether there were more than `maxObjects` objects. */
  isCut = false
  readonly #open: OpenProject
  readonly #invocation: WaitingInvocation
  readonly #maxObjects: number

  constructor(open: OpenProject, invocation: WaitingInvocation, maxObjects = MAX_OBJECTS) {
    this.#open = open
    this.#invocation = invocation
    this.#maxObjects = maxObjects
  }

  /** Yields the objects with these prefixes that were accepted up to `until`, ms UTC. */
  async *read(prefixes: string[], until: number): AsyncGenerator<WaitingObject> {
    const { BUCKET: bucket } = this.#invocation.env
    let left = this.#maxObjects
    for (const prefix of prefixes) {
      const keys: string[] = []
      for await (const key of listWaiting(bucket, prefix, this.#open.project.id, until)) {
        left -= 1
        if (left < 0) {
          this.isCut = true
          break
        }
        keys.push(key)
      }
      for (let from = 0; from < keys.length; from += OBJECTS_AT_ONCE) {
        const some = keys.slice(from, from + OBJECTS_AT_ONCE)
        const read = await Promise.all(some.map((key) => this.#readOne(key)))
        yield* read.filter((object) => object !== undefined)
      }
    }
  }

  async #readOne(key: string): Promise<WaitingObject | undefined> {
    const object = await this.#invocation.env.BUCKET.get(key)
    if (!object) {
      return undefined
    }
    const content = readContent(jsonOrText(await object.text()))
    if (!('part' in content || 'events' in content)) {
      const error = 'A waiting object was neither events nor a part of a recording.'
      await parkWaiting(key, { error, attempts: 0 }, this.#invocation)
      this.parked += 1
      return undefined
    }
    const acceptedAt = readWaitingKey(key)?.acceptedAt ?? 0
    return { key, etag: object.etag, acceptedAt, content }
  }

  /** Removes the data of erased persons from an object; the rest of it is still processed. */
  async remove(
    { key, etag, content }: WaitingObject,
    isMeant: (tombstone: Tombstone) => boolean
  ): Promise<void> {
    const { BUCKET: bucket } = this.#invocation.env
    const { project, db } = this.#open
    const isPart = 'part' in content
    const kept: KeptMessage = {
      member: memberOf(isPart ? 'queued_recording_parts' : 'queued_requests', key),
      isMeant,
      // Does nothing if the object was processed, and so deleted, in the meantime.
      keep: (rest) =>
        putObject(bucket, key, JSON.stringify(rest), { onlyIf: { etagMatches: etag } }),
      remove: () => deleteObjects(bucket, [key])
    }
    await (isPart
      ? removePart({ db, bucket, project }, content.part, kept)
      : removeEvents({ db, project }, content.events, kept))
  }
}

class Persons {
  readonly #project: OpenProject['project']
  readonly #ids: ReadonlySet<number>
  readonly #tombstones: ReadonlyMap<string, Tombstone[]>

  private constructor(
    project: OpenProject['project'],
    ids: number[],
    tombstones: ReadonlyMap<string, Tombstone[]>
  ) {
    this.#project = project
    this.#ids = new Set(ids)
    this.#tombstones = tombstones
  }

  static async of({ db, project }: OpenProject, erasures: ErasureRow[]): Promise<Persons> {
    const ids = erasures.map(({ id }) => id)
    const tombstones = await findTombstonesOf({ db, project }, ids)
    return new Persons(
      project,
      ids,
      Map.groupBy(tombstones, ({ hash }) => hash)
    )
  }

  /** Returns the ids of the erasures that remove something from an object. */
  ownersOf({ content }: WaitingObject): number[] {
    const isPart = 'part' in content
    const message = isPart ? content.part : content.events
    const ids = 'events' in message ? message.events.map(idOf) : [idOf(message)]
    const owners = [...new Set(ids)]
      .map((id) => this.#tombstoneOf(id, message.received_at))
      .filter((tombstone) => tombstone !== undefined)
      .filter(({ deletesRecordings }) => deletesRecordings || !isPart)
      .map(({ erasureId }) => erasureId)
    return [...new Set(owners)].filter((id) => this.#ids.has(id))
  }

  #tombstoneOf(distinctId: string, receivedAt: number): Tombstone | undefined {
    const { id, erasureSalt } = this.#project
    const own = this.#tombstones.get(hashDistinctId(erasureSalt, id, distinctId)) ?? []
    return tombstoneFor(own, receivedAt)
  }
}

const idOf = ({ distinct_id }: { distinct_id: string }): string => distinct_id
