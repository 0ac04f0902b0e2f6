import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { type Body, type Head, headOf } from '../ledger/entry.ts'
import { readAfter } from '../ledger/ledger.ts'
import { noteApplied, readApplied } from '../ledger/store.ts'
import { log } from '../log.ts'
import { findProjects, type ProjectRow } from '../projects/store.ts'
import type { Sender } from '../queues/send.ts'
import { completeErasures, unfinished } from './completions/complete.ts'
import type { CompletionSetting } from './completions/days.ts'
import { erasePersons } from './erase.ts'
import type { ErasureMessage } from './message.ts'
import { receiptSecret } from './secret.ts'
import { findErased } from './store.ts'

/**
 * Age from which an entry is replayed while the service runs, ms. A younger entry may belong to a
 * request that is still deleting.
 */
export const MIN_AGE = 60_000

/** Entries read at once: 100 gets of the bucket. */
const READ_AT_ONCE = 100

/** The request of an erasure. It names persons by their UUIDs, and no distinct id. */
export const ErasureEntry = z.object({
  kind: z.literal('erasure'),
  project: z.int(),
  persons: z.array(z.guid()),
  delete_events: z.boolean(),
  delete_recordings: z.boolean(),
  /** ms UTC */
  requested_at: z.int(),
  user: z.int(),
  key: z.int()
})
export type ErasureEntry = z.infer<typeof ErasureEntry>

/** The request to delete what erasures of these persons had kept. */
export const CompletionEntry = ErasureEntry.extend({ kind: z.literal('completion') })

/** A database that may have been restored, and what erasing again needs. */
export type Target = {
  db: Db
  /** The name of the database's binding. */
  database: string
  control: Db
  bucket: R2Bucket
  queue: Sender<ErasureMessage>
  secrets: { RECEIPT_SECRET?: string }
  setting: CompletionSetting
  /** The time up to which entries are replayed, ms UTC. */
  until: number
}

/** Applies an entry again. @returns how many objects it has erased again; 0 when it was applied before */
type Handler = (target: Target, project: ProjectRow, body: Body) => Promise<number>

/** The handler of each kind of entry. Kinds without one need nothing after a restore. */
const HANDLERS: Record<string, Handler> = { erasure: eraseAgain, completion: completeAgain }

/**
 * Applies what the ledger has beyond the database. Normally the database knows it all; after a
 * restore, it erases again what the restore has brought back. It may be interrupted anywhere.
 * @returns the number of applied entries, and of persons that were erased again
 * @throws LedgerError when the ledger is not the chain that was written
 */
export async function replayLedger(target: Target): Promise<{ applied: number; erased: number }> {
  const start = await readApplied(target.db)
  let [head, erased] = [start, 0]
  for (;;) {
    const read = await readAfter(target.bucket, head, READ_AT_ONCE)
    const old = read.filter(({ link }) => link.at <= target.until)
    for (const entry of old) {
      erased += await applyEntry(target, entry.body)
      head = await headOf(entry)
    }
    if (old.length > 0) {
      await noteApplied(target.db, head)
    }
    if (old.length < READ_AT_ONCE) {
      return { applied: head.seq - start.seq, erased }
    }
  }
}

async function applyEntry(target: Target, body: Body): Promise<number> {
  const handler = HANDLERS[body.kind]
  const [project] = handler ? await findProjects(target.control, [body.project]) : []
  return handler && project?.database === target.database ? handler(target, project, body) : 0
}

async function eraseAgain(target: Target, project: ProjectRow, body: Body): Promise<number> {
  const { db, queue, secrets, setting } = target
  const entry = ErasureEntry.parse(body)
  const known = new Set(await findErased(db, project.id, entry.persons, entry.requested_at))
  const uuids = entry.persons.filter((uuid) => !known.has(uuid))
  if (uuids.length === 0) {
    return 0
  }
  const erased = await erasePersons(db, queue, project, {
    selection: { uuids },
    deleteEvents: entry.delete_events,
    deleteRecordings: entry.delete_recordings,
    actor: actorOf(entry),
    secret: receiptSecret(secrets),
    setting,
    ledger: undefined,
    now: new Date(entry.requested_at)
  })
  log('warn', 'erased again after a restore', { project: project.id, persons: erased.length })
  return erased.length
}

/** Deletes again what an erasure had kept. An entry that was applied before finds nothing to do. */
async function completeAgain(target: Target, project: ProjectRow, body: Body): Promise<number> {
  const { db, queue, setting } = target
  const entry = CompletionEntry.parse(body)
  const extent = { deleteEvents: entry.delete_events, deleteRecordings: entry.delete_recordings }
  const found = await completeErasures(db, queue, project, {
    named: { uuids: entry.persons },
    ...extent,
    actor: actorOf(entry),
    setting,
    ledger: undefined,
    now: new Date(entry.requested_at)
  })
  const completed = unfinished(found, extent).length
  if (completed > 0) {
    log('warn', 'completed again after a restore', { project: project.id, persons: completed })
  }
  return completed
}

/** Returns who has asked, as far as the ledger knows: it names nobody, but the first receipt does. */
const actorOf = ({ user, key }: { user: number; key: number }) => ({
  user: { id: user, first_name: '', email: '' },
  key: { id: key, label: '' }
})

/** Whether the ledger has old entries that the database has not applied. */
export async function isBehind(bucket: R2Bucket, applied: Head, now: Date): Promise<boolean> {
  const [next] = await readAfter(bucket, applied, 1)
  return next !== undefined && next.link.at <= now.getTime() - 2 * MIN_AGE
}
