import { sha256 } from '../hash.ts'

/** The trace of an erased distinct id, by which late data of the erased person is recognised. Times are ms UTC. */
export type Tombstone = {
  /** The key of the erased identity, which its events point to until they are purged. */
  key: number
  erasureId: number
  /** Data accepted up to this time belonged to the erased person. */
  erasedAt: number
  /** Whether late events join the erased identity and are purged with its other events; otherwise they are dropped. */
  isOpen: boolean
  /** Whether late parts of recordings are deleted as well. */
  deletesRecordings: boolean
}

/** Hashes a distinct id for its tombstone. Without the project's salt nobody can test which distinct id it was. */
export const hashDistinctId = async (
  salt: string,
  projectId: number,
  distinctId: string
): Promise<string> => (await sha256(`${salt}\n${projectId}\n${distinctId}`)).slice(0, 32)

/**
 * Finds the tombstone of the person that data accepted at `receivedAt`, ms UTC, belonged to: the first erasure after it.
 * A distinct id may be used again after each erasure, and so have several tombstones.
 */
export const tombstoneFor = (tombstones: Tombstone[], receivedAt: number): Tombstone | undefined =>
  tombstones
    .filter(({ erasedAt }) => receivedAt <= erasedAt)
    .toSorted((a, b) => a.erasedAt - b.erasedAt)[0]
