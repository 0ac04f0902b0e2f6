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
 * Decompresses bytes and stops at `limit` bytes. DecompressionStream would decompress a whole chunk
 * first, however large.
 * @throws request_too_large, parse_error
 */
export function unpack(bytes: Uint8Array, encoding: Encoding, limit: number): Uint8Array {
  try {
    return DECODERS[encoding](bytes, { maxOutputLength: limit })
  } catch (error) {
    // The decoders throw a RangeError for more than `maxOutputLength` bytes.
    if (error instanceof RangeError) {
      throw tooLarge(limit)
    }
    throw new AppError('parse_error', `failed to decode request: invalid ${encoding} data`)
  }
}

/** Whether bytes begin with gzip's magic number. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

/**
 * Reads the body of a request and decodes it by its `Content-Encoding`. Both the sent and the
 * decoded body may have at most `limit` bytes. A body that claims to be gzip but does not begin
 * like gzip counts as plain.
 * @throws unsupported_media_type, parse_error, request_too_large
 */
export async function readDecoded(request: Request | Response, limit: number): Promise<Uint8Array> {
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
