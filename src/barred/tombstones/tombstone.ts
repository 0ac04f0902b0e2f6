import { sha256 } from '../../hash.ts'

/**
 * A record of an erased distinct id, found by the id's hash. Late data of the erased person is
 * recognised by it. Times are ms UTC.
 */
export type Tombstone = {
  /** The key of the erased identity, to which its events point until they are purged. */
  key: number
  erasureId: number
  /** Data accepted up to this time belonged to the erased person. */
  erasedAt: number
  /** Whether late events are purged with the others of the identity; otherwise they are dropped. */
  isOpen: boolean
  /** Whether the person's events are deleted, also those in dead letters. */
  deletesEvents: boolean
  /** Whether late parts of recordings are deleted as well. */
  deletesRecordings: boolean
}

/**
 * Hashes a distinct id for its tombstone. Without the project's salt, nobody can test whether a
 * hash belongs to a distinct id.
 */
export const hashDistinctId = (salt: string, projectId: number, distinctId: string): string =>
  sha256(`${salt}\n${projectId}\n${distinctId}`).slice(0, 32)

/**
 * Finds the tombstone of the person to whom data accepted at `receivedAt`, ms UTC, belonged: the
 * first erasure after it. A distinct id may be used again after each erasure, so it can have
 * several tombstones.
 */
export const tombstoneFor = (tombstones: Tombstone[], receivedAt: number): Tombstone | undefined =>
  tombstones
    .filter(({ erasedAt }) => receivedAt <= erasedAt)
    .toSorted((a, b) => a.erasedAt - b.erasedAt)[0]
