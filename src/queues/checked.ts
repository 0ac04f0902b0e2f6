import { createHash } from 'node:crypto'

/** An object's content; `isIntact` compares size and checksum with the bucket's. */
export type CheckedContent = { bytes: Uint8Array<ArrayBuffer>; size: number; isIntact: boolean }

/**
 * Reads an object, and compares it with the MD5 that R2 uses as the etag of an object that was
 * written at once.
 * @returns undefined if the object does not exist
 */
export async function readChecked(
  bucket: R2Bucket,
  key: string
): Promise<CheckedContent | undefined> {
  const object = await bucket.get(key)
  if (!object) {
    return undefined
  }
  const bytes = new Uint8Array(await object.arrayBuffer())
  const isMd5 = /^[0-9a-f]{32}$/.test(object.etag)
  const isIntact =
    bytes.length === object.size &&
    (!isMd5 || createHash('md5').update(bytes).digest('hex') === object.etag)
  return { bytes, size: object.size, isIntact }
}
