import * as z from 'zod'
import { ACCESS_LOG_PREFIX } from '../../access-log/entry.ts'
import { nameOf } from '../../access-log/lines.ts'
import { DAY } from '../../calendar/units.ts'
import { SALT_BYTES, SALT_PREFIX } from '../../capture/cookieless/salts.ts'
import { CaptureMessage } from '../../capture/message.ts'
import type { ControlDb, Db } from '../../db/client.ts'
import { DEAD_PREFIX } from '../../dead-letters/park.ts'
import { LISTS_PREFIX } from '../../erasures/events/list.ts'
import { fingerprintOf } from '../../erasures/receipts/check.ts'
import { KEYS_PREFIX, StoredKey } from '../../erasures/receipts/keys.ts'
import { ENTRIES_PREFIX } from '../../ledger/entry.ts'
import { FINGERPRINTS_PREFIX, Fingerprint } from '../../ledger/fingerprint.ts'
import { GIVEN_UP_PREFIX } from '../../ledger/given-up.ts'
import { DeadMessage } from '../../queues/failure.ts'
import { MARKER_PREFIX, SPILL_PREFIX } from '../../queues/waiting-objects.ts'
import { RECORDINGS_PREFIX, RecordingPart } from '../../recordings/part.ts'
import { QUEUED_DAYS } from '../../recordings/sweep.ts'
import { findDeadObjects, findParts, findRemovals } from './verify.store.ts'

/** What tells whether an object is named. */
export type Names = {
  control: ControlDb
  /** The database of each project, by the project's id. */
  databaseOf: ReadonlyMap<number, Db>
  /** ms UTC */
  now: number
}

/** Objects whose keys begin alike. */
export type ObjectKind = {
  /** Whether the service has written the content; without it, checked elsewhere. */
  isIntact?: (content: Uint8Array, key: string) => boolean | Promise<boolean>
  /** Returns the keys of the objects that nothing names. Without it, the objects need no name. */
  findUnnamed?: (names: Names, objects: readonly R2Object[]) => Promise<string[]>
}

/** The kinds of objects, by the beginning of their keys. */
export const OBJECT_KINDS: Record<string, ObjectKind> = {
  // The walk of the ledger checks its entries; lists and parts of recordings are compared with
  // their rows.
  [ENTRIES_PREFIX]: {},
  [GIVEN_UP_PREFIX]: {},
  [LISTS_PREFIX]: { findUnnamed: findUnnamedLists },
  [KEYS_PREFIX]: { isIntact: isKey },
  [FINGERPRINTS_PREFIX]: { isIntact: isJsonOf(Fingerprint) },
  [RECORDINGS_PREFIX]: { findUnnamed: findUnnamedParts },
  [SPILL_PREFIX]: { isIntact: isJsonOf(CaptureMessage) },
  [MARKER_PREFIX]: { isIntact: isJsonOf(RecordingPart) },
  [DEAD_PREFIX]: { isIntact: isJsonOf(DeadMessage), findUnnamed: findUnnamedDead },
  [SALT_PREFIX]: { isIntact: ({ length }) => length === SALT_BYTES },
  [ACCESS_LOG_PREFIX]: { isIntact: isAccessLog },
  'marks/': { isIntact: isJsonOf(z.unknown()) },
  'sweeps/': { isIntact: isJsonOf(z.unknown()) }
}

/** Returns the prefix of an object's kind; undefined for an object of no kind. */
export const prefixOfKind = (key: string): string | undefined =>
  Object.keys(OBJECT_KINDS).find((prefix) => key.startsWith(prefix))

function isJsonOf(schema: z.ZodType) {
  return (content: Uint8Array): boolean => {
    try {
      return schema.safeParse(JSON.parse(new TextDecoder().decode(content))).success
    } catch {
      return false
    }
  }
}

/** The name of an object with entries is the hash of its content. */
function isAccessLog(content: Uint8Array, key: string): boolean {
  return key.endsWith(`/${nameOf(new TextDecoder().decode(content))}`)
}

async function isKey(content: Uint8Array, key: string): Promise<boolean> {
  if (!isJsonOf(StoredKey)(content)) {
    return false
  }
  const { x } = StoredKey.parse(JSON.parse(new TextDecoder().decode(content)))
  return (await fingerprintOf(x)) === key.slice(KEYS_PREFIX.length)
}

async function findUnnamedDead(
  { control }: Names,
  objects: readonly R2Object[]
): Promise<string[]> {
  const keys = objects.map(({ key }) => key)
  const named = await findDeadObjects(control, keys)
  return keys.filter((key) => !named.has(key))
}

/** Finds lists without a row: the request failed, or the database is behind the ledger. */
function findUnnamedLists(names: Names, objects: readonly R2Object[]): Promise<string[]> {
  return findUnnamedIn(names, objects, {
    nameOf: ([, id = '']) => id.replace('.json', ''),
    findNamed: (db, _, ids) => findRemovals(db, ids)
  })
}

/** Finds parts without a row, except young ones, whose message may be in a queue. */
function findUnnamedParts(names: Names, objects: readonly R2Object[]): Promise<string[]> {
  const settled = names.now - QUEUED_DAYS * DAY
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < settled)
  return findUnnamedIn(names, old, {
    nameOf: ([, session, part = '']) => `${session}/${part.replace('.jsonl.gz', '')}`,
    findNamed: (db, project, parts) =>
      findParts(db, project, [...new Set(parts.map((name) => name.split('/')[0] ?? ''))])
  })
}

/**
 * Finds objects whose key has a project's id and a name that the project's database does not have.
 * @param nameOf returns the name, from the parts of the key that follow the prefix, the first of
 * which is the project's id
 */
async function findUnnamedIn(
  { databaseOf }: Names,
  objects: readonly R2Object[],
  {
    nameOf,
    findNamed
  }: {
    nameOf: (path: string[]) => string
    findNamed: (db: Db, projectId: number, names: string[]) => Promise<Set<string>>
  }
): Promise<string[]> {
  const entries = objects.map(({ key }) => {
    const path = key.slice(prefixOfKind(key)?.length).split('/')
    return { key, project: Number(path[0]), name: nameOf(path) }
  })
  const unnamed: string[] = []
  for (const [project, own] of Map.groupBy(entries, (entry) => entry.project)) {
    const db = databaseOf.get(project)
    const names = own.map(({ name }) => name)
    const named = db ? await findNamed(db, project, names) : new Set<string>()
    unnamed.push(...own.filter(({ name }) => !named.has(name)).map(({ key }) => key))
  }
  return unnamed
}
