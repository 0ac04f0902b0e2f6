import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk, expectRows, inJson } from '../../db/rows.ts'
import {
  distinctIds,
  erasedIdentities,
  erasures,
  persons,
  suppressedIds,
  suppressions
} from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { Actor, Entry } from '../../persons/activity/entry.ts'
import { activityStatements } from '../../persons/activity/store.ts'
import { raiseSerial } from '../../suppressions/store.ts'

export type SuppressionRow = typeof suppressions.$inferSelect & {
  /** The number of distinct ids. */
  distinctIds: number
}

/** An erased person, and the hashes of the distinct ids that it had. */
export type Erased = { uuid: string; hashes: string[] }

/** Finds erased persons by their UUIDs, or by the hash of one of their distinct ids. */
export async function findErased(
  db: Db,
  projectId: number,
  { uuids, hashes }: { uuids: string[]; hashes: string[] }
): Promise<Erased[]> {
  const [rows] = await readBatch(
    db,
    query<{ uuid: string; hash: string }>(sql`
      with ${sql.identifier('found')} as materialized (
        select ${erasures.id} as id, ${erasures.personUuid} as uuid from ${erasures}
        where ${erasures.projectId} = ${projectId} and ${erasures.personUuid} in ${inJson(uuids)}
        union
        select ${erasures.id}, ${erasures.personUuid} from ${erasedIdentities}
          cross join ${erasures} on ${erasures.id} = ${erasedIdentities.erasureId}
        where ${erasedIdentities.projectId} = ${projectId} and ${erasedIdentities.hash} in ${inJson(hashes)})
      select distinct found.uuid, ${erasedIdentities.hash} from found
        cross join ${erasedIdentities} on ${erasedIdentities.erasureId} = found.id
      where ${erasedIdentities.hash} <> ''`)
  )
  return [...Map.groupBy(rows, ({ uuid }) => uuid)].map(([uuid, own]) => ({
    uuid,
    hashes: own.map(({ hash }) => hash)
  }))
}

/** Lists which of these persons `$identify` can no longer fold into others. */
export async function findIdentified(db: Db, projectId: number, ids: number[]): Promise<number[]> {
  const rows = await db
    .select({ id: persons.id })
    .from(persons)
    .where(
      sql`+${persons.projectId} = ${projectId} and ${persons.id} in ${inJson(ids)} and ${persons.isIdentified}`
    )
  return rows.map(({ id }) => id)
}

/** A suppression to write. `person_id` is null for an erased person, and for a distinct id that no person has. */
export type NewSuppression = {
  id: string
  person: string | null
  person_id: number | null
  is_identified: boolean
  ids: { hash: string; receipt_hash: string | null }[]
}

type Writing = {
  suppressions: NewSuppression[]
  /** Persons, and the number of distinct ids that each must still have. */
  expected: { id: number; count: number }[]
  since: number
  actor: Actor
}

/**
 * Writes suppressions, unless they exist.
 * @throws ConflictError when a person has got or lost a distinct id since it was read
 */
