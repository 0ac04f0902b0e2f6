import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { jsonOf } from '../db/filter.ts'
import { sessions } from '../db/schema.ts'
import { session, sessionColumn } from '../db/session.ts'
import type { Json } from '../input/json.ts'

/** Returns the values of a property in some sessions of a project. */
export async function readSessionValues(
  db: Db,
  projectId: number,
  sessionIds: readonly string[],
  key: string
): Promise<[id: string, value: Json][]> {
  const [[row]] = await readBatch(
    db,
    query<{ ids: string; found: string }>(sql`
      select json_group_array(${session.sessionId}) as ids,
        json_group_array(${jsonOf(sessionColumn(key), key)}) as found
      from json_each(${JSON.stringify(sessionIds)}) wanted cross join ${sessions} ${session}
        on ${session.projectId} = ${projectId} and ${session.sessionId} = wanted.value`)
  )
  const ids: string[] = JSON.parse(row?.ids ?? '[]')
  const values: Json[] = JSON.parse(row?.found ?? '[]')
  return ids.map((id, i) => [id, values[i] ?? null])
}
