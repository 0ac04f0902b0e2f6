import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../errors.ts'
import { readBody, tooLarge } from './stream.ts'

const DECODERS = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync
}
type Encoding = keyof typeof DECODERS

/**
 * Decompresses bytes and stops at the limit. DecompressionStream would unpack a whole chunk first, however large.
 * @throws request_too_large, parse_error
 */
export function unpack(bytes: Uint8Array, encoding: Encoding, limit: number): Uint8Array {
  try {
    return DECODERS[encoding](bytes, { maxOutputLength: limit })
  } catch (error) {
    if (error instanceof RangeError) {
      throw tooLarge(limit)
    }
    throw new AppError('parse_error', `failed to decode request: invalid ${encoding} data`)
  }
}

/** Whether bytes begin as gzip does. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

/**
 * The body of a request, of at most `limit` bytes as sent and unpacked, in the encoding that its header names. What only
 * says that it is gzip is taken as it is.
 * @throws unsupported_media_type, parse_error, request_too_large
 */
export async function readDecoded(request: Request, limit: number): Promise<Uint8Array> {
  const encoding = request.headers.get('Content-Encoding')?.trim().toLowerCase() || 'identity'
  const bytes = await readBody(request, limit)
  if (encoding === 'identity' || (encoding === 'gzip' && !isGzip(bytes))) {
    return bytes
  }
  if (!isKnown(encoding)) {
    throw new AppError(
      'unsupported_media_type',
      `Unsupported Content-Encoding "${encoding}": send ${Object.keys(DECODERS).join(', ')} or none.`
    )
  }
  return unpack(bytes, encoding, limit)
}

const isKnown = (encoding: string): encoding is Encoding => Object.hasOwn(DECODERS, encoding)
