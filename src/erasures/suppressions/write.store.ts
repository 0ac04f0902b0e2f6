import { type SQL, sql } from 'drizzle-orm'
import { raiseSerial } from '../../barred/suppressions/store.ts'
import { writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk, expectRows, inJson } from '../../db/rows.ts'
import { distinctIds, suppressedIds, suppressions } from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { ActivityEntry, Actor } from '../../persons/activity/entry.ts'
import { activityStatements } from '../../persons/activity/store.ts'
import type { SuppressionRow } from './store.ts'

/** A suppression to write. `person_id` is null for an erased person, and without a person. */
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

/** Deletes suppressions as if they had never been written. */
export const withdrawSuppressions = (db: Db, projectId: number, ids: string[]) =>
  writeBatch(db, [
    raiseSerial(projectId),
    sql`delete from ${suppressedIds}
      where +${suppressedIds.projectId} = ${projectId} and ${suppressedIds.suppressionId} in ${inJson(ids)}`,
    sql`delete from ${suppressions}
      where +${suppressions.projectId} = ${projectId} and ${suppressions.id} in ${inJson(ids)}`
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

/** Returns the entry of the activity log; none for a distinct id without a person. */
const entryOf = (
  { person, person_id: itemId }: Noted,
  activity: 'suppressed' | 'suppression_lifted',
  actor: Actor,
  at: number
): ActivityEntry[] =>
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
