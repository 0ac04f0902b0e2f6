import { createHash } from 'node:crypto'
import { toHex } from './encoding.ts'

/** Returns the SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export const sha256 = (text: string): string =>
  createHash('sha256').update(new TextEncoder().encode(text)).digest('hex')

/** Imports a secret as a key of HMAC-SHA256. */
const importSecret = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify']
  )

/** Returns the HMAC-SHA256 of a text's UTF-8 bytes under a secret, in hexadecimal. */
export const hmac = async (secret: string, text: string): Promise<string> => {
  const key = await importSecret(secret)
  return toHex(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
}

/** Compares two hashes in constant time. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [a, b].map((hash) => new TextEncoder().encode(hash))
  return (
    left !== undefined &&
    right !== undefined &&
    left.length === right.length &&
    crypto.subtle.timingSafeEqual(left, right)
  )
}
