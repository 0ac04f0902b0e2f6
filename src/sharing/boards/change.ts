import { newAccessToken } from '../../access/share-token.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import { sha256 } from '../../hash.ts'
import { findShare, type Shared, type ShareRow, writeShare } from './store.ts'

/**
 * Turns the sharing of an insight or a dashboard on or off, or replaces its token, which invalidates
 * the old token.
 * @throws unavailable after too many concurrent changes
 */
export const changeShare = (
  db: Db,
  object: Shared,
  change: { enabled: boolean } | 'refresh',
  now: Date
): Promise<ShareRow> =>
  retryConflicts(async () => {
    const was = await findShare(db, object)
    const keepsToken = was !== undefined && change !== 'refresh'
    const accessToken = keepsToken ? was.accessToken : newAccessToken(object.projectId)
    const isEnabled = change === 'refresh' ? Boolean(was?.sharedHash) : change.enabled
    const becomes = {
      ...object,
      accessToken,
      sharedHash: isEnabled ? sha256(accessToken) : null,
      createdAt: was?.createdAt ?? now.getTime()
    }
    await writeShare(db, was, becomes)
    return becomes
  })
