import { AppError } from './errors.ts'

/**
 * All bytes of a stream that holds at most `limit`. A longer one is taken to `dropped` bytes, which nothing keeps: of a
 * request that is cut off a client may see no answer.
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
    if (length > dropped) break
    if (length > limit) chunks.length = 0
    else chunks.push(chunk)
  }
  if (length > limit) throw new AppError('request_too_large', `maximum request size exceeded: ${limit} bytes`)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
