import type { OpenProject } from '../access/open.ts'
import type { ProjectRow } from '../access/store.ts'
import { type ControlDb, type Db, openControl, type Usage } from '../db/client.ts'
import { sumObjects } from '../dead-letters/noted.ts'
import { listUnreadable } from '../dead-letters/store.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import { type Invocation, isSpent } from '../queues/invocation.ts'
import { purgeRecording } from '../recordings/purge.ts'
import { SESSIONS, sessionRebuilder } from '../sessions/upkeep/rebuild.ts'
import { completableUntil } from './completions/days.ts'
import { isSameExtent } from './extent.ts'
import { MentionCounts } from './mentions/schemas.ts'
import { Pieces } from './pieces.ts'
import {
  complete,
  countEvents,
  countLeft,
  findUnpurgedOf,
  listActive,
  listKeys,
  markCleared,
  noteFewFound,
  noteFound,
  noteWaiting,
  purgeEvents,
  purgeVersions
} from './purge.store.ts'
import { writeReceipt } from './receipt.ts'
import { issueReceipt, type Signer } from './receipts/issue.ts'
import { publishKey } from './receipts/keys.ts'
import { readOpen, type Subject, subjectOf } from './receipts/store.ts'
import type { ErasureRow } from './store.ts'
import { STORE_NAMES, STORES, type StoreCounts } from './stores.ts'

/** Events counted per query. */
const COUNTED_AT_ONCE = 10_000
/** Identities listed per query: a person may have any number of distinct ids. */
const KEYS_AT_ONCE = 5_000
/** Identities whose events are purged together. */
const PURGED_AT_ONCE = 100
/** Deleted recordings that are listed, then purged one by one. */
const RECORDINGS_AT_ONCE = 20

/** Unreadable dead letters that a receipt names. */
const MAX_NAMED = 100

/** Whether an erasure may be completed now, with a receipt: always, unless it deletes events and waits for its run. */
export const mayComplete = ({ run, deleteEvents }: ErasureRow): boolean =>
  !deleteEvents || run !== null

/**
 * Progress of an erasure: `waiting` for its weekly run, `cut` because the invocation reached its
 * limits, or `removed` when all data to delete is purged.
 */
type State = 'waiting' | 'cut' | 'removed'

/** Why an erasure or a removal waits when the secrets are missing: `npm run purge:now`, for example, does not have them. */
export const UNSIGNED =
  'Everything is removed. Within half an hour, the service signs the receipt and completes the deletion, if it has the secrets RECEIPT_KEY and RECEIPT_SECRET.'

/** Purges the data of erasures in one project, as far as one invocation's limits allow. */
export class Eraser {
  readonly #db: Db
  readonly #controlDb: ControlDb
  readonly #bucket: R2Bucket
  readonly #project: ProjectRow
  readonly #usage: Usage
  readonly #clock: () => Date
  readonly #pieces: Pieces
  readonly #signer: Signer | undefined
  #ledger: Promise<Ledger> | undefined
  #published: Promise<void> | undefined
  #unreadable: ReturnType<typeof listUnreadable> | undefined

  /** @param signer signs receipts; without it, erasures are not completed */
  constructor(
    { db, project }: OpenProject,
    invocation: Invocation<Pick<Env, 'DB' | 'BUCKET'>>,
    signer: Signer | undefined
  ) {
    this.#db = db
    this.#controlDb = openControl(invocation.env, invocation.usage).db
    this.#project = project
    this.#bucket = invocation.env.BUCKET
    this.#usage = invocation.usage
    this.#clock = invocation.clock
    this.#pieces = new Pieces(invocation)
    this.#signer = signer
  }

