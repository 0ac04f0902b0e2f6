import { openControl } from '../../db/client.ts'
import { listUnreadable } from '../../dead-letters/store.ts'
import type { OwnSecret } from '../../ledger/secret.ts'
import { isSpent } from '../../queues/invocation.ts'
import { purgeRecording } from '../../recordings/purge.ts'
import { SESSIONS, sessionRebuilder } from '../../sessions/upkeep/rebuild.ts'
import { DeletionEngine, type State, type Verified } from '../engine/engine.ts'
import type { ErasureRow } from '../engine/store.ts'
import { isSameExtent } from '../extent.ts'
import { STORE_NAMES } from '../names.ts'
import { issueReceipt, type Signer } from '../receipts/issue.ts'
import { type ErasedIdentity, readOpen } from '../receipts/store.ts'
import { saltOf } from '../receipts/subject.ts'
import { STORES } from '../stores.ts'
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

/** Whether an erasure may be completed now: unless it deletes events and waits for its run. */
export const mayComplete = ({ run, deleteEvents }: ErasureRow): boolean =>
  !deleteEvents || run !== null

/** Erases persons of one project, and what earlier erasures have kept of them. */
export class Eraser extends DeletionEngine<ErasureRow> {
  #unreadable: ReturnType<typeof listUnreadable> | undefined

  wait = (erasure: ErasureRow, why: string) => noteWaiting(this.open.db, [erasure], why, this.now())

  /** Purges the events only in the weekly run. */
  async remove(erasure: ErasureRow): Promise<'waiting' | 'cut' | 'removed'> {
    const { db } = this.open
    if (erasure.clearedAt === null) {
      const isDone =
        (await this.work.run((limit) => purgeVersions(db, erasure, limit, this.now()))) &&
        (await this.#removeRecordings(erasure))
      if (!isDone) {
        return 'cut'
      }
      await markCleared(db, erasure, this.now())
    }
    if (!mayComplete(erasure)) {
      return 'waiting'
    }
    const isPurged =
      !erasure.deleteEvents ||
      ((await this.#purgeEvents(erasure)) && (await this.#rebuildSessions()))
    return isPurged ? 'removed' : 'cut'
  }

  /** @returns whether no recording is left */
  async #removeRecordings(erasure: ErasureRow): Promise<boolean> {
    while (!isSpent(this.invocation.usage)) {
      const doomed = await findUnpurgedOf(this.open.db, erasure, RECORDINGS_AT_ONCE)
      for (const recording of doomed) {
        await purgeRecording(this.open.db, this.invocation.env.BUCKET, recording, this.now())
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
      // Many identities cost only as long as they have events, so that the next invocation gets
      // further.
      const isFew = keys.length <= PURGED_AT_ONCE
      const active = isFew ? keys : await listActive(this.open.db, erasure, keys)
      for (let at = 0; at < active.length; at += PURGED_AT_ONCE) {
        const some = active.slice(at, at + PURGED_AT_ONCE)
        const isDone = await this.work.run((limit) =>
          purgeEvents(this.open.db, erasure, { keys: some, limit, now: this.now() })
        )
        if (!isDone) {
          return false
        }
      }
    }
    return true
  }

  async #noteFound(erasure: ErasureRow): Promise<void> {
    if (await noteFewFound(this.open.db, erasure, COUNTED_AT_ONCE, this.now())) {
      return
    }
    let found = 0
    for await (const keys of this.#keysOf(erasure)) {
      found += await countEvents(this.open.db, erasure, keys, COUNTED_AT_ONCE)
    }
    await noteFound(this.open.db, erasure, found, this.now())
  }

  /** @returns whether every stale session is rebuilt */
  #rebuildSessions(): Promise<boolean> {
    return this.work.runAnyway(sessionRebuilder(this.open), SESSIONS)
  }

  async *#keysOf(erasure: ErasureRow): AsyncGenerator<number[]> {
    for (let after = 0; ; ) {
      const keys = await listKeys(this.open.db, erasure, after, KEYS_AT_ONCE)
      if (keys.length > 0) {
        yield keys
      }
      if (keys.length < KEYS_AT_ONCE) {
        return
      }
      after = keys.at(-1) ?? after
    }
  }

  /** Searches every store once more. */
  protected async verify(erasure: ErasureRow, signer: Signer): Promise<State | Verified> {
    const { current, identities } = await readOpen(this.open.db, erasure)
    if (!current) {
      // Another invocation has completed it meanwhile.
      return 'completed'
    }
    if (!isSameExtent(erasure, current)) {
      // The request that widened it has sent a message, which also searches the dead letters.
      return 'waiting'
    }
    const keys = new Set(identities.map(({ key }) => key))
    const remaining = await countLeft(this.open.db, current, keys)
    const left = STORE_NAMES.filter((store) => (remaining[store] ?? 0) > 0)
    if (left.length === 0) {
      const at = this.now()
      const content = writeReceipt(current, {
        at,
        remaining,
        unreadable: await this.#listUnreadable(current)
      })
      const subject = await subjectOf(current, identities, signer.secret)
      const receipt = await issueReceipt(content, subject, signer.key)
      return {
        receipt,
        at,
        complete: () => complete(this.open.db, current, receipt.stored, at)
      }
    }
    if (left.every((store) => STORES[store].isPurgedNext?.(remaining))) {
      return 'cut'
    }
    throw new Error(
      `The verification still found ${left.map((store) => `${remaining[store]} ${store}`).join()}`
    )
  }

  /** Lists the dead letters that could not be read: see `purgeDeadLetters`. */
  async #listUnreadable({ projectId, deleteEvents, deleteRecordings }: ErasureRow) {
    if (!deleteEvents && !deleteRecordings) {
      return { objects: [], count: 0 }
    }
    const { env, usage } = this.invocation
    this.#unreadable ??= listUnreadable(openControl(env, usage).db, projectId, MAX_NAMED)
    return await this.#unreadable
  }
}

/** Returns the hashes of the distinct ids, unless the secret of their salt is lost. */
async function subjectOf(
  { projectId, personUuid, requestedAt }: ErasureRow,
  identities: readonly ErasedIdentity[],
  secret: OwnSecret
) {
  const saltedAt = identities[0]?.erasedAt ?? requestedAt
  if (saltedAt < secret.since) {
    return undefined
  }
  const salted = { projectId, subjectId: personUuid, requestedAt: saltedAt }
  return {
    hashes: { distinct_ids: identities.map(({ hash }) => hash).toSorted() },
    salt: { value: await saltOf(secret.value, salted), saltedAt }
  }
}
