import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { noteSecret, readState } from './store.ts'

/**
 * Where the ledger keeps the fingerprints of the deployment's secrets. Each object is created once; the last one counts. A
 * restore of a database does not change them.
 */
const PREFIX = 'ledger/secrets/'

/** The secret that the deployment uses. */
const Fingerprint = z.object({
  /** A keyed hash, from which nobody can compute the secret; null if the secret is lost and the next one is to be adopted. */
  fingerprint: z.string().nullable(),
  /** From when on the deployment uses the secret, ms UTC; 0 for its first secret. */
  since: z.int()
})
export type Fingerprint = { fingerprint: string; since: number }

/** `12` → `ledger/secrets/000000000012` */
export const secretKeyOf = (seq: number): string => `${PREFIX}${String(seq).padStart(12, '0')}`

/** Reads the content of an object below `ledger/secrets/`. @throws when it is damaged */
export const parseFingerprint = (json: unknown): z.infer<typeof Fingerprint> =>
  Fingerprint.parse(json)

/** Finds the last fingerprint in the ledger, by getting one object after the other; `seq` is 0 if there is none. */
async function findLast(bucket: R2Bucket): Promise<z.infer<typeof Fingerprint> & { seq: number }> {
  let last = { seq: 0, fingerprint: null as string | null, since: 0 }
  for (;;) {
    const seq = last.seq + 1
    const object = await bucket.get(secretKeyOf(seq))
    if (!object) {
      return last
    }
    last = { seq, ...parseFingerprint(await object.json()) }
  }
}

/** Reads the fingerprint of the deployment's secret: the ledger's, or else the database's; undefined if neither has one. */
export async function readFingerprint(bucket: R2Bucket, db: Db): Promise<Fingerprint | undefined> {
  const { seq, fingerprint, since } = await findLast(bucket)
  if (fingerprint !== null) {
    return { fingerprint, since }
  }
  return seq === 0 ? (await readState(db)).secret : undefined
}

/**
 * Reads the fingerprint of the deployment's secret, and copies it to where it is missing. If there is none, or the last
 * secret was given up, adopts the fingerprint `own`.
 */
export async function settleFingerprint(
  bucket: R2Bucket,
  db: Db,
  own: string,
  now: number
): Promise<Fingerprint> {
  const { secret: noted } = await readState(db)
  const { seq, fingerprint, since } = await findLast(bucket)
  if (fingerprint !== null) {
    if (noted?.fingerprint !== fingerprint || noted.since !== since) {
      await noteSecret(db, { fingerprint, since })
    }
    return { fingerprint, since }
  }
  const first = noted ?? { fingerprint: own, since: 0 }
  const next = { fingerprint: own, since: noted?.fingerprint === own ? noted.since : now }
  const adopted = JSON.stringify(seq === 0 ? first : next)
  await bucket.put(secretKeyOf(seq + 1), adopted, { onlyIf: { etagDoesNotMatch: '*' } })
  // Read back: another invocation may have been faster.
  return settleFingerprint(bucket, db, own, now)
}

/**
 * Gives up the deployment's secret, which is lost: the service adopts the next one.
 * @returns whether there was a secret to give up
 */
export async function giveUpSecret(bucket: R2Bucket, now: number): Promise<boolean> {
  const { seq, fingerprint } = await findLast(bucket)
  const given = JSON.stringify({ fingerprint: null, since: now })
  const options = { onlyIf: { etagDoesNotMatch: '*' } }
  return fingerprint !== null && (await bucket.put(secretKeyOf(seq + 1), given, options)) !== null
}
