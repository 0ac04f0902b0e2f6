/** Methods of workerd and Node 25. Tests and commands run in older versions of Node too. */
type Native = {
  fromBase64?: (text: string) => Uint8Array<ArrayBuffer>
  prototype: { toBase64?: (this: Uint8Array) => string }
}

const { fromBase64: decode, prototype } = Uint8Array as unknown as Native

/** Bytes passed as arguments of one call, well below the number of arguments that engines allow. */
const BYTES_AT_ONCE = 8_192

/** Encodes bytes in base64. */
export const toBase64 = (bytes: Uint8Array): string =>
  prototype.toBase64 ? prototype.toBase64.call(bytes) : encodeSlowly(bytes)

/** Decodes base64, also with white space or without padding. @throws if it is not base64 */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  decode ? decode.call(Uint8Array, text) : decodeSlowly(text)

function encodeSlowly(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE)))
  }
  return btoa(parts.join(''))
}

function decodeSlowly(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i += 1) {
    bytes[i] = binary.charCodeAt(i)
  }
  return bytes
}
