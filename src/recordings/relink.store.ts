import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { expectRows } from '../db/rows.ts'
import { reserveNumbers } from '../db/sequences.ts'
import type { PersonName } from './change.ts'

/**
 * Lists a person's identities in the order in which they were first seen; empty if the person does
 * not exist.
 */
export async function findIdentities(
  db: Db,
  projectId: number,
  name: PersonName
): Promise<{ key: number; distinct_id: string }[]> {
  const person = personIdOf(projectId, name)
  const identities = query<{ key: number; distinct_id: string }>(sql`
    select key, distinct_id from distinct_ids where person_id = (${person}) order by key`)
  return (await readBatch(db, identities))[0]
}

function personIdOf(projectId: number, name: PersonName): SQL {
  if ('id' in name) {
    return sql`select id from persons where project_id = ${projectId} and id = ${name.id}`
  }
  if ('uuid' in name) {
    return sql`select id from persons where project_id = ${projectId} and uuid = ${name.uuid}`
  }
  return sql`select person_id from distinct_ids where project_id = ${projectId} and distinct_id = ${name.distinctId}`
}

/** Returns the key of a distinct id; creates the distinct id if it does not exist. */
export async function findOrCreateIdentity(
  db: Db,
  projectId: number,
  distinctId: string
): Promise<number> {
  const known = query<{ key: number }>(sql`
    select key from distinct_ids where project_id = ${projectId} and distinct_id = ${distinctId}`)
  const [found] = (await readBatch(db, known))[0]
  if (found) {
    return found.key
  }
  const { identity } = await reserveNumbers(db, { identity: 1 })
  await writeBatch(db, [
    sql`insert into distinct_ids (key, project_id, distinct_id, person_id)
        values (${identity}, ${projectId}, ${distinctId}, null)`
  ])
  return identity
}

/**
 * Assigns a recording to an identity permanently: later parts do not change it.
 * @returns whether the recording exists. @throws ConflictError when the identity no longer exists
 */
export async function relinkRecording(
  db: Db,
  projectId: number,
  sessionId: string,
  identity: number
): Promise<boolean> {
  const [, updated] = await writeBatch(db, [
    expectRows(1, sql`distinct_ids where key = ${identity} and project_id = ${projectId}`),
    sql`update recordings set identity = ${identity}, is_relinked = 1, revision = revision + 1
        where project_id = ${projectId} and session_id = ${sessionId} and not deleted returning 1`
  ])
  return updated?.results.length === 1
}

/** Marks a recording as viewed by a user, unless the recording is deleted. */
export const noteView = (
  db: Db,
  projectId: number,
  sessionId: string,
  user: { id: number; email: string },
  now: number
) =>
  writeBatch(db, [
    sql`insert into recording_views (project_id, session_id, user_id, email, viewed_at)
        select project_id, session_id, ${user.id}, ${user.email}, ${now} from recordings
        where project_id = ${projectId} and session_id = ${sessionId} and not deleted
        on conflict do nothing`
  ])
