import { createObject, deleteObjects } from '../../bucket.ts'
import { DAY, HOUR } from '../../calendar/units.ts'
import { UnavailableError } from '../../errors.ts'
import { PUT_MS } from '../../queues/waiting-objects.ts'
import { within } from '../../turns.ts'

/*
 * One random salt per calendar day keys the hashes of that day's visitors. It is stored in R2 only,
 * because backups of the database would keep it. Once it is deleted, no hash of that day can be
 * made again or traced back to an address.
 */

export const SALT_PREFIX = 'salts/'

/** Length of a salt, bytes. */
export const SALT_BYTES = 32

/**
 * Offsets of the first and the last time zone, ms: a calendar day begins first at UTC+14 and ends
 * last at UTC-12.
 */
const FIRST_ZONE = 14 * HOUR
const LAST_ZONE = 12 * HOUR
/** How long a salt is kept for late events after its day has ended everywhere, ms. */
const KEPT = 72 * HOUR

/** Salts that this isolate has read, by day. */
const known = new Map<string, Uint8Array>()

/**
 * Returns the salt of a calendar day such as `2026-11-22`; makes the salt when it is first needed.
 * Undefined for a day that has not begun anywhere at `now`, ms UTC, or that ended everywhere at
 * least 72 hours earlier.
 * @throws unavailable when R2 does not answer
 */
export async function findSalt(
  bucket: R2Bucket,
  day: string,
  now: number
): Promise<Uint8Array | undefined> {
  for (const other of known.keys()) {
    if (isOver(other, now)) {
      known.delete(other)
    }
  }
  if (isOver(day, now) || now < Date.parse(day) - FIRST_ZONE) {
    return undefined
  }
  const salt = known.get(day) ?? (await readSalt(bucket, day))
  known.set(day, salt)
  return salt
}

/** Reads a day's salt, or makes it; of several made at once, the first is kept. */
async function readSalt(bucket: R2Bucket, day: string): Promise<Uint8Array> {
  const key = `${SALT_PREFIX}${day}`
  const read = async () => (await bucket.get(key))?.bytes()
  try {
    const existing = await within(PUT_MS, read())
    if (existing) {
      return existing
    }
    const fresh = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    await within(PUT_MS, createObject(bucket, key, fresh))
    const stored = await within(PUT_MS, read())
    if (!stored) {
      throw new Error(`The salt of ${day} is missing although it was written.`)
    }
    return stored
  } catch (error) {
    throw new UnavailableError('transient error, please retry', error)
  }
}

/**
 * Deletes the salts of days that ended everywhere at least 72 hours before `now`, ms UTC. @returns
 * the number of salts
 */
export async function deleteOldSalts(bucket: R2Bucket, now: number): Promise<number> {
  const { objects } = await bucket.list({ prefix: SALT_PREFIX })
  const old = objects
    .map(({ key }) => key)
    .filter((key) => isOver(key.slice(SALT_PREFIX.length), now))
  if (old.length > 0) {
    await deleteObjects(bucket, old)
  }
  return old.length
}

const isOver = (day: string, now: number): boolean =>
  now >= Date.parse(day) + DAY + LAST_ZONE + KEPT

/** Returns the calendar day of a wall-clock time in ms: `2026-11-22`. */
export const dayOf = (clock: number): string => new Date(clock).toISOString().slice(0, 10)
