import { findKey, findProjects, findUser, type ProjectRow } from '../../access/store.ts'
import type { ControlDb, Db, Usage } from '../../db/client.ts'
import { type Announced, type Entry, type Head, headOf, readBody } from '../../ledger/entry.ts'
import { readIntact } from '../../ledger/ledger.ts'
import { receiptSecret } from '../../ledger/secret.ts'
import { noteApplied, readApplied } from '../../ledger/store.ts'
import { log } from '../../log.ts'
import type { Actor } from '../../persons/activity/entry.ts'
import { PropertyEntry } from '../../persons/change.ts'
import { removePropertyAgain } from '../../persons/deletion.ts'
import { isSpent } from '../../queues/invocation.ts'
import type { Sender } from '../../queues/send.ts'
import { expireAgain, removeRecordingAgain } from '../../recordings/deletion.ts'
import { RecordingEntry, RetentionEntry } from '../../recordings/entries.ts'
import type { ErasureMessage } from '../engine/message.ts'
import { findErasedAt } from '../engine/store.ts'
import { CompletionEntry, ErasureEntry, hashForLedger } from '../entries.ts'
import { RemovalEntry } from '../events/entry.ts'
import { requestAgain } from '../events/replay.ts'
import { extentOf } from '../extent.ts'
import type { CompletionSetting } from '../kept-data/days.ts'
import { eraseKept, unfinished } from '../kept-data/erase-kept.ts'
import type { PersonToErase } from '../persons/erase.store.ts'
import { type ErasureRequest, erasePersons } from '../persons/erase.ts'
import { joinAgain, liftAgain, suppressAgain } from '../suppressions/replay.ts'
import { findRemainingVisitors, findReturned } from './restored-persons.ts'

/** Entries read at once: 100 gets of the bucket. */
const READ_AT_ONCE = 100

/** Entries of erasures repeated in one transaction: about 120 statements. */
const ERASURES_AT_ONCE = 10

/** Persons and distinct ids that these entries have together, unless a single one has more. */
const NAMED_AT_ONCE = 200

