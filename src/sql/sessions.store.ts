import { sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { jsonOf } from '../db/filter.ts'
import { sessions } from '../db/schema.ts'
import { session, sessionColumn } from '../db/session.ts'
import type { Json } from '../input/json.ts'

/** A session: its beginning, ms UTC, its first identity, and the values of some properties. */
export type SessionRow = { id: string; start: number; identity: number; values: Json[] }

/**
 * Reads those of some sessions of a project that began from `since` up to `until`, ms UTC.
 * @param keys names of session properties
 */
export async function readSessionRows(
  db: Db,
  projectId: number,
  { ids: wanted, since, until }: { ids: readonly string[]; since: number; until: number },
  keys: readonly string[]
): Promise<SessionRow[]> {
  const columns = [
    sql`${session.sessionId}`,
    sql`${session.startTime}`,
    sql`${session.identities} ->> 0`,
    ...keys.map((key) => jsonOf(sessionColumn(key), key))
  ]
  const lists = columns.map((column) => sql`json(json_group_array(${column}))`)
  const [[row]] = await readBatch(
    db,
    query<{ lists: string }>(sql`
      select json_array(${sql.join(lists, sql`, `)}) as lists
      from json_each(${JSON.stringify(wanted)}) wanted cross join ${sessions} ${session}
        on ${session.projectId} = ${projectId} and ${session.sessionId} = wanted.value
          and ${session.startTime} >= ${since} and ${session.startTime} < ${until}`)
  )
  const [ids, starts, identities, ...values]: [string[], number[], number[], ...Json[][]] =
    JSON.parse(row?.lists ?? '[[],[],[]]')
  return ids.map((id, i) => ({
    id,
    start: starts[i] ?? 0,
    identity: identities[i] ?? 0,
    values: values.map((list) => list[i] ?? null)
  }))
}
