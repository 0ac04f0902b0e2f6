import { and, desc, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { inJson } from '../../db/rows.ts'
import {
  erasedIdentities,
  erasures,
  persons,
  suppressedIds,
  suppressions
} from '../../db/schema.ts'

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

/** Lists the hashes of the distinct ids whose text was known at the request. */
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
