const encoder = new TextEncoder()

/** 256 random bits, as webhook receivers write a secret: `whsec_` and base64. */
export const newSecret = (): string =>
  `whsec_${toBase64(crypto.getRandomValues(new Uint8Array(32)))}`

/** HMAC-SHA256 of a text with a secret of `newSecret`. */
export async function sign(secret: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (char) => char.charCodeAt(0))
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign'
  ])
  return new Uint8Array(await crypto.subtle.sign('HMAC', hmac, encoder.encode(text)))
}

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
