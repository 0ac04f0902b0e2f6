import * as z from 'zod'
import { createObject } from '../../bucket.ts'
import { UnavailableError } from '../../errors.ts'
import { sha256 } from '../../hash.ts'
import { LedgerError } from '../../ledger/entry.ts'
import type { RemovalRow } from './store.ts'

/*
 * The events of a removal are listed by their uuids in an object of the bucket, next to the ledger. A restore of the database
 * does not change it, so a removal can be repeated although its filters are forgotten.
 */

type Named = { projectId: number; id: string }

const keyOf = ({ projectId, id }: Named): string => `ledger/removals/${projectId}/${id}.json`

/** Returns the SHA-256 of a list of uuids, 32 hexadecimal digits each. */
export const digestOf = (uuids: string[]): string => sha256(JSON.stringify(uuids))

/** Writes the list of a removal, unless it exists. @throws UnavailableError when the bucket does not take it */
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
export async function readList(bucket: R2Bucket, removal: RemovalRow): Promise<string[]> {
  const object = await bucket.get(keyOf(removal))
  const uuids = object && parseList(await object.text())
  if (!uuids || digestOf(uuids) !== removal.digest) {
    throw new LedgerError(
      `The list of the events of deletion ${removal.id}, ${keyOf(removal)} in the bucket, is ${object ? 'damaged' : 'missing'}.`
    )
  }
  return uuids
}

/** Parses a list of uuids. @returns undefined if the text is damaged */
function parseList(text: string): string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
