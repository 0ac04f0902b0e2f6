import * as z from 'zod'
import { LedgerError } from '../../ledger/entry.ts'
import type { CheckNamed } from '../../ledger/walk.ts'
import { RemovalEntry } from '../events/entry.ts'
import { readList } from '../events/list.ts'
import { findKey, objectOfKey } from '../receipts/keys.ts'

/** Requests that reading a list of events is worth: it may have 100,000 events, 3.5 MB. */
const LIST_REQUESTS = 50

const KeyEntry = z.object({ kid: z.string(), x: z.string(), created_at: z.string() })

/** Checks the list of events, or the public key, that an entry of the ledger names. */
export const checkNamed: CheckNamed = async (bucket, { body }) => {
  switch (body.kind) {
    case 'event_removal': {
      const { project: projectId, ...removal } = RemovalEntry.parse(body)
      await readList(bucket, { projectId, ...removal })
      return LIST_REQUESTS
    }
    case 'key': {
      const { kid, x, created_at } = KeyEntry.parse(body)
      const key = await findKey(bucket, kid).catch(() => undefined)
      if (key?.x !== x || key.created_at !== created_at) {
        const object = objectOfKey(kid)
        throw new LedgerError(
          `The public key ${object} in the bucket is ${(await bucket.head(object)) ? 'damaged' : 'missing'}.`,
          object
        )
      }
      return 1
    }
    default:
      return 0
  }
}
