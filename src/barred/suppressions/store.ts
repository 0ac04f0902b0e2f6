import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { eachChunk, inJson } from '../../db/rows.ts'
import { counters, guard, suppressedIds, suppressions } from '../../db/schema.ts'
import { assign, bare, excluded, insertSelect, list, updateFrom } from '../../db/statements.ts'
import type { Drops, Suppressed } from './suppression.ts'

/** The counter that grows when suppressions of a project change; not when they drop data. */
export const SERIAL = 'suppressions'

/** Finds the suppressions of the distinct ids with these hashes, also those that are lifted. */
export const findSuppressed = (
  { db, project }: Scope,
  hashes: string[]
): Promise<(Suppressed & { hash: string })[]> =>
  db
    .select({
      hash: suppressedIds.hash,
      suppressionId: suppressions.id,
      isIdentified: suppressions.isIdentified,
      since: suppressedIds.since,
      liftedAt: suppressions.liftedAt
    })
    .from(suppressedIds)
    .innerJoin(suppressions, eq(suppressions.id, suppressedIds.suppressionId))
    .where(
      and(eq(suppressedIds.projectId, project.id), sql`${suppressedIds.hash} in ${inJson(hashes)}`)
    )

/** Rolls the batch back as a conflict if suppressions have changed since `serial` was read. */
export const expectSerial = (projectId: number, serial: number): SQL =>
  sql`insert into ${guard} select null where ${serial} <> coalesce((
        select ${counters.value} from ${counters}
        where ${counters.projectId} = ${projectId} and ${counters.name} = ${SERIAL}), 0)`

/** Raises the serial of the project's suppressions. Belongs in the batch that changes them. */
export const raiseSerial = (projectId: number): SQL =>
  sql`insert into ${counters} (${list([counters.projectId, counters.name, counters.value].map(bare))})
      values (${projectId}, ${SERIAL}, 1)
      on conflict (${bare(counters.projectId)}, ${bare(counters.name)})
      do update set ${assign(counters, { value: sql`${counters.value} + 1` })}`

/** Adds numbers of dropped events or recording parts to suppressions, at most one for each. */
export const countSuppressed = (
  projectId: number,
  column: 'events' | 'recordingParts',
  drops: Drops[]
): SQL[] =>
  eachChunk(drops, (rows) => [
    updateFrom(suppressions, {
      set: {
        [column]: sql`${suppressions[column]} + dropped.value ->> 'count'`,
        lastDroppedAt: sql`max(coalesce(${suppressions.lastDroppedAt}, 0), dropped.value ->> 'lastAt')`
      },
      from: sql`json_each(${rows}) as dropped`,
      where: sql`${suppressions.id} = dropped.value ->> 'suppression' and +${suppressions.projectId} = ${projectId}`
    })
  ])

/** A distinct id that joins a suppression at `since`, ms UTC. */
export type Joining = { suppression: string; hash: string; since: number }

/**
 * Adds distinct ids to suppressions; the suppressed persons then count as identified. An id that
 * joins a suppression several times belongs to it from the earliest time, in whatever order its
 * events are processed.
 */
export const joinSuppressions = (projectId: number, joining: Joining[]): SQL[] =>
  eachChunk(joining, (rows) => [
    raiseSerial(projectId),
    sql`${insertSelect(
      suppressedIds,
      {
        projectId,
        hash: sql`one.value ->> 'hash'`,
        suppressionId: sql`${suppressions.id}`,
        receiptHash: null,
        since: sql`one.value ->> 'since'`
      },
      sql`json_each(${rows}) as one cross join ${suppressions}
          on ${suppressions.id} = one.value ->> 'suppression' and +${suppressions.projectId} = ${projectId}
          where true`
    )} on conflict (${list([suppressedIds.projectId, suppressedIds.hash, suppressedIds.suppressionId].map(bare))})
      do update set ${assign(suppressedIds, {
        since: sql`min(${suppressedIds.since}, ${excluded(suppressedIds.since)})`
      })}`,
    updateFrom(suppressions, {
      set: { isIdentified: 1 },
      where: sql`+${suppressions.projectId} = ${projectId}
        and ${suppressions.id} in (select value ->> 'suppression' from json_each(${rows}))`
    })
  ])
