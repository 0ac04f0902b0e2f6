import type { Db, Usage } from '../db/client.ts'
import { type Body, type Head, headOf } from '../ledger/entry.ts'
import { readIntact } from '../ledger/ledger.ts'
import { noteApplied, readApplied } from '../ledger/store.ts'
import { log } from '../log.ts'
import { deleteAgain as deletePropertyAgain, PropertyEntry } from '../persons/deletion.ts'
import { findKey, findProjects, findUser, type ProjectRow } from '../projects/store.ts'
import { isSpent } from '../queues/invocation.ts'
import type { Sender } from '../queues/send.ts'
import {
  deleteAgain as deleteRecordingAgain,
  expireAgain,
  RecordingEntry,
  RetentionEntry
} from '../recordings/deletion.ts'
import { completeErasures, unfinished } from './completions/complete.ts'
import type { CompletionSetting } from './completions/days.ts'
import { CompletionEntry, ErasureEntry, hashForLedger } from './entries.ts'
import { findPersonsToErase, type PersonToErase, type Selection } from './erase.store.ts'
import { erasePersons } from './erase.ts'
import type { ErasureMessage } from './message.ts'
import { RemovalEntry } from './removals/entry.ts'
import { requestAgain } from './removals/replay.ts'
import { findRemainingVisitors, findReturned } from './returned.ts'
import { receiptSecret } from './secret.ts'
import { findErasedAt } from './store.ts'
import { joinAgain, liftAgain, suppressAgain } from './suppressions/replay.ts'

/** Entries read at once: 100 gets of the bucket. */
const READ_AT_ONCE = 100

/** A database that may have been restored, and everything needed to erase again. */
export type Target = {
  db: Db
  /** The name of the database's binding. */
  database: string
  control: Db
  bucket: R2Bucket
  queue: Sender<ErasureMessage>
  secrets: { RECEIPT_SECRET?: string }
  setting: CompletionSetting
  /** The cost so far, in `db` and `control`. */
  usage: Usage
  /** The time up to which entries are replayed, ms UTC. */
  until: number
  /** Whether the database was restored. */
  isRestored: boolean
}

/**
 * Applies an entry again.
 * @returns the number of persons, recordings or other items that were erased again; 0 if the entry was applied already
 */
type Handler = (target: Target, project: ProjectRow, body: Body) => Promise<number>

/** The handler of each kind of entry. Kinds without one need nothing after a restore. */
const HANDLERS: Record<string, Handler> = {
  erasure: eraseAgain,
  completion: completeAgain,
  recording: ({ db, secrets }, _, body) =>
    deleteRecordingAgain(db, RecordingEntry.parse(body), receiptSecret(secrets)),
  retention: ({ db, until }, _, body) => expireAgain(db, RetentionEntry.parse(body), until),
  property: removePropertyAgain,
  event_removal: removeEventsAgain,
  suppression: ({ db, isRestored }, { id }, body) => suppressAgain(db, id, body, isRestored),
  suppression_join: ({ db }, { id }, body) => joinAgain(db, id, body),
  suppression_lift: ({ db }, { id }, body) => liftAgain(db, id, body)
}

/** The number of entries that were applied, and of persons, recordings or other items that were erased again. */
export type Replayed = {
  applied: number
  erased: number
  /** The last entry that the database has applied. */
  head: Head
  /** Whether nothing is left to apply; false when the invocation has reached its limits. */
  isDone: boolean
}

/**
 * Applies the entries of the ledger that the database has not applied. Normally these belong to recent requests and change
 * nothing; after a restore, they erase the restored data again. It may be interrupted anywhere.
 * @throws LedgerError when an entry is missing or damaged; the entries before it are applied
 */
export async function replayLedger(target: Target): Promise<Replayed> {
  const start = await readApplied(target.db)
  const projects = new Map<number, ProjectRow | undefined>()
  let head = start
  let erased = 0
  for (;;) {
    const entries = await readIntact(target.bucket, head, READ_AT_ONCE)
    const before = head
    for (const entry of entries) {
      if (entry.link.at > target.until || isSpent(target.usage)) {
        break
      }
      erased += await applyEntry(target, entry.body, projects)
      head = headOf(entry)
    }
    if (head.seq > before.seq) {
      await noteApplied(target.db, head)
    }
    const isCut = isSpent(target.usage)
    // No entry is left, or the next one is too young.
    const isEnd = entries.length === 0 || head.seq - before.seq < entries.length
    if (isCut || isEnd) {
      return { applied: head.seq - start.seq, erased, head, isDone: !isCut }
    }
  }
}

