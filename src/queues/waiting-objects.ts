import type * as z from 'zod'
import { deleteObjects } from '../bucket.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { within } from '../turns.ts'
import { readChecked } from './checked.ts'
import { PoisonError } from './failure.ts'

/**
 * Time after which writing an object counts as failed, ms: a local R2 on a nearly full disk never
 * answers.
 */
export const PUT_MS = 8_000
/** Longest deletion of objects, ms: it takes seconds if one was just written. */
const DISCARD_MS = 5_000

/** The prefix of captured requests that wait to be processed. */
export const SPILL_PREFIX = 'capture/'

/**
 * The prefix of markers. A marker contains the message of a recording part until the message is
 * processed.
 */
export const MARKER_PREFIX = 'queued/'

/**
 * Returns the key of an object that waits for its message to be processed. A project's keys sort in
 * the order in which the objects were accepted: `capture/7/2026-11-22T05:00:00.000Z/<name>.json`.
 */
export const waitingKey = (
  prefix: string,
  projectId: number,
  acceptedAt: number,
  name: string
): string => `${prefix}${projectId}/${new Date(acceptedAt).toISOString()}/${name}.json`

/** The parts of a waiting object's key. `acceptedAt` is ms UTC. */
type WaitingKey = { projectId: number; acceptedAt: number; name: string }

/** Reads the key of a waiting object; undefined for any other key. */
export function readWaitingKey(key: string): WaitingKey | undefined {
  const [, projectId, acceptedAt = '', name = ''] =
    /^[a-z]+\/(\d+)\/([^/]+)\/(.+)\.json$/.exec(key) ?? []
  const time = Date.parse(acceptedAt)
  return Number.isNaN(time) ? undefined : { projectId: Number(projectId), acceptedAt: time, name }
}

/** Lists a project's waiting objects accepted up to `until`, ms UTC, oldest first. */
export async function* listWaiting(
  bucket: R2Bucket,
  prefix: string,
  projectId: number,
  until: number
): AsyncGenerator<string> {
  const folder = `${prefix}${projectId}/`
  for (let after = folder; ; ) {
    const { objects, truncated } = await bucket.list({ prefix: folder, startAfter: after })
    for (const { key } of objects) {
      if ((readWaitingKey(key)?.acceptedAt ?? 0) > until) {
        return
      }
      yield key
    }
    const last = objects.at(-1)?.key
    if (!truncated || last === undefined) {
      return
    }
    after = last
  }
}

/**
 * Deletes objects whose message is processed, or whose request is refused. A failure is only
 * logged: the sweep resends the message of an object that stays.
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

/**
 * Reads the JSON of an object; undefined if the object does not exist.
 * @throws PoisonError if the object is damaged, SyntaxError if it is not JSON
 */
export async function readObject(bucket: R2Bucket, key: string): Promise<unknown> {
  const content = await readChecked(bucket, key)
  if (content && !content.isIntact) {
    throw new PoisonError(`The object ${key} in the bucket is damaged.`)
  }
  return content && JSON.parse(new TextDecoder().decode(content.bytes))
}

/** Reads the text of an object; undefined if the object does not exist. */
export async function readText(bucket: R2Bucket, key: string): Promise<string | undefined> {
  const object = await bucket.get(key)
  return object ? await object.text() : undefined
}

/** Parses a text as JSON; returns a text that is not JSON as it is. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Reads a note of how far a sweep has got. Undefined if there is none, or if it cannot be read: the
 * sweep then begins anew.
 */
export async function readProgress<S extends z.ZodType>(
  bucket: R2Bucket,
  key: string,
  schema: S
): Promise<z.output<S> | undefined> {
  const text = await readText(bucket, key)
  return text === undefined ? undefined : schema.safeParse(jsonOrText(text)).data
}
