import { sha256 } from '../hash.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Makes a personal API key: `phx_` and 256 random bits in base 62. */
export const newApiKey = () => `phx_${randomBase62(32)}`

/** Makes a capture token, 192 random bits. It is public, and only allows sending events. */
export const newCaptureToken = () => `phc_${randomBase62(24)}`

/** Makes the salt with which a project's erased distinct ids are hashed: 128 random bits. */
export const newErasureSalt = () => randomBase62(16)

export const isApiKey = (text: string) => /^phx_[0-9A-Za-z]{20,100}$/.test(text)

/** Returns the first and last four characters, for its owner: `phx_...a1B2`. */
export const maskKey = (key: string) => `${key.slice(0, 4)}...${key.slice(-4)}`

/** Hashes a key for storage. A key of 256 random bits needs neither a salt nor a slow hash. */
export const hashKey = (key: string): string => sha256(key)

/** Returns random bytes in base 62, always in the same length: 24 bytes are 33 characters. */
export function randomBase62(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes))
  let rest = random.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n)
  const length = Math.ceil((bytes * 8) / Math.log2(62))
  let text = ''
  while (text.length < length) {
    text = BASE62[Number(rest % 62n)] + text
    rest /= 62n
  }
  return text
}
