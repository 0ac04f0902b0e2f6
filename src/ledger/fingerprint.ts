import * as z from 'zod'
import { type Creating, createObject } from '../bucket.ts'
import type { AnyDb, Db } from '../db/client.ts'
import { noteSecret, readState } from './store.ts'

/**
 * Where the ledger keeps the fingerprints of the deployment's secrets. Each object is created once;
 * the last one counts. A restore of a database does not change them.
 */
export const FINGERPRINTS_PREFIX = 'ledger/secrets/'

/** A keyed hash of the secret in use, from which nobody can compute the secret. */
export const Fingerprint = z.object({
  fingerprint: z.string(),
  /** From when on the deployment uses the secret, ms UTC; 0 for its first secret. */
  since: z.int()
})
export type Fingerprint = z.infer<typeof Fingerprint>

/** The part of a bucket that is used here. */
export type Fingerprints = Creating<string> & {
  get(key: string): Promise<{ json(): Promise<unknown> } | null>
}

/** `12` → `ledger/secrets/000000000012` */
const keyOf = (seq: number): string => `${FINGERPRINTS_PREFIX}${String(seq).padStart(12, '0')}`

/** Finds the last fingerprint by getting one object after the other; `seq` is 0 without one. */
async function findLast(bucket: Pick<Fingerprints, 'get'>) {
  let last: { seq: number; known: Fingerprint | undefined } = { seq: 0, known: undefined }
  for (;;) {
    const seq = last.seq + 1
    const object = await bucket.get(keyOf(seq))
    if (!object) {
      return last
    }
    last = { seq, known: Fingerprint.parse(await object.json()) }
  }
}

/** Finds the fingerprint in the ledger; undefined before the first use of a secret. */
export const findFingerprint = async (
  bucket: Pick<Fingerprints, 'get'>
): Promise<Fingerprint | undefined> => (await findLast(bucket)).known

/** Reads the fingerprint: the ledger's, or else the database's; undefined without either. */
export const readFingerprint = async (
  bucket: Fingerprints,
  db: AnyDb
): Promise<Fingerprint | undefined> =>
  (await findFingerprint(bucket)) ?? (await readState(db)).secret

/**
 * Reads the fingerprint of the deployment's secret, and copies it to where it is missing: to the
 * ledger or to the database. If neither has one, adopts the fingerprint `own`.
 */
export async function settleFingerprint(
  bucket: Fingerprints,
  db: Db,
  own: string
): Promise<Fingerprint> {
  const { secret: noted } = await readState(db)
  const known = await findFingerprint(bucket)
  if (!known) {
    const first = noted ?? { fingerprint: own, since: 0 }
    await createObject(bucket, keyOf(1), JSON.stringify(first))
    // Read back: another invocation may have been faster.
    return settleFingerprint(bucket, db, own)
  }
  if (noted?.fingerprint !== known.fingerprint || noted.since !== known.since) {
    await noteSecret(db, known)
  }
  return known
}

/** Enters the fingerprint of another secret, because the one so far is lost or replaced. */
export async function replaceFingerprint(bucket: Fingerprints, next: Fingerprint): Promise<void> {
  const { seq } = await findLast(bucket)
  await createObject(bucket, keyOf(seq + 1), JSON.stringify(next))
}
