import { hmac, sha256 } from '../../hash.ts'

/**
 * What the salt of a receipt is made from. `subjectId` is the UUID of the erased person; for a removal of
 * events and for a suppression, it is their own id. The receipt of a completion has the salt, and `requestedAt`,
 * of the erasure that it completes.
 */
type Salted = { projectId: number; subjectId: string; requestedAt: number }

/**
 * Returns the salt of an erasure's receipt. It is random to everybody without the secret, and it is
 * not stored: without it, nobody can test whether a stored hash of `hashForReceipt` belongs to a
 * distinct id.
 */
export const saltOf = (
  secret: string,
  { projectId, subjectId, requestedAt }: Salted
): Promise<string> => hmac(secret, `salt of a receipt\n${projectId}\n${subjectId}\n${requestedAt}`)

/**
 * Returns the hash of a distinct id in a receipt, the SHA-256 of salt and id: `printf %s%s SALT ID |
 * sha256sum`.
 */
export const hashForReceipt = (salt: string, distinctId: string): string =>
  sha256(`${salt}${distinctId}`)
