import { canonical, toHex } from '../../encoding.ts'
import type { SigningKey } from './keys.ts'

/** Adds the fingerprint of the key to a receipt, as `key`, and signs both. */
export async function sign<Content extends Record<string, unknown>>(
  content: Content,
  { privateKey, fingerprint }: SigningKey
): Promise<Content & { key: string; signature: string }> {
  const named = { ...content, key: fingerprint }
  const bytes = new TextEncoder().encode(canonical(named))
  const signature = await crypto.subtle.sign('Ed25519', privateKey, bytes)
  return { ...named, signature: toHex(signature) }
}
