/** SHA-256 of the text's UTF-8, hexadecimal. */
export const sha256 = async (text: string): Promise<string> =>
  toHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

/** Two digits a byte. */
export const toHex = (buffer: ArrayBuffer): string =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** In constant time, whatever the index lookup before it did. */
export async function isSameHash(a: string, b: string): Promise<boolean> {
  const [left, right] = [a, b].map((hash) => new TextEncoder().encode(hash))
  return (
    left !== undefined &&
    right !== undefined &&
    left.length === right.length &&
    crypto.subtle.timingSafeEqual(left, right)
  )
}
