import { v7 as uuidv7 } from 'uuid'
import { findSuppressed } from '../../barred/suppressions/store.ts'
import { type Suppressed, suppressionAt } from '../../barred/suppressions/suppression.ts'
import { hashDistinctId } from '../../barred/tombstones/tombstone.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { OwnSecret } from '../../ledger/secret.ts'
import { type Actor, idsOfActor } from '../../persons/activity/entry.ts'
import { findPersonsToErase, type Selection } from '../persons/erase.store.ts'
import { hashForReceipt, saltOf } from '../receipts/subject.ts'
import { findErased, findIdentified, findSuppression, type SuppressionRow } from './store.ts'
import { type NewSuppression, writeLift, writeSuppressions } from './write.store.ts'

type Project = { id: number; erasureSalt: string }

/** Somebody to suppress: a person, an erased person, or a distinct id that no person has. */
type Subject = {
  /** The names by which the request may refer to the subject. */
  names: string[]
  person: string | null
  personId: number | null
  /** The distinct ids; `name` is null if only the hash is known. */
  ids: { hash: string; name: string | null }[]
}

/**
 * A new suppression of a subject, with what the ledger needs to announce it. `inForce` are the
 * suppressions that were in force for some of the subject's distinct ids before.
 */
type Announcement = { subject: Subject; suppression: NewSuppression; inForce: string[] }

/**
 * The result for a name of a subject. With `isNew`, `suppressions` has the suppression that this
 * request made, otherwise all that covered the subject before.
 */
export type Result = { name: string; isNew: boolean; person: string | null; suppressions: string[] }

type Request = {
  selection: Selection
  actor: Actor
  /** The secret from which the salts of receipts are made. */
  secret: OwnSecret
  ledger: Ledger
  now: Date
}

/**
 * Suppresses persons with all their distinct ids: their data received from now on is dropped. A
 * distinct id that no person has is suppressed by itself. Persons whose distinct ids are all
 * suppressed already get no further suppression.
 * @returns the result for each name of a subject
 */
export async function suppress(
  db: Db,
  project: Project,
  { selection, actor, secret, ledger, now }: Request
): Promise<Result[]> {
  const since = now.getTime()
  // The suppressions announced so far, by the `keyOf` of their subjects. After a restore, the
  // replay writes whatever an entry announces, so a retry after a conflict writes it too, and can
  // only add to it.
  let announced: ReadonlyMap<string, Announcement> = new Map()
  return retryConflicts(async () => {
    const subjects = await findSubjects(db, project, selection)
    const inForce = await findInForce(db, project.id, subjects, since)
    const missing = subjects.filter(({ ids }) => ids.some(({ hash }) => !inForce.has(hash)))
    const making = { secret: secret.value, projectId: project.id, since, inForce }
    const added = await findUnannounced(db, missing, announced, making)
    if (added.length > 0) {
      await ledger.append(
        {
          kind: 'suppression',
          project: project.id,
          suppressions: added.map(({ suppression, inForce }) => ({
            ...suppression,
            in_force: inForce
          })),
          since,
          ...idsOfActor(actor)
        },
        since
      )
      const byKey = added.map((one) => [keyOf(one.subject), one] as const)
      announced = new Map([...announced, ...byKey])
    }
    const fresh = [...announced.values()]
    if (fresh.length > 0) {
      const suppressions = fresh.map(({ suppression }) => suppression)
      const expected = missing.flatMap(({ personId, ids }) =>
        personId === null ? [] : [{ id: personId, count: ids.length }]
      )
      await writeSuppressions(db, project.id, { suppressions, expected, since, actor })
    }
    const covered = subjects.filter((subject) => !announced.has(keyOf(subject)))
    return [...fresh.flatMap(newResults), ...covered.flatMap((one) => presentResults(one, inForce))]
  })
}

/** Returns what identifies a subject in each try: the person, or the hash of the distinct id. */
const keyOf = ({ person, ids }: Subject): string => person ?? ids.map(({ hash }) => hash).join()

/** The suppressions in force for distinct ids, by the hash of the id. */
type InForce = ReadonlyMap<string, Suppressed[]>

type Making = { secret: string; projectId: number; since: number; inForce: InForce }

/**
 * Returns the suppressions that the ledger does not announce yet, or not with all distinct ids that
 * the subjects have now. An announced suppression keeps its id and its distinct ids.
 */
async function findUnannounced(
  db: Db,
  subjects: Subject[],
  announced: ReadonlyMap<string, Announcement>,
  making: Making
): Promise<Announcement[]> {
  if (subjects.length === 0) {
    return []
  }
  const persons = subjects.flatMap(({ personId }) => personId ?? [])
  const identified = new Set(await findIdentified(db, making.projectId, persons))
  const all = await Promise.all(
    subjects.map(async (subject) => {
      const before = announced.get(keyOf(subject))
      const hashes = new Set(before?.suppression.ids.map(({ hash }) => hash))
      if (subject.ids.every(({ hash }) => hashes.has(hash))) {
        return []
      }
      const isIdentified = subject.personId !== null && identified.has(subject.personId)
      const id = before?.suppression.id ?? uuidv7({ msecs: making.since })
      const suppression = await newSuppression(subject, { ...making, id, isIdentified })
      const fresh = { subject, suppression, inForce: coveringOf(subject, making.inForce) }
      return [before ? extend(before, fresh) : fresh]
    })
  )
  return all.flat()
}

