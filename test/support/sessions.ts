import { sql } from 'drizzle-orm'
import { db } from './project.ts'

/** Start of these tests' sessions. */
export const AT = Date.UTC(2026, 10, 1, 12)

type Row = {
  session_id: string
  events: number
  identities: string
  entry: string | null
  exit: string | null
}

/** Returns a project's sessions by id, with distinct ids instead of identity keys. */
export async function sessionsOf(projectId: number) {
  const rows = await db.all<Row>(sql`
    select session_id, start_time, end_time, events, pageviews, autocaptures, screens, entry, exit, click, lcp,
           (select json_group_array(distinct_id) from (
              select distinct_id from distinct_ids where key in (select value from json_each(identities)) order by 1))
             as identities
    from sessions where project_id = ${projectId} order by session_id`)
  return rows.map((row) => ({
    ...row,
    identities: JSON.parse(row.identities),
    entry: row.entry && JSON.parse(row.entry),
    exit: row.exit && JSON.parse(row.exit)
  }))
}
