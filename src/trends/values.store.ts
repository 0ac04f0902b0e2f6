import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { jsonOf } from '../db/filter.ts'
import type { Json } from '../input/json.ts'
import { sessionColumn } from '../sessions/store.ts'

/** Values of a property, by what has it. */
type Values<Id> = { ids: Id[]; values: Json[] }

/** Returns the values of a property in some versions of persons of a project. */
export async function readVersionValues(
  db: Db,
  projectId: number,
  versions: readonly number[],
  key: string
): Promise<Values<number>> {
  const [[row]] = await readBatch(
    db,
    query<{ ids: string; found: string }>(sql`
      select json_group_array(v.id) as ids, json_group_array(${jsonOf(sql`v.properties`, key)}) as found
      from json_each(${JSON.stringify(versions)}) wanted cross join person_versions v
        on v.id = wanted.value and v.project_id = ${projectId}`)
  )
  return { ids: JSON.parse(row?.ids ?? '[]'), values: JSON.parse(row?.found ?? '[]') }
}

/** Returns the values of a property in some sessions of a project. */
export async function readSessionValues(
  db: Db,
  projectId: number,
  sessions: readonly string[],
  key: string
): Promise<Values<string>> {
  const [[row]] = await readBatch(
    db,
    query<{ ids: string; found: string }>(sql`
      select json_group_array(s.session_id) as ids, json_group_array(${jsonOf(sessionColumn(key), key)}) as found
      from json_each(${JSON.stringify(sessions)}) wanted cross join sessions s
        on s.project_id = ${projectId} and s.session_id = wanted.value`)
  )
  return { ids: JSON.parse(row?.ids ?? '[]'), values: JSON.parse(row?.found ?? '[]') }
}