/** Adds to an announced suppression what its subject has got meanwhile. */
function extend(
  before: Announcement,
  { subject, suppression, inForce }: Announcement
): Announcement {
  const hashes = new Set(before.suppression.ids.map(({ hash }) => hash))
  const more = suppression.ids.filter(({ hash }) => !hashes.has(hash))
  return {
    subject: {
      ...before.subject,
      names: [...new Set([...before.subject.names, ...subject.names])]
    },
    suppression: {
      ...before.suppression,
      is_identified: before.suppression.is_identified || suppression.is_identified,
      ids: [...before.suppression.ids, ...more]
    },
    inForce
  }
}

/** Finds the subjects of a selection. An erased person is found by its tombstones. */
async function findSubjects(db: Db, project: Project, selection: Selection): Promise<Subject[]> {
  const living = await findLiving(db, project, selection)
  const found = new Set(living.flatMap(({ names }) => names))
  const rest = {
    uuids: (selection.uuids ?? []).filter((uuid) => !found.has(uuid)),
    ids: hashAll(project, new Set(selection.distinctIds ?? []).difference(found))
  }
  const hashes = rest.ids.map(({ hash }) => hash)
  const erased = await findErased(db, project.id, { uuids: rest.uuids, hashes })
  const gone = erased.map((person): Subject => {
    const named = rest.ids.filter(({ hash }) => person.hashes.includes(hash))
    const names = new Map(named.map(({ hash, name }) => [hash, name]))
    return {
      names: selection.distinctIds ? [...names.values()] : [person.uuid],
      person: person.uuid,
      personId: null,
      ids: person.hashes.map((hash) => ({ hash, name: names.get(hash) ?? null }))
    }
  })
  const covered = new Set(gone.flatMap(({ names }) => names))
  const unknown = rest.ids
    .filter(({ name }) => !covered.has(name))
    .map((id): Subject => ({ names: [id.name], person: null, personId: null, ids: [id] }))
  return [...living, ...gone, ...unknown]
}

async function findLiving(db: Db, project: Project, selection: Selection): Promise<Subject[]> {
  const persons = await findPersonsToErase(db, project.id, selection)
  return persons.map(({ id, uuid, identities }) => {
    const distinctIds = identities.map(({ distinctId }) => distinctId)
    return {
      names: selection.distinctIds ? distinctIds : [String(id), uuid],
      person: uuid,
      personId: id,
      ids: hashAll(project, distinctIds)
    }
  })
}

const hashAll = (project: Project, distinctIds: Iterable<string>) =>
  [...distinctIds].map((name) => ({
    hash: hashDistinctId(project.erasureSalt, project.id, name),
    name
  }))

/** Returns the suppressions in force for each suppressed distinct id of the subjects, by hash. */
async function findInForce(
  db: Db,
  projectId: number,
  subjects: Subject[],
  now: number
): Promise<InForce> {
  const hashes = subjects.flatMap(({ ids }) => ids.map(({ hash }) => hash))
  const found = await findSuppressed({ db, project: { id: projectId } }, hashes)
  const byHash = [...Map.groupBy(found, ({ hash }) => hash)]
  return new Map(
    byHash.flatMap(([hash, own]) => {
      const suppressed = own.filter((one) => suppressionAt([one], now) !== undefined)
      return suppressed.length > 0 ? [[hash, suppressed]] : []
    })
  )
}

/** Returns the ids of the suppressions in force that cover a distinct id of a subject. */
function coveringOf({ ids }: Subject, inForce: InForce): string[] {
  const covering = ids.flatMap(({ hash }) => inForce.get(hash) ?? [])
  return [...new Set(covering.map(({ suppressionId }) => suppressionId))]
}

async function newSuppression(
  { person, personId, ids }: Subject,
  { id, secret, projectId, isIdentified, since }: Making & { id: string; isIdentified: boolean }
): Promise<NewSuppression> {
  const salt = await saltOf(secret, { projectId, subjectId: id, requestedAt: since })
  return {
    id,
    person,
    person_id: personId,
    is_identified: isIdentified,
    ids: await Promise.all(
      ids.map(async ({ hash, name }) => ({
        hash,
        receipt_hash: name === null ? null : hashForReceipt(salt, name)
      }))
    )
  }
}

const newResults = ({ subject: { names, person }, suppression }: Announcement): Result[] =>
  names.map((name) => ({ name, isNew: true, person, suppressions: [suppression.id] }))

function presentResults(subject: Subject, inForce: InForce): Result[] {
  const { names, person } = subject
  const suppressions = coveringOf(subject, inForce)
  return names.map((name) => ({ name, isNew: false, person, suppressions }))
}

type Lift = { actor: Actor; ledger: Ledger; now: Date }

/**
 * Lifts a suppression. A suppression that is lifted already stays as it is.
 * @returns the suppression as it is now
 */
export async function lift(
  db: Db,
  row: SuppressionRow,
  { actor, ledger, now }: Lift
): Promise<SuppressionRow> {
  if (row.liftedAt !== null) {
    return row
  }
  const at = now.getTime()
  await ledger.append(
    {
      kind: 'suppression_lift',
      project: row.projectId,
      suppression: row.id,
      lifted_at: at,
      ...idsOfActor(actor)
    },
    at
  )
  return retryConflicts(async () => {
    const current = await findSuppression(db, row.projectId, row.id)
    if (!current || current.liftedAt !== null) {
      return current ?? row
    }
    await writeLift(db, current, { actor, at })
    return { ...current, liftedAt: at, liftedBy: actor }
  })
}
