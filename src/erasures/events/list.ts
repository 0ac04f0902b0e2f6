import * as z from 'zod'
import { createObject } from '../../bucket.ts'
import { catching, UnavailableError } from '../../errors.ts'
import { sha256 } from '../../hash.ts'
import { LedgerError } from '../../ledger/entry.ts'

/*
 * The events of a removal are listed by their uuids in an object of the bucket, next to the ledger.
 * A restore of the database does not change it, so a removal can be repeated although its filters
 * are forgotten.
 */

type Named = { projectId: number; id: string }

/** The prefix of the lists' keys in the bucket. */
export const LISTS_PREFIX = 'ledger/removals/'

const keyOf = ({ projectId, id }: Named): string => `${LISTS_PREFIX}${projectId}/${id}.json`

/** Returns the SHA-256 of a list of uuids, 32 hexadecimal digits each. */
export const digestOf = (uuids: string[]): string => sha256(JSON.stringify(uuids))

/** Writes the list of a removal, unless it exists. @throws UnavailableError */
export async function writeList(bucket: R2Bucket, removal: Named, uuids: string[]): Promise<void> {
  try {
    await createObject(bucket, keyOf(removal), JSON.stringify(uuids))
  } catch (error) {
    throw new UnavailableError(
      'The list of events cannot be written now, so nothing will be deleted. Try again.',
      error
    )
  }
}

/** Reads the list of a removal. @throws LedgerError when it is missing, or not as it was written */
export async function readList(
  bucket: R2Bucket,
  removal: Named & { digest: string; events: number }
): Promise<string[]> {
  const key = keyOf(removal)
  const object = await bucket.get(key)
  const uuids = object && parseList(await object.text())
  if (uuids?.length !== removal.events || digestOf(uuids) !== removal.digest) {
    throw new LedgerError(
      `The list of the events of deletion ${removal.id}, ${key} in the bucket, is ${object ? 'damaged' : 'missing'}.`,
      key
    )
  }
  return uuids
}

/** Returns the error about a removal's list; undefined if the list is intact. */
export async function findListFault(
  bucket: R2Bucket,
  removal: Parameters<typeof readList>[1]
): Promise<LedgerError | undefined> {
  const list = await catching(LedgerError, readList(bucket, removal))
  return list instanceof LedgerError ? list : undefined
}

/** Parses a list of uuids. @returns undefined if the text is damaged */
function parseList(text: string): string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
