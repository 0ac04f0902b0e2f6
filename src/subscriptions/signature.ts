import { toBase64 } from '../input/base64.ts'

const encoder = new TextEncoder()

/** Makes a secret of 256 random bits in the format of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (): string =>
  `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`

/** Signs a text with HMAC-SHA256 and a secret from `newSecret`. */
export async function sign(secret: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (char) => char.charCodeAt(0))
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign'
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', hmac, encoder.encode(text)))
}