export const writeSuppressions = (
  db: Db,
  projectId: number,
  { suppressions: fresh, expected, since, actor }: Writing
) =>
  writeBatch(db, [
    ...eachChunk(expected, (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as one where one.value ->> 'count' = (
          select count(*) from ${distinctIds} where ${distinctIds.personId} = one.value ->> 'id'
            and +${distinctIds.projectId} = ${projectId})`
      )
    ]),
    raiseSerial(projectId),
    ...eachChunk(
      fresh.map(({ ids: _, ...suppression }) => suppression),
      (rows) => [
        sql`${insertSelect(
          suppressions,
          {
            id: sql`value ->> 'id'`,
            projectId,
            personUuid: sql`value ->> 'person'`,
            personId: sql`value ->> 'person_id'`,
            isIdentified: sql`value ->> 'is_identified'`,
            since,
            requestedBy: JSON.stringify(actor)
          },
          sql`json_each(${rows}) where true`
        )} on conflict do nothing`
      ]
    ),
    ...insertIds(projectId, fresh, since),
    ...activityStatements(
      projectId,
      fresh.flatMap((one) => entryOf(one, 'suppressed', actor, since))
    )
  ])

/** Adds distinct ids to stored suppressions, unless they have them. */
export const extendSuppressions = (
  db: Db,
  projectId: number,
  extended: NewSuppression[],
  since: number
) =>
  writeBatch(db, [
    raiseSerial(projectId),
    ...insertIds(projectId, extended, since),
    ...eachChunk(
      extended.filter((one) => one.is_identified).map(({ id }) => id),
      (ids) => [
        updateFrom(suppressions, {
          set: { isIdentified: 1 },
          where: sql`${suppressions.id} in (select value from json_each(${ids}))
            and +${suppressions.projectId} = ${projectId}`
        })
      ]
    )
  ])

const insertIds = (projectId: number, added: NewSuppression[], since: number): SQL[] =>
  eachChunk(
    added.flatMap(({ id, ids }) => ids.map((one) => ({ suppression: id, ...one }))),
    (rows) => [
      sql`${insertSelect(
        suppressedIds,
        {
          projectId,
          hash: sql`value ->> 'hash'`,
          suppressionId: sql`value ->> 'suppression'`,
          receiptHash: sql`value ->> 'receipt_hash'`,
          since
        },
        sql`json_each(${rows}) where true`
      )} on conflict do nothing`
    ]
  )

type Noted = { person: string | null; person_id: number | null }

/** Returns the entry of the activity log about a suppressed person; none for a distinct id without a person. */
const entryOf = (
  { person, person_id: itemId }: Noted,
  activity: 'suppressed' | 'suppression_lifted',
  actor: Actor,
  at: number
): Entry[] =>
  itemId === null
    ? []
    : [{ scope: 'Person', itemId, activity, actor, detail: { name: person, changes: [] }, at }]

/** Lifts a suppression. @throws ConflictError unless it is in force */
export const writeLift = (
  db: Db,
  {
    id,
    projectId,
    personUuid,
    personId
  }: Pick<SuppressionRow, 'id' | 'projectId' | 'personUuid' | 'personId'>,
  { actor, at }: { actor: Actor; at: number }
) =>
  writeBatch(db, [
    expectRows(
      1,
      sql`${suppressions} where ${suppressions.id} = ${id} and ${suppressions.liftedAt} is null`
    ),
    raiseSerial(projectId),
    updateFrom(suppressions, {
      set: { liftedAt: at, liftedBy: JSON.stringify(actor) },
      where: sql`${suppressions.id} = ${id} and +${suppressions.projectId} = ${projectId}`
    }),
    ...activityStatements(
      projectId,
      entryOf({ person: personUuid, person_id: personId }, 'suppression_lifted', actor, at)
    )
  ])

export type SuppressionFilters = {
  status: 'all' | 'in_force' | 'lifted'
  /** The hash of a distinct id. */
  hash?: string | undefined
}

const columns = {
  id: suppressions.id,
  projectId: suppressions.projectId,
  personUuid: suppressions.personUuid,
  personId: suppressions.personId,
  isIdentified: suppressions.isIdentified,
  since: suppressions.since,
  requestedBy: suppressions.requestedBy,
  liftedAt: suppressions.liftedAt,
  liftedBy: suppressions.liftedBy,
  events: suppressions.events,
  recordingParts: suppressions.recordingParts,
  lastDroppedAt: suppressions.lastDroppedAt,
  distinctIds: sql<number>`(select count(*) from ${suppressedIds}
    where ${suppressedIds.suppressionId} = ${suppressions.id})`
}

/** Lists suppressions, newest first, with ids below `before`. Counts all that match. */
export async function listSuppressions(
  db: Db,
  projectId: number,
  filters: SuppressionFilters,
  page: { limit: number; offset: number; before?: string | undefined }
): Promise<{ rows: SuppressionRow[]; count: number }> {
  const matching = and(eq(suppressions.projectId, projectId), conditionOf(projectId, filters))
  const before = page.before === undefined ? undefined : lt(suppressions.id, page.before)
  const [rows, count] = await Promise.all([
    db
      .select(columns)
      .from(suppressions)
      .where(and(matching, before))
      .orderBy(desc(suppressions.id))
      .limit(page.limit)
      .offset(page.offset),
    db.$count(suppressions, matching)
  ])
  return { rows, count }
}

function conditionOf(projectId: number, { status, hash }: SuppressionFilters): SQL | undefined {
  const has =
    hash === undefined
      ? undefined
      : sql`${suppressions.id} in (select ${suppressedIds.suppressionId} from ${suppressedIds}
          where ${suppressedIds.projectId} = ${projectId} and ${suppressedIds.hash} = ${hash})`
  if (status === 'all') {
    return has
  }
  const { liftedAt } = suppressions
  return and(has, status === 'lifted' ? isNotNull(liftedAt) : isNull(liftedAt))
}

/** Finds a suppression of a project. */
export async function findSuppression(
  db: Db,
  projectId: number,
  id: string
): Promise<SuppressionRow | undefined> {
  const [row] = await db
    .select(columns)
    .from(suppressions)
    .where(and(eq(suppressions.id, id), eq(suppressions.projectId, projectId)))
  return row
}

/** Lists, for a suppression's receipt, the hashes of the distinct ids whose text was known at the request. */
export async function listReceiptHashes(
  db: Db,
  { id, projectId }: Pick<SuppressionRow, 'id' | 'projectId'>
): Promise<string[]> {
  const rows = await db
    .select({ hash: suppressedIds.receiptHash })
    .from(suppressedIds)
    .where(
      sql`${suppressedIds.suppressionId} = ${id} and +${suppressedIds.projectId} = ${projectId}
        and ${suppressedIds.receiptHash} is not null`
    )
  return rows.flatMap(({ hash }) => hash ?? []).toSorted()
}

/** Reads the hashes of the distinct ids of suppressions, by the id of the suppression. */
export async function findStoredHashes(
  db: Db,
  projectId: number,
  ids: string[]
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await db
    .select({ id: suppressedIds.suppressionId, hash: suppressedIds.hash })
    .from(suppressedIds)
    .where(
      sql`${suppressedIds.suppressionId} in ${inJson(ids)} and +${suppressedIds.projectId} = ${projectId}`
    )
  const bySuppression = Map.groupBy(rows, ({ id }) => id)
  return new Map(
    [...bySuppression].map(([id, own]) => [id, new Set(own.map(({ hash }) => hash))] as const)
  )
}