  /**
   * Purges an erasure's data, and completes the erasure when a search of every store finds nothing.
   * @returns `waiting` also if the secrets are missing, or if another message continues the erasure;
   * `cut` also if late events were stored, or the erasure was widened, during the search
   */
  async advance(erasure: ErasureRow): Promise<'waiting' | 'cut' | 'completed'> {
    const state = await this.remove(erasure)
    if (state !== 'removed') {
      return state
    }
    if (!this.#signer) {
      await noteWaiting(this.#db, [erasure], UNSIGNED, this.#now())
      return 'waiting'
    }
    return this.#verify(erasure, this.#signer)
  }

  /** Purges an erasure's data: the events only in its weekly run. */
  async remove(erasure: ErasureRow): Promise<State> {
    if (erasure.clearedAt === null) {
      const isDone = await this.#pieces.run((limit) =>
        purgeVersions(this.#db, erasure, limit, this.#now())
      )
      if (!isDone) {
        return 'cut'
      }
      if (!(await this.#removeRecordings(erasure))) {
        return 'cut'
      }
      await markCleared(this.#db, erasure, this.#now())
    }
    if (erasure.deleteEvents) {
      if (erasure.run === null) {
        return 'waiting'
      }
      if (!(await this.#purgeEvents(erasure)) || !(await this.#rebuildSessions())) {
        return 'cut'
      }
    }
    return 'removed'
  }

  /** @returns whether no recording is left */
  async #removeRecordings(erasure: ErasureRow): Promise<boolean> {
    while (!isSpent(this.#usage)) {
      const doomed = await findUnpurgedOf(this.#db, erasure, RECORDINGS_AT_ONCE)
      for (const recording of doomed) {
        await purgeRecording(this.#db, this.#bucket, recording, this.#now())
      }
      if (doomed.length < RECORDINGS_AT_ONCE) {
        return true
      }
    }
    return false
  }

  /** @returns whether no event is left */
  async #purgeEvents(erasure: ErasureRow): Promise<boolean> {
    if (erasure.found === null) {
      await this.#noteFound(erasure)
    }
    for await (const keys of this.#keysOf(erasure)) {
      // Many identities cost only as long as they have events, so that the next invocation gets further.
      const isFew = keys.length <= PURGED_AT_ONCE
      const active = isFew ? keys : await listActive(this.#db, erasure, keys)
      for (let at = 0; at < active.length; at += PURGED_AT_ONCE) {
        const some = active.slice(at, at + PURGED_AT_ONCE)
        const isDone = await this.#pieces.run((limit) =>
          purgeEvents(this.#db, erasure, { keys: some, limit, now: this.#now() })
        )
        if (!isDone) {
          return false
        }
      }
    }
    return true
  }

  /** Notes the number of events to purge. */
  async #noteFound(erasure: ErasureRow): Promise<void> {
    if (await noteFewFound(this.#db, erasure, COUNTED_AT_ONCE, this.#now())) {
      return
    }
    let found = 0
    for await (const keys of this.#keysOf(erasure)) {
      found += await countEvents(this.#db, erasure, keys, COUNTED_AT_ONCE)
    }
    await noteFound(this.#db, erasure, found, this.#now())
  }

  /** @returns whether every stale session is rebuilt */
  #rebuildSessions(): Promise<boolean> {
    return this.#pieces.runAnyway(sessionRebuilder(this.#db, this.#project.id), SESSIONS)
  }

  /** Yields the keys of the person's identities, some at a time. */
  async *#keysOf(erasure: ErasureRow): AsyncGenerator<number[]> {
    for (let after = 0; ; ) {
      const keys = await listKeys(this.#db, erasure, after, KEYS_AT_ONCE)
      if (keys.length > 0) {
        yield keys
      }
      if (keys.length < KEYS_AT_ONCE) {
        return
      }
      after = keys.at(-1) ?? after
    }
  }

  #now(): number {
    return this.#clock().getTime()
  }

  /**
   * Searches every store once more. Completes the erasure only if nothing is left.
   * @throws when rows are left that the next invocation would not purge
   */
  async #verify(erasure: ErasureRow, signer: Signer): Promise<'waiting' | 'cut' | 'completed'> {
    const { current, identities } = await readOpen(this.#db, erasure)
    if (!current) {
      // Another invocation has completed it meanwhile.
      return 'completed'
    }
    if (!isSameExtent(erasure, current)) {
      // The request that widened it has sent a message, which also searches the dead letters.
      return 'waiting'
    }
    const keys = new Set(identities.map(({ key }) => key))
    const remaining = await countLeft(this.#db, current, keys)
    const left = STORE_NAMES.filter((store) => (remaining[store] ?? 0) > 0)
    if (left.length === 0) {
      const subject = subjectOf(current, identities)
      const isCompleted = await this.#complete(current, { subject, remaining }, signer)
      return isCompleted ? 'completed' : 'cut'
    }
    if (left.every((store) => STORES[store].isPurgedNext?.(remaining))) {
      return 'cut'
    }
    throw new Error(
      `The verification still found ${left.map((store) => `${remaining[store]} ${store}`).join()}`
    )
  }

  /** Lists the dead letters that were searched for the person, but could not be read: see `purgeDeadLetters`. */
  async #listUnreadable({ projectId, deleteEvents, deleteRecordings }: ErasureRow) {
    if (!deleteEvents && !deleteRecordings) {
      return { objects: [], count: 0 }
    }
    this.#unreadable ??= listUnreadable(this.#controlDb, projectId, MAX_NAMED)
    return await this.#unreadable
  }

  /** Signs the receipt, enters it in the ledger and stores it. @returns whether the erasure is completed */
  async #complete(
    erasure: ErasureRow,
    { subject, remaining }: { subject: Subject; remaining: StoreCounts },
    signer: Signer
  ): Promise<boolean> {
    const now = this.#now()
    const content = writeReceipt({
      id: erasure.id,
      project_id: erasure.projectId,
      person_uuid: erasure.personUuid,
      requestedAt: erasure.requestedAt,
      requested_by: erasure.requestedBy,
      delete_events: erasure.deleteEvents,
      run: erasure.run,
      // The row of an erasure that was widened to keep nothing still has a date.
      linkedUntil: completableUntil(erasure),
      completes: erasure.completes,
      mentions: MentionCounts.parse(erasure.mentions),
      verifiedAt: now,
      delete_recordings: erasure.deleteRecordings,
      removed: { ...sumObjects(erasure.stores), events: erasure.removed },
      remaining,
      unreadable: await this.#listUnreadable(erasure),
      late_events_dropped: erasure.dropped
    })
    this.#ledger ??= openLedger({ BUCKET: this.#bucket }, this.#db)
    const ledger = await this.#ledger
    this.#published ??= publishKey(this.#bucket, signer.key, ledger, now)
    await this.#published
    const { stored, hash } = await issueReceipt(content, subject, signer)
    await ledger.append({ kind: 'receipt', project: erasure.projectId, receipt: hash }, now)
    return complete(this.#db, erasure, stored, now)
  }
}
