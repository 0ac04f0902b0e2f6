import { AppError } from '../errors.ts'

/** Of a body that is too large and did not say so, this much is taken and dropped: cut off, a client sees no answer. */
const MAX_DROPPED_BYTES = 100_000_000

/**
 * All bytes of a body, at most `limit`; without a body, none. One whose header says that it is larger is not begun.
 * @throws request_too_large; parse_error when the client breaks off before its end
 */
export async function readBody(
  { headers, body }: { headers: Headers; body: ReadableStream<Uint8Array> | null },
  limit: number
): Promise<Uint8Array> {
  if (Number(headers.get('Content-Length')) > limit) {
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
 * All bytes of a stream that holds at most `limit`. A longer one is taken to `dropped` bytes, which nothing keeps.
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
    if (length > dropped) {
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

/** The refusal of a body of more than `limit` bytes. */
export const tooLarge = (limit: number): AppError =>
  new AppError('request_too_large', `maximum request size exceeded: ${limit} bytes`)
