import { deleteObjects } from '../bucket.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { within } from '../pause.ts'

/**
 * Time after which writing an object counts as failed, ms: a local R2 on a nearly full disk never
 * answers.
 */
export const PUT_MS = 8_000
/** Time after which deleting objects counts as failed, ms: it takes seconds if an object was just written. */
const DISCARD_MS = 5_000

/** The prefix of captured requests that wait to be processed. */
export const SPILL_PREFIX = 'capture/'

/**
 * The prefix of markers. A marker contains the message of a recording part until the message is
 * processed.
 */
export const MARKER_PREFIX = 'queued/'

/**
 * Returns the key of an object that waits for its message to be processed. A project's keys sort in the order in which
 * the objects were accepted: `capture/7/2026-11-22T05:00:00.000Z/<name>.json`.
 */
export const waitingKey = (
  prefix: string,
  projectId: number,
  acceptedAt: number,
  name: string
): string => `${prefix}${projectId}/${new Date(acceptedAt).toISOString()}/${name}.json`

/**
 * Finds when a project's oldest object with this prefix was accepted, ms UTC; undefined if none
 * waits.
 */
export async function findOldest(
  bucket: R2Bucket,
  prefix: string,
  projectId: number
): Promise<number | undefined> {
  const folder = `${prefix}${projectId}/`
  const { objects } = await bucket.list({ prefix: folder, limit: 1 })
  const [oldest] = objects
  return oldest && Date.parse(oldest.key.slice(folder.length).split('/')[0] ?? '')
}

/**
 * Deletes objects whose message is processed, or whose request is refused. A failure is only logged:
 * the sweep resends the message of an object that stays.
 */
export async function discard(bucket: R2Bucket, keys: string[]): Promise<void> {
  if (keys.length === 0) {
    return
  }
  await within(DISCARD_MS, deleteObjects(bucket, [...new Set(keys)])).catch((error) => {
    log('warn', 'objects stay in the bucket until the sweep', {
      objects: keys.length,
      error: describeError(error)
    })
  })
}

/** Reads the JSON of an object; undefined if the object does not exist. */
export async function readObject(bucket: R2Bucket, key: string): Promise<unknown> {
  const object = await bucket.get(key)
  return object ? await object.json() : undefined
}
