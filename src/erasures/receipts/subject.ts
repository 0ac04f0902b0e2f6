import { hmac, sha256 } from '../../hash.ts'

/**
 * What the salt of a receipt is made from. `subjectId` is the UUID of the erased person; for a
 * removal of events and for a suppression, it is their own id. A completion has the same salt as
 * the erasure that it completes, because it is made from that erasure's `requestedAt`.
 */
type Salted = { projectId: number; subjectId: string; requestedAt: number }

/**
 * Returns the salt that a receipt shows. It is random to everybody without the secret, and it is
 * not stored, but made again for each response: without it, nobody can test whether a stored hash
 * of `hashForReceipt` belongs to a distinct id.
 */
export const saltOf = (
  secret: string,
  { projectId, subjectId, requestedAt }: Salted
): Promise<string> => hmac(secret, `salt of a receipt\n${projectId}\n${subjectId}\n${requestedAt}`)

/**
 * Returns the hash of a distinct id in a receipt, the SHA-256 of salt and id: `printf %s%s SALT ID
 * | sha256sum`.
 */
export const hashForReceipt = (salt: string, distinctId: string): string =>
  sha256(`${salt}${distinctId}`)
