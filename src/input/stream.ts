import { AppError } from '../errors.ts'

/**
 * Bytes of an oversized body that are read and dropped, so that the client gets the refusal. If the
 * connection were closed in the middle of the request, the client would get no response at all.
 */
const MAX_DROPPED_BYTES = 100_000_000

/**
 * Reads a body of at most `limit` bytes; returns no bytes for a request without a body. Reads
 * nothing if the `Content-Length` exceeds even the bytes that may be dropped.
 * @throws request_too_large; parse_error when the client disconnects before the end
 */
export async function readBody(
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> | null },
  limit: number
): Promise<Uint8Array> {
  if (Number(headers.get('Content-Length')) > Math.max(limit, MAX_DROPPED_BYTES)) {
    throw tooLarge(limit)
  }
  if (!body) {
    return new Uint8Array()
  }
  try {
    return await readBytes(body, limit, MAX_DROPPED_BYTES)
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError('parse_error', 'the request ended before its body was complete')
  }
}

/**
 * Reads a stream of at most `limit` bytes. A longer stream is read up to `dropped` bytes, if that
 * is more than `limit`, and thrown away.
 * @throws request_too_large
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array>,
  limit: number,
  dropped = limit
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.byteLength
    if (length > Math.max(limit, dropped)) {
      break
    }
    if (length > limit) {
      chunks.length = 0
    } else {
      chunks.push(chunk)
    }
  }
  if (length > limit) {
    throw tooLarge(limit)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** Error for a body of more than `limit` bytes. */
export const tooLarge = (limit: number): AppError =>
  new AppError('request_too_large', `maximum request size exceeded: ${limit} bytes`)
