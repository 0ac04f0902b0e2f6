import { and, asc, eq, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { writeBatch } from '../db/batch.ts'
import { expectRows } from '../db/rows.ts'
import { distinctIds, persons, recordings, recordingViews } from '../db/schema.ts'
import { reserveNumbers } from '../db/sequences.ts'
import { insertSelect, updateFrom } from '../db/statements.ts'
import { idOfPerson, type PersonName } from '../persons/store.ts'
import { isLive } from './store.ts'

/**
 * Lists a person's identities, each with the person's uuid, in the order in which they were first
 * seen; empty if the person does not exist.
 */
export const findIdentities = (
  { db, project }: Scope,
  name: PersonName
): Promise<{ key: number; distinct_id: string; uuid: string }[]> =>
  db
    .select({ key: distinctIds.key, distinct_id: distinctIds.distinctId, uuid: persons.uuid })
    .from(distinctIds)
    .innerJoin(persons, eq(persons.id, distinctIds.personId))
    .where(eq(distinctIds.personId, idOfPerson(project.id, name)))
    .orderBy(asc(distinctIds.key))

/** Returns the key of a distinct id; creates the distinct id if it does not exist. */
export async function findOrCreateIdentity(
  { db, project }: Scope,
  distinctId: string
): Promise<number> {
  const [found] = await db
    .select({ key: distinctIds.key })
    .from(distinctIds)
    .where(and(eq(distinctIds.projectId, project.id), eq(distinctIds.distinctId, distinctId)))
  if (found) {
    return found.key
  }
  const { identity: key } = await reserveNumbers(db, { identity: 1 })
  await db.insert(distinctIds).values({ key, projectId: project.id, distinctId, personId: null })
  return key
}

/**
 * Assigns a recording to an identity permanently: later parts do not change it.
 * @returns whether the recording exists. @throws ConflictError when the identity no longer exists
 */
export async function relinkRecording(
  { db, project }: Scope,
  sessionId: string,
  identity: number
): Promise<boolean> {
  const [, updated] = await writeBatch(db, [
    expectRows(
      1,
      sql`${distinctIds} where ${distinctIds.key} = ${identity} and ${distinctIds.projectId} = ${project.id}`
    ),
    sql`${updateFrom(recordings, {
      set: { identity, isRelinked: 1, revision: sql`${recordings.revision} + 1` },
      where: isLive(project.id, sessionId)
    })} returning 1`
  ])
  return updated?.results.length === 1
}

/** Marks a recording as viewed by a user, unless the recording is deleted. */
export const noteView = (
  { db, project }: Scope,
  sessionId: string,
  { user, now }: { user: { id: number; email: string }; now: number }
) =>
  writeBatch(db, [
    sql`${insertSelect(
      recordingViews,
      { projectId: project.id, sessionId, userId: user.id, email: user.email, viewedAt: now },
      sql`${recordings} where ${isLive(project.id, sessionId)}`
    )} on conflict do nothing`
  ])
