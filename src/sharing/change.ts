import { newAccessToken } from '../access/share-token.ts'
import type { ProjectDb } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { NotFoundError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { findSharing, type Sharable, type Sharing, writeSharing } from './store.ts'

/**
 * Reads the sharing of an object; null if it was never changed and has no token yet.
 * @throws not_found for an object that does not exist or is deleted
 */
export async function readSharing(db: ProjectDb, object: Sharable): Promise<Sharing | null> {
  const sharing = await findSharing(db, object)
  if (sharing === undefined) {
    throw new NotFoundError()
  }
  return sharing
}

/**
 * Turns the sharing of an object on or off, or replaces its token, which invalidates the old token.
 * @throws not_found, unavailable after too many concurrent changes
 */
export const changeSharing = (
  db: ProjectDb,
  object: Sharable,
  change: { enabled: boolean } | 'refresh',
  now: Date
): Promise<Sharing> =>
  retryConflicts(async () => {
    const was = await readSharing(db, object)
    const keepsToken = was !== null && change !== 'refresh'
    const accessToken = keepsToken ? was.accessToken : newAccessToken(object.projectId)
    const isEnabled = change === 'refresh' ? Boolean(was?.sharedHash) : change.enabled
    const becomes = {
      accessToken,
      sharedHash: isEnabled ? sha256(accessToken) : null,
      createdAt: was?.createdAt ?? now.getTime()
    }
    await writeSharing(db, object, { was, becomes })
    return becomes
  })
