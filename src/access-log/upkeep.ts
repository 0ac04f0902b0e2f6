import { deleteObjects } from '../bucket.ts'
import { goBack } from '../calendar/clock.ts'
import { DAY } from '../calendar/units.ts'
import { dayFolder, dayOf } from './entry.ts'
import { linesOf, readLine, writeEntries } from './lines.ts'
import { listDays, listObjects } from './search.ts'

/** Months for which entries are kept. */
export const ACCESS_LOG_MONTHS = 13

/** Days whose objects are joined: a message that fails may arrive that much later. */
const JOINED_DAYS = 3
/** Bytes of an object that is joined to no other. */
const LARGE_BYTES = 4_000_000
/** Objects that R2 deletes in one request. */
const DELETED_AT_ONCE = 1_000

export type Upkeep = { deleted: number; joined: number }

/**
 * Deletes the entries of a project that are older than 13 months, and joins the many small objects
 * of the last days, so that a search reads few. Today's objects are left alone.
 */
export async function keepAccessLog(
  bucket: R2Bucket,
  projectId: number,
  now: number
): Promise<Upkeep> {
  const today = dayOf(now)
  const oldest = dayOf(goBack(now, ACCESS_LOG_MONTHS, 'm', 'UTC'))
  const joinedFrom = dayOf(now - JOINED_DAYS * DAY)
  const done: Upkeep = { deleted: 0, joined: 0 }
  for (const day of await listDays(bucket, projectId)) {
    const folder = dayFolder(projectId, day)
    if (day < oldest) {
      done.deleted += await deleteFolder(bucket, folder)
    } else if (day >= joinedFrom && day < today) {
      done.joined += await joinFolder(bucket, folder)
    }
  }
  return done
}

async function deleteFolder(bucket: R2Bucket, folder: string): Promise<number> {
  const keys = (await listObjects(bucket, folder)).map(({ key }) => key)
  await deleteAll(bucket, keys)
  return keys.length
}

async function deleteAll(bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
    await deleteObjects(bucket, keys.slice(at, at + DELETED_AT_ONCE))
  }
}

/**
 * Joins the small objects of a day. The joined object is written before the others are deleted: if
 * that is interrupted, entries are there twice, of which readers show one.
 * @returns the number of objects that are gone
 */
async function joinFolder(bucket: R2Bucket, folder: string): Promise<number> {
  const small = (await listObjects(bucket, folder)).filter(({ size }) => size < LARGE_BYTES)
  let joined = 0
  for (const group of groupsOf(small)) {
    if (group.length > 1) {
      const entries = []
      for (const { key } of group) {
        const content = await (await bucket.get(key))?.text()
        entries.push(...linesOf(content ?? '').map(readLine))
      }
      const whole = await writeEntries(bucket, folder, entries)
      const parts = group.map(({ key }) => key).filter((key) => key !== whole)
      await deleteAll(bucket, parts)
      joined += parts.length
    }
  }
  return joined
}

/** Splits objects into groups of `LARGE_BYTES` or a little more. */
function groupsOf(objects: readonly R2Object[]): R2Object[][] {
  const groups: R2Object[][] = []
  let bytes = LARGE_BYTES
  for (const object of objects) {
    if (bytes >= LARGE_BYTES) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(object)
    bytes += object.size
  }
  return groups
}
