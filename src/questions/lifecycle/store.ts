import { sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { persons } from '../../db/schema.ts'

/** Persons per statement; their ids and times take 500 kB. */
const AT_ONCE = 20_000

/** Persons by their ids, and when each was created, ms UTC, in the order of these times. */
export type Creations = { ids: number[]; times: number[] }

/** Reads which persons of a project were created at or after a time, in pages. */
export async function* readCreations(
  { db, project }: { db: Db; project: { id: number } },
  since: number
): AsyncGenerator<Creations> {
  let after = { at: since, id: 0 }
  for (;;) {
    const [[row]] = await readBatch(
      db,
      query<{ ids: string; times: string }>(sql`
        select json_group_array(id) as ids, json_group_array(at) as times from (
          select ${persons.id} as id, ${persons.createdAt} as at from ${persons}
          where ${persons.projectId} = ${project.id}
            and (${persons.createdAt}, ${persons.id}) > (${after.at}, ${after.id})
          order by ${persons.createdAt}, ${persons.id} limit ${AT_ONCE})`)
    )
    const ids: number[] = JSON.parse(row?.ids ?? '[]')
    const times: number[] = JSON.parse(row?.times ?? '[]')
    yield { ids, times }
    if (ids.length < AT_ONCE) {
      return
    }
    after = { at: times.at(-1) ?? since, id: ids.at(-1) ?? 0 }
  }
}
