import { canonical, toHex } from '../../hash.ts'
import { importPublicKey, type SigningKey } from './keys.ts'

const ED25519 = /^[0-9a-f]{128}$/

type Members = Record<string, unknown>

/** Adds the fingerprint of the key to a receipt, as `key`, and signs both. */
export async function sign<Content extends Members>(
  content: Content,
  { privateKey, fingerprint }: SigningKey
): Promise<Content & { key: string; signature: string }> {
  const named = { ...content, key: fingerprint }
  const signature = await crypto.subtle.sign('Ed25519', privateKey, encode(named))
  return { ...named, signature: toHex(signature) }
}

/** Whether the public key, in base64url, has signed the receipt as it is. */
export async function isSignedBy(receipt: Members, x: string): Promise<boolean> {
  const { signature, ...content } = receipt
  return (
    typeof signature === 'string' &&
    ED25519.test(signature) &&
    crypto.subtle.verify('Ed25519', await importPublicKey(x), fromHex(signature), encode(content))
  )
}

const fromHex = (text: string) =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

const encode = (content: Members) => new TextEncoder().encode(canonical(content))
