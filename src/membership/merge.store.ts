import { type SQL, sql } from 'drizzle-orm'
import { eachChunk } from '../db/rows.ts'
import { cohortMembers } from '../db/schema.ts'
import { bare, list } from '../db/statements.ts'

const { cohortId, personId, projectId: ofProject } = cohortMembers

/**
 * Returns statements that pass the memberships of merged persons on to the remaining persons
 * (`into`), in the transaction of the merge.
 */
export const mergeMembers = (
  projectId: number,
  merged: readonly { id: number; into: number }[]
): SQL[] =>
  eachChunk(
    merged.map(({ id, into }) => ({ id, into })),
    (rows) => [
      sql`insert or ignore into ${cohortMembers} (${list([cohortId, personId, ofProject].map(bare))})
        select ${cohortId}, merged.value ->> 'into', ${ofProject} from json_each(${rows}) as merged
          cross join ${cohortMembers} on ${personId} = merged.value ->> 'id' and ${ofProject} = ${projectId}`,
      deleteMembers(projectId, sql`(select value ->> 'id' from json_each(${rows}))`)
    ]
  )

/** Deletes the memberships of persons; `ids` is a list in parentheses. */
export const deleteMembers = (projectId: number, ids: SQL): SQL =>
  sql`delete from ${cohortMembers} where ${personId} in ${ids} and +${ofProject} = ${projectId}`
