import * as z from 'zod'
import { createObject, putObject } from '../../bucket.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { checkSecret } from '../../ledger/secret.ts'
import { fingerprintOf, type PublishedKey } from './check.ts'

/** The header of an Ed25519 private key in PKCS #8 (RFC 8410); the 32 bytes of the key follow. */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

/**
 * Where public keys are kept in the bucket, each under its fingerprint. A restore of a database
 * does not change them.
 */
export const KEYS_PREFIX = 'ledger/keys/'

/** Returns the key of the object with a public key in the bucket. */
export const objectOfKey = (fingerprint: string): string => `${KEYS_PREFIX}${fingerprint}`

/** A public key as it is kept in the bucket. */
export const StoredKey = z.object({ x: z.string(), created_at: z.iso.datetime() })

/** A public key as in RFC 8037, with the time at which it was published. */
export type PublicKey = PublishedKey & { created_at: string }

export type SigningKey = {
  /** SHA-256 of the 32 bytes of the public key, in hexadecimal. */
  fingerprint: string
  /** The public key in base64url. */
  x: string
  privateKey: CryptoKey
}

/**
 * Opens the key that signs receipts; the SHA-256 of the secret is the private key.
 * @returns undefined when the secret is missing or too short
 */
export async function openSigningKey({
  RECEIPT_KEY
}: {
  RECEIPT_KEY?: string
}): Promise<SigningKey | undefined> {
  if (RECEIPT_KEY === undefined || checkSecret(RECEIPT_KEY) !== 'ok') {
    return undefined
  }
  const seed = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(RECEIPT_KEY.trim()))
  const bytes = Uint8Array.from([...PKCS8, ...new Uint8Array(seed)])
  const privateKey = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', true, ['sign'])
  const jwk = await crypto.subtle.exportKey('jwk', privateKey)
  const x = z.object({ x: z.string() }).parse(jwk).x
  return { fingerprint: await fingerprintOf(x), x, privateKey }
}

/**
 * Publishes a key and enters it in the ledger, unless that was done. Call it before the key signs a
 * receipt.
 */
export async function publishKey(
  bucket: R2Bucket,
  { fingerprint, x }: SigningKey,
  ledger: Ledger,
  now: number
): Promise<void> {
  const name = objectOfKey(fingerprint)
  const [published, noted] = await Promise.all([
    bucket.head(name),
    bucket.head(noteOf(fingerprint))
  ])
  if (published && noted) {
    return
  }
  const own = { x, created_at: new Date(now).toISOString() }
  if (!published) {
    await createObject(bucket, name, JSON.stringify(own))
  }
  // Read back: another request may have published the key meanwhile, at another time.
  const { created_at } = (await findKey(bucket, fingerprint)) ?? own
  // Project 0: the key belongs to the whole service.
  const entry = { kind: 'key', project: 0, kid: fingerprint, x, created_at }
  const { seq } = await ledger.append(entry, now)
  await putObject(bucket, noteOf(fingerprint), JSON.stringify({ seq }))
}

const noteOf = (fingerprint: string): string => `marks/keys/${fingerprint}.json`

/** Returns the published key with this fingerprint; undefined if there is none. */
export async function findKey(
  bucket: R2Bucket,
  fingerprint: string
): Promise<PublicKey | undefined> {
  if (!/^[0-9a-f]{64}$/.test(fingerprint)) {
    return undefined
  }
  const object = await bucket.get(objectOfKey(fingerprint))
  const stored = object && StoredKey.parse(await object.json())
  // Ignores an object that somebody has put under the fingerprint of another key.
  return stored && (await fingerprintOf(stored.x)) === fingerprint
    ? { kid: fingerprint, ...stored }
    : undefined
}

/** Lists all published keys, oldest first. */
export async function listKeys(bucket: R2Bucket): Promise<PublicKey[]> {
  const names: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list({ prefix: KEYS_PREFIX, ...(cursor && { cursor }) })
    names.push(...page.objects.map(({ key }) => key.slice(KEYS_PREFIX.length)))
    if (!page.truncated) {
      break
    }
    cursor = page.cursor
  }
  const keys = await Promise.all(names.map((name) => findKey(bucket, name)))
  return keys
    .filter((key) => key !== undefined)
    .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
}
