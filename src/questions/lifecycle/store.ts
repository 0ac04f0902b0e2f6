import { sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { persons } from '../../db/schema.ts'

/** Persons per statement; their ids and ages take 250 kB. */
const AT_ONCE = 20_000

/** Persons by their ids, and how many units after `since` each was created, in the order of these numbers. */
export type Creations = { ids: number[]; ages: number[] }

/**
 * Reads which persons of a project were created at or after a time, in pages.
 * @param unit ms; the larger it is, the shorter the answer of the database
 */
export async function* readCreations(
  { db, project }: { db: Db; project: { id: number } },
  { since, unit }: { since: number; unit: number }
): AsyncGenerator<Creations> {
  // Bound numbers are floating-point numbers, of which the quotient would not be whole.
  const age = sql`(at - cast(${since} as integer)) / cast(${unit} as integer)`
  let after = { at: since, id: 0 }
  for (;;) {
    const [[row]] = await readBatch(
      db,
      query<{ ids: string; ages: string; last: number }>(sql`
        select json_group_array(id) as ids, json_group_array(${age}) as ages, max(at) as last from (
          select ${persons.id} as id, ${persons.createdAt} as at from ${persons}
          where ${persons.projectId} = ${project.id}
            and (${persons.createdAt}, ${persons.id}) > (${after.at}, ${after.id})
          order by ${persons.createdAt}, ${persons.id} limit ${AT_ONCE})`)
    )
    const ids: number[] = JSON.parse(row?.ids ?? '[]')
    const ages: number[] = JSON.parse(row?.ages ?? '[]')
    yield { ids, ages }
    if (ids.length < AT_ONCE) {
      return
    }
    after = { at: row?.last ?? since, id: ids.at(-1) ?? 0 }
  }
}