/** A database that may have been restored, and everything needed to erase again. */
export type Target = {
  db: Db
  /** The name of the database's binding. */
  database: string
  control: ControlDb
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

/** A target, with what has been read from the control database for it. */
type Replay = Target & {
  projects: Map<number, ProjectRow | undefined>
  /** The actors by their user and key. */
  actors: Map<string, NonNullable<Actor>>
}

/**
 * Applies the entries of a group again.
 * @returns the number of persons, recordings or other items that were erased again; 0 if the
 * entries were applied already
 */
type Handler = (
  replay: Replay,
  project: ProjectRow,
  bodies: readonly Announced[]
) => Promise<number>

/** Makes a handler of entries that are never grouped. */
const single =
  (handle: (replay: Replay, project: ProjectRow, body: Announced) => Promise<number>): Handler =>
  async (replay, project, [body]) =>
    body ? handle(replay, project, body) : 0

/** The handler of each kind of entry. Kinds without one need nothing after a restore. */
const HANDLERS: Record<string, Handler> = {
  erasure: eraseAgain,
  completion: single(completeAgain),
  recording: single(({ db, secrets }, _, body) =>
    removeRecordingAgain(db, readBody(RecordingEntry, body), receiptSecret(secrets))
  ),
  retention: single(({ db, until }, _, body) =>
    expireAgain(db, readBody(RetentionEntry, body), until)
  ),
  property: single(erasePropertyAgain),
  event_removal: single(removeEventsAgain),
  suppression: single(({ db, isRestored }, { id }, body) =>
    suppressAgain(db, id, body, isRestored)
  ),
  suppression_join: single(({ db }, { id }, body) => joinAgain(db, id, body)),
  suppression_lift: single(({ db }, { id }, body) => liftAgain(db, id, body))
}

/** The numbers of entries that were applied, and of items that were erased again. */
export type Replayed = {
  applied: number
  erased: number
  /** The last entry that the database has applied. */
  head: Head
  /** Whether nothing is left to apply; false when the invocation has reached its limits. */
  isDone: boolean
}

/**
 * Applies the entries of the ledger that the database has not applied. Normally these belong to
 * recent requests and change nothing; after a restore, they erase the restored data again. It may
 * be interrupted anywhere.
 * @throws LedgerError when an entry is missing or damaged; the entries before it are applied
 */
export async function replayLedger(target: Target): Promise<Replayed> {
  const start = await readApplied(target.db)
  const replay = { ...target, projects: new Map(), actors: new Map() }
  let head = start
  let erased = 0
  for (;;) {
    const entries = await readIntact(target.bucket, head, READ_AT_ONCE)
    const before = head
    for (const group of groupEntries(entries, target.until)) {
      const last = group.at(-1)
      if (!last || isSpent(target.usage)) {
        break
      }
      erased += await applyGroup(replay, group)
      head = headOf(last)
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

/**
 * Groups the entries up to a time, ms UTC, in their order. Consecutive erasures in one project are
 * a group of at most `ERASURES_AT_ONCE` if they have no person and no distinct id in common; every
 * other entry begins a group of its own. Entries without a handler, such as the receipts between
 * erasures, do nothing, so they belong to the group before them.
 */
export function groupEntries(entries: readonly Entry[], until: number): Entry[][] {
  const groups: Entry[][] = []
  let named = new Set<string>()
  for (const entry of entries) {
    if (entry.link.at > until) {
      break
    }
    const last = groups.at(-1)
    if (last && !HANDLERS[entry.body.kind]) {
      last.push(entry)
      continue
    }
    const names = namesIn(entry)
    const isJoined =
      last?.[0]?.body.project === entry.body.project &&
      handledIn(last).length < ERASURES_AT_ONCE &&
      named.size + names.length <= NAMED_AT_ONCE &&
      names.length > 0 &&
      named.size > 0 &&
      !names.some((name) => named.has(name))
    if (isJoined) {
      last.push(entry)
    } else {
      groups.push([entry])
      named = new Set()
    }
    for (const name of names) {
      named.add(name)
    }
  }
  return groups
}

const handledIn = (group: readonly Entry[]): Announced[] =>
  group.map(({ body }) => body).filter(({ kind }) => HANDLERS[kind])

/** Returns the persons and hashes of an erasure; nothing for other entries. */
function namesIn({ body }: Entry): string[] {
  const { data: erasure } = ErasureEntry.safeParse(body)
  return erasure ? [...erasure.persons, ...erasure.ids] : []
}

/** Applies the entries of a group again, or none. */
async function applyGroup(replay: Replay, group: readonly Entry[]): Promise<number> {
  const bodies = handledIn(group)
  const [body] = bodies
  const handler = body && HANDLERS[body.kind]
  if (!handler) {
    return 0
  }
  if (!replay.projects.has(body.project)) {
    const [found] = await findProjects(replay.control, [body.project])
    replay.projects.set(body.project, found)
  }
  const project = replay.projects.get(body.project)
  // All databases share the ledger: an entry may be about another one.
  return project?.database === replay.database ? handler(replay, project, bodies) : 0
}

/** Applies erasures of different persons again. @returns the number of persons */
async function eraseAgain(
  replay: Replay,
  project: ProjectRow,
  bodies: readonly Announced[]
): Promise<number> {
  const { db, isRestored } = replay
  const entries = bodies.map((body) => readBody(ErasureEntry, body))
  const erasedAt = await findErasedAt(
    db,
    project.id,
    entries.flatMap(({ persons }) => persons)
  )
  const known = new Set(erasedAt.map(({ uuid, requestedAt }) => `${uuid} ${requestedAt}`))
  const open = entries
    .map((entry) => ({
      entry,
      uuids: entry.persons.filter((uuid) => !known.has(`${uuid} ${entry.requested_at}`))
    }))
    .filter(({ uuids }) => uuids.length > 0)
  if (open.length === 0) {
    return 0
  }
  const named: Named[] = []
  for (const { entry, uuids } of open) {
    const visitors = await findRemainingVisitors(db, project, {
      uuids: new Map(
        Object.entries(entry.visitors ?? {}).filter(([, uuid]) => uuids.includes(uuid))
      ),
      entry,
      secret: receiptSecret(replay.secrets)
    })
    named.push({ entry, selection: { uuids }, visitors })
  }
  const persons = await eraseNamed(replay, project, named)
  let returned = 0
  if (isRestored) {
    for (const { entry, uuids } of open) {
      // Their distinct ids need no further search.
      const own = persons.filter(({ uuid }) => uuids.includes(uuid))
      returned += await eraseReturned(replay, project, entry, own)
    }
  }
  return persons.length + returned
}

/** The persons, and the visitors without a person, that an entry says to erase. */
type Named = { entry: Announced<ErasureEntry> } & Pick<ErasureRequest, 'selection' | 'visitors'>

/** Erases whom entries name. @returns the persons and visitors that existed */
async function eraseNamed(
  replay: Replay,
  project: ProjectRow,
  named: readonly Named[]
): Promise<PersonToErase[]> {
  const { db, queue, secrets, setting } = replay
  const requests: ErasureRequest[] = []
  for (const { entry, ...who } of named) {
    requests.push({
      ...who,
      ...extentOf(entry),
      actor: await actorOf(replay, entry),
      announce: async () => entry,
      now: new Date(entry.requested_at)
    })
  }
  const settings = { secret: receiptSecret(secrets), setting }
  const erased = await erasePersons(db, queue, project, requests, settings)
  log('warn', 'erased again after a restore', { project: project.id, persons: erased.length })
  return erased
}

/** Erases persons with ids of an entry who were merged only after the backup. */
async function eraseReturned(
  replay: Replay,
  project: ProjectRow,
  entry: Announced<ErasureEntry>,
  erased: PersonToErase[]
): Promise<number> {
  const secret = receiptSecret(replay.secrets)
  const wanted = new Set(entry.ids)
  for (const { identities } of erased) {
    for (const { distinctId } of identities) {
      wanted.delete(await hashForLedger(secret, project.id, distinctId))
    }
  }
  if (wanted.size === 0) {
    return 0
  }
  const ids = await findReturned(replay.db, project, { hashes: wanted, entry, secret })
  if (ids.length === 0) {
    return 0
  }
  return (await eraseNamed(replay, project, [{ entry, selection: { ids } }])).length
}

/** Deletes the kept data of erasures again. Does nothing if the database has applied the entry. */
async function completeAgain(
  replay: Replay,
  project: ProjectRow,
  body: Announced
): Promise<number> {
  const { db, queue, setting } = replay
  const entry = readBody(CompletionEntry, body)
  const extent = extentOf(entry)
  const found = await eraseKept(db, queue, project, {
    named: { uuids: entry.persons },
    ...extent,
    actor: await actorOf(replay, entry),
    setting,
    announce: async () => entry,
    now: new Date(entry.requested_at)
  })
  const completed = unfinished(found, extent).length
  if (completed > 0) {
    log('warn', 'completed again after a restore', { project: project.id, persons: completed })
  }
  return completed
}

async function erasePropertyAgain(replay: Replay, _: ProjectRow, body: Announced): Promise<number> {
  const entry = readBody(PropertyEntry, body)
  const by = { actor: await actorOf(replay, entry), secret: receiptSecret(replay.secrets) }
  return removePropertyAgain(replay.db, entry, by)
}

async function removeEventsAgain(replay: Replay, _: ProjectRow, body: Announced): Promise<number> {
  const entry = readBody(RemovalEntry, body)
  return requestAgain(replay.db, entry, await actorOf(replay, entry))
}

/** Returns the user and the key of a request, without their names if they no longer exist. */
async function actorOf({ control, actors }: Replay, by: { user: number; key: number }) {
  const name = `${by.user} ${by.key}`
  const actor = actors.get(name) ?? (await readActor(control, by))
  actors.set(name, actor)
  return actor
}

async function readActor(
  control: ControlDb,
  by: { user: number; key: number }
): Promise<NonNullable<Actor>> {
  const user = await findUser(control, by.user)
  const key = await findKey(control, by.key)
  return {
    user: { id: by.user, first_name: user?.firstName ?? '', email: user?.email ?? '' },
    key: { id: by.key, label: key?.label ?? '' }
  }
}