async function applyEntry(
  target: Target,
  body: Body,
  projects: Map<number, ProjectRow | undefined>
): Promise<number> {
  const handler = HANDLERS[body.kind]
  if (!handler) {
    return 0
  }
  if (!projects.has(body.project)) {
    const [found] = await findProjects(target.control, [body.project])
    projects.set(body.project, found)
  }
  const project = projects.get(body.project)
  // All databases share the ledger: an entry may be about another one.
  return project?.database === target.database ? handler(target, project, body) : 0
}

async function eraseAgain(target: Target, project: ProjectRow, body: Body): Promise<number> {
  const { db } = target
  const entry = ErasureEntry.parse(body)
  const known = new Set(await findErasedAt(db, project.id, entry.persons, entry.requested_at))
  const uuids = entry.persons.filter((uuid) => !known.has(uuid))
  if (uuids.length === 0) {
    return 0
  }
  // Read before they are erased: their distinct ids need no further search.
  const persons = await findPersonsToErase(db, project.id, { uuids })
  const visitors = await findRemainingVisitors(db, project, {
    uuids: new Map(Object.entries(entry.visitors ?? {}).filter(([, uuid]) => !known.has(uuid))),
    entry,
    secret: receiptSecret(target.secrets)
  })
  const erased = await eraseNamed(target, project, entry, { selection: { uuids }, visitors })
  return erased + (target.isRestored ? await eraseReturned(target, project, entry, persons) : 0)
}

/** Erases persons, and visitors without a person, as an entry says. @returns their number */
async function eraseNamed(
  target: Target,
  project: ProjectRow,
  entry: ErasureEntry,
  named: { selection: Selection; visitors?: ReadonlyMap<string, string> }
): Promise<number> {
  const { db, queue, secrets, setting } = target
  const erased = await erasePersons(db, queue, project, {
    ...named,
    deleteEvents: entry.delete_events,
    deleteRecordings: entry.delete_recordings,
    actor: await actorOf(target, entry),
    secret: { value: receiptSecret(secrets), since: 0 },
    setting,
    ledger: undefined,
    now: new Date(entry.requested_at)
  })
  log('warn', 'erased again after a restore', { project: project.id, persons: erased.length })
  return erased.length
}

/** Erases the persons who have distinct ids of an entry under other UUIDs, because they were merged only after the backup. */
async function eraseReturned(
  target: Target,
  project: ProjectRow,
  entry: ErasureEntry,
  named: PersonToErase[]
): Promise<number> {
  const secret = receiptSecret(target.secrets)
  const wanted = new Set(entry.ids)
  for (const { identities } of named) {
    for (const { distinctId } of identities) {
      wanted.delete(await hashForLedger(secret, project.id, distinctId))
    }
  }
  if (wanted.size === 0) {
    return 0
  }
  const ids = await findReturned(target.db, project, { hashes: wanted, entry, secret })
  return ids.length > 0 ? eraseNamed(target, project, entry, { selection: { ids } }) : 0
}

/** Deletes the kept data of erasures again. Does nothing if the database has applied the entry. */
async function completeAgain(target: Target, project: ProjectRow, body: Body): Promise<number> {
  const { db, queue, setting } = target
  const entry = CompletionEntry.parse(body)
  const extent = { deleteEvents: entry.delete_events, deleteRecordings: entry.delete_recordings }
  const found = await completeErasures(db, queue, project, {
    named: { uuids: entry.persons },
    ...extent,
    actor: await actorOf(target, entry),
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

async function removePropertyAgain(target: Target, _: ProjectRow, body: Body): Promise<number> {
  const entry = PropertyEntry.parse(body)
  const by = { actor: await actorOf(target, entry), secret: receiptSecret(target.secrets) }
  return deletePropertyAgain(target.db, entry, by)
}

async function removeEventsAgain(target: Target, _: ProjectRow, body: Body): Promise<number> {
  const entry = RemovalEntry.parse(body)
  return requestAgain(target.db, entry, await actorOf(target, entry))
}

/** Returns the user and the key of a request, without their names if they no longer exist. */
async function actorOf({ control }: Target, by: { user: number; key: number }) {
  const user = await findUser(control, by.user)
  const key = await findKey(control, by.key)
  return {
    user: { id: by.user, first_name: user?.firstName ?? '', email: user?.email ?? '' },
    key: { id: by.key, label: key?.label ?? '' }
  }
}
