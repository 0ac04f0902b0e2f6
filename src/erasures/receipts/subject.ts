import { hmac, sha256 } from '../../hash.ts'

/**
 * The erasure whose distinct ids a receipt names by their hashes. The receipt of a completion has
 * the distinct ids, and so the salt, of the erasure that it completes. Removals and suppressions
 * have their own id in place of `personUuid`.
 */
type Erased = { projectId: number; personUuid: string; requestedAt: number }

/**
 * Returns the salt of an erasure's receipt. It is random to everybody without the secret, and it is
 * not stored: without it, nobody can test whether a hash in the database belongs to a distinct id.
 */
export const saltOf = (
  secret: string,
  { projectId, personUuid, requestedAt }: Erased
): Promise<string> => hmac(secret, `salt of a receipt\n${projectId}\n${personUuid}\n${requestedAt}`)

/**
 * Returns the hash of a distinct id in a receipt, the SHA-256 of salt and id: `printf %s%s SALT ID |
 * sha256sum`.
 */
export const hashForReceipt = (salt: string, distinctId: string): string =>
  sha256(`${salt}${distinctId}`)
