import { pause } from './turns.ts'

/*
 * Writes to the bucket. R2 takes one write of an object per second, be it a put or a deletion, and
 * refuses any other.
 */

/** Time after which a refused write is attempted again, ms. */
const AGAIN_MS = 1_100

/** Attempts to write an object; all together take 3.3 seconds. */
const MAX_ATTEMPTS = 4

/** Puts an object, even if it exists, unless `options` have a condition. @throws R2's error */
export async function putObject(
  bucket: R2Bucket,
  key: string,
  content: string,
  options: R2PutOptions = {}
): Promise<void> {
  await inTurn(() => bucket.put(key, content, options))
}

/** What creating objects needs of a bucket. */
export type Creating<Content> = {
  put(key: string, content: Content, options: R2PutOptions): Promise<unknown>
  head(key: string): Promise<unknown>
}

/**
 * Creates an object, unless it exists.
 * @returns whether this call has created it: of several calls at the same time, one does
 * @throws an error of R2
 */
export const createObject = <Content extends string | ArrayBuffer | Uint8Array>(
  bucket: Creating<Content>,
  key: string,
  content: Content
): Promise<boolean> =>
  inTurn(async () => {
    try {
      return (await bucket.put(key, content, { onlyIf: { etagDoesNotMatch: '*' } })) !== null
    } catch (error) {
      // R2 refuses a second put at once, whatever its condition.
      if (isTooSoon(error) && (await bucket.head(key)) !== null) {
        return false
      }
      throw error
    }
  })

/** Deletes objects, at most 1,000. @throws an error of R2 */
export const deleteObjects = (bucket: R2Bucket, keys: string[]): Promise<void> =>
  inTurn(() => bucket.delete(keys))

/** Repeats a write that R2 refuses because one of the same object is less than a second old. */
async function inTurn<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isTooSoon(error)) {
        throw error
      }
      await pause(AGAIN_MS)
    }
  }
}

const isTooSoon = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('(10058)')
