import { sha256 } from '../hash.ts'

/** What is left of an identity whose distinct id was erased; times are ms UTC. */
export type Tombstone = {
  /** The identity's key, to which the events still point. */
  key: number
  erasureId: number
  /** What was accepted until then was the erased person's. */
  erasedAt: number
  /** Events that come late join the identity, to be removed with the others; else they can only be dropped. */
  isOpen: boolean
  /** What comes late of a recording goes too. */
  deletesRecordings: boolean
}

/** By which an erased distinct id is recognised: a hash that nobody can compute or guess from without the project's salt. */
export const hashDistinctId = async (
  salt: string,
  projectId: number,
  distinctId: string
): Promise<string> => (await sha256(`${salt}\n${projectId}\n${distinctId}`)).slice(0, 32)

/**
 * The erased identity that an event belonged to when it was accepted: a distinct id may be erased several times, and used
 * again after each.
 */
export const buriedUnder = (tombstones: Tombstone[], receivedAt: number): Tombstone | undefined =>
  tombstones
    .filter(({ erasedAt }) => receivedAt <= erasedAt)
    .toSorted((a, b) => a.erasedAt - b.erasedAt)[0]
