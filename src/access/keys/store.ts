import { aliasedTable, and, desc, eq, gt, isNull, or } from 'drizzle-orm'
import type { ControlDb } from '../../db/client.ts'
import { apiKeys, users } from '../../db/schema.ts'
import { type KeyRow, sharesProject, type UserRow } from '../store.ts'

/** A key with its owner, and the user whose key made it; null if a command made it. */
export type ManagedKey = { key: KeyRow; user: UserRow; createdBy: UserRow | null }

const makers = aliasedTable(users, 'makers')

const selectKeys = (db: ControlDb) =>
  db
    .select({ key: apiKeys, user: users, createdBy: makers })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .leftJoin(makers, eq(makers.id, apiKeys.createdBy))

/** The valid keys with access to one of these projects. */
const validFor = (projectIds: number[], now: Date) =>
  and(
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now.getTime())),
    sharesProject(apiKeys.projectIds, projectIds)
  )

/** Lists the valid keys with access to one of these projects, the newest first. */
export const listValidKeys = (
  db: ControlDb,
  projectIds: number[],
  now: Date
): Promise<ManagedKey[]> =>
  selectKeys(db).where(validFor(projectIds, now)).orderBy(desc(apiKeys.id))

/** Finds a valid key by its id, if it has access to one of these projects. */
export async function findValidKey(
  db: ControlDb,
  id: number,
  projectIds: number[],
  now: Date
): Promise<ManagedKey | undefined> {
  const [found] = await selectKeys(db).where(and(eq(apiKeys.id, id), validFor(projectIds, now)))
  return found
}
