import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Scope } from '../../access/open.ts'
import { writeBatch } from '../../db/batch.ts'
import { eachChunk, expectRows, inJson } from '../../db/rows.ts'
import { counters, erasedIdentities, erasures, guard } from '../../db/schema.ts'
import { assign, bare, excluded, list, updateFrom } from '../../db/statements.ts'
import type { Tombstone } from './tombstone.ts'

type HashedTombstone = Tombstone & { hash: string }

/** Finds the tombstones with these hashes. */
export const findTombstones = (scope: Scope, hashes: string[]): Promise<HashedTombstone[]> =>
  findByHash(scope, inJson(hashes))

/** Finds all tombstones of the distinct ids that these erasures have erased. */
export const findTombstonesOf = (
  scope: Scope,
  erasureIds: number[]
): Promise<HashedTombstone[]> => {
  const own = alias(erasedIdentities, 'own')
  return findByHash(
    scope,
    sql`(select ${own.hash} from ${erasedIdentities} ${own} where ${own.erasureId} in ${inJson(erasureIds)})`
  )
}

async function findByHash({ db, project }: Scope, hashes: SQL): Promise<HashedTombstone[]> {
  const rows = await db
    .select({
      hash: erasedIdentities.hash,
      key: erasedIdentities.key,
      erasureId: erasedIdentities.erasureId,
      erasedAt: erasedIdentities.erasedAt,
      status: erasures.status,
      deletesEvents: erasures.deleteEvents,
      deletesRecordings: erasures.deleteRecordings
    })
    .from(erasedIdentities)
    .innerJoin(erasures, eq(erasures.id, erasedIdentities.erasureId))
    .where(
      and(eq(erasedIdentities.projectId, project.id), sql`${erasedIdentities.hash} in ${hashes}`)
    )
  return rows.map(({ status, ...tombstone }) => ({
    ...tombstone,
    isOpen: tombstone.deletesEvents && status !== 'completed'
  }))
}

/**
 * Rolls the batch back as a conflict unless the project's last erasure was at `at`, ms UTC (0 for
 * never).
 */
export const expectLastErasure = (projectId: number, at: number): SQL =>
  sql`insert into ${guard} select null where ${at} <> coalesce((
        select ${counters.value} from ${counters}
        where ${counters.projectId} = ${projectId} and ${counters.name} = 'last_erasure'), 0)`

/** Notes the time of an erasure, ms UTC. Never goes back. */
export const noteLastErasure = (projectId: number, at: number): SQL =>
  sql`insert into ${counters} (${list([counters.projectId, counters.name, counters.value].map(bare))})
      values (${projectId}, 'last_erasure', ${at})
      on conflict (${bare(counters.projectId)}, ${bare(counters.name)})
      do update set ${assign(counters, { value: sql`max(${counters.value}, ${excluded(counters.value)})` })}`

/**
 * Rolls the batch back as a conflict if the events of one of these erased identities are no longer
 * waiting for their purge.
 */
export const expectOpenErasures = (projectId: number, keys: number[]): SQL[] =>
  eachChunk(keys, (rows, count) => [
    expectRows(
      count,
      sql`json_each(${rows}) as used
          cross join ${erasedIdentities}
            on ${erasedIdentities.key} = used.value and ${erasedIdentities.projectId} = ${projectId}
          cross join ${erasures} on ${erasures.id} = ${erasedIdentities.erasureId}
            and ${erasures.deleteEvents} and ${erasures.status} <> 'completed'`
    )
  ])

/** Adds the numbers of dropped late events to their erasures. */
export const countDropped = (
  projectId: number,
  dropped: { erasure_id: number; count: number }[]
): SQL[] =>
  eachChunk(dropped, (rows) => [
    updateFrom(erasures, {
      set: { dropped: sql`${erasures.dropped} + late.value ->> 'count'` },
      from: sql`json_each(${rows}) as late`,
      where: sql`${erasures.id} = late.value ->> 'erasure_id' and +${erasures.projectId} = ${projectId}`
    })
  ])

/**
 * Notes the numbers of rows to purge outside the project's database in their erasures, for the
 * receipts. Call it before the purge; noting the same rows again changes nothing.
 * @param member the member of `stores`
 * @param rowsByErasure by the id of the erasure
 */
export const noteRows = (
  { db, project }: Scope,
  member: string,
  rowsByErasure: Map<number, number>
) => {
  const rows = [...rowsByErasure].map(([erasure_id, count]) => ({ erasure_id, count }))
  const path = `$.${member}`
  return writeBatch(
    db,
    eachChunk(rows, (json) => [
      updateFrom(erasures, {
        set: {
          stores: sql`json_set(${erasures.stores}, ${path},
            max(coalesce(${erasures.stores} ->> ${path}, 0), noted.value ->> 'count'))`
        },
        from: sql`json_each(${json}) as noted`,
        where: sql`${erasures.id} = noted.value ->> 'erasure_id' and +${erasures.projectId} = ${project.id}`
      })
    ])
  )
}

/**
 * Returns SQL for an erasure's `stores` with numbers of rows added.
 * @param counts SQL for each number, by the name of the store
 */
export function addToStores(counts: Record<string, SQL>): SQL {
  const members = Object.entries(counts).map(([store, count]) => {
    const path = `$.${store}`
    return sql`${path}, coalesce(${erasures.stores} ->> ${path}, 0) + (${count})`
  })
  return sql`json_set(${erasures.stores}, ${list(members)})`
}
