import { createHash } from 'node:crypto'

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

/** Returns bytes in hexadecimal, two digits each. */
export const toHex = (buffer: ArrayBuffer): string =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

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

/** Returns a value as JSON with sorted keys and no spaces, to be hashed and signed. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value))

/** Returns a copy in which the keys of all objects are sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}
