import { newAccessToken } from '../../access/share-token.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { NotFoundError } from '../../errors.ts'
import { sha256 } from '../../hash.ts'
import { findSharing, type SharingRow, updateSharing } from './store.ts'

/**
 * Turns the sharing of a recording on or off, or replaces its token, which invalidates the old
 * token.
 * @throws not_found, unavailable after too many concurrent changes
 */
export const changeSharing = (
  db: Db,
  projectId: number,
  sessionId: string,
  change: { enabled: boolean } | 'refresh'
): Promise<SharingRow> =>
  retryConflicts(async () => {
    const was = await findSharing(db, projectId, sessionId)
    if (!was) {
      throw new NotFoundError()
    }
    const access_token = change === 'refresh' ? newAccessToken(projectId) : was.access_token
    const isEnabled = change === 'refresh' ? was.shared_hash !== null : change.enabled
    const becomes = {
      ...was,
      access_token,
      shared_hash: isEnabled ? sha256(access_token) : null
    }
    await updateSharing(db, projectId, sessionId, { was, becomes })
    return becomes
  })
