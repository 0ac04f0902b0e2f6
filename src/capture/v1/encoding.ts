import { brotliDecompressSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { AppError } from '../../errors.ts'
import { readBody, tooLarge } from '../../stream.ts'
import { MAX_BODY_BYTES } from '../body.ts'

const DECODERS = { br: brotliDecompressSync, deflate: inflateSync, zstd: zstdDecompressSync }

/**
 * The body of a request in the encoding that its header names; gzip is left, since its bytes tell.
 * @throws unsupported_media_type, parse_error, request_too_large
 */
export async function decodeBody(request: Request): Promise<Uint8Array> {
  const encoding = request.headers.get('Content-Encoding')?.trim().toLowerCase() ?? 'identity'
  const bytes = await readBody(request, MAX_BODY_BYTES)
  if (encoding === 'identity' || encoding === 'gzip') {
    return bytes
  }
  if (!isKnown(encoding)) {
    throw new AppError(
      'unsupported_media_type',
      `Unsupported Content-Encoding "${encoding}"; send gzip, deflate, br or zstd.`
    )
  }
  try {
    return DECODERS[encoding](bytes, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    if (error instanceof RangeError) {
      throw tooLarge(MAX_BODY_BYTES)
    }
    throw new AppError('parse_error', `failed to decode request: invalid ${encoding} data`)
  }
}

const isKnown = (encoding: string): encoding is keyof typeof DECODERS =>
  Object.hasOwn(DECODERS, encoding)
