import { canonical } from '../../encoding.ts'
import { sha256 } from '../../hash.ts'
import type { OwnSecret, SecretOpener } from '../../ledger/secret.ts'
import type { ErasureRow } from '../engine/store.ts'
import { openSigningKey, type SigningKey } from './keys.ts'
import type { Receipt } from './schemas.ts'
import { sign } from './signature.ts'
import { saltOf } from './subject.ts'

/** `RECEIPT_KEY` signs and may be rotated. `RECEIPT_SECRET` makes salts, and stays. */
export type Signing = { RECEIPT_KEY?: string; RECEIPT_SECRET?: string }

export type Signer = { key: SigningKey; secret: OwnSecret }

/**
 * Returns the key and the secret for signing receipts; undefined when one of them is missing or too
 * short.
 * @param secret the deployment's secret, from `findSecret`
 */
export async function openSigner(
  env: Signing,
  secret: OwnSecret | undefined
): Promise<Signer | undefined> {
  const key = await openSigningKey(env)
  return key && secret && { key, secret }
}

/** The salt of a receipt, with what it was made from: see `saltOf`. */
export type Salt = { value: string; saltedAt: number }

/** A receipt as the database keeps it: from the time of the salt, the salt is made again. */
type Stored = Record<string, unknown> & {
  project_id: number
  subject?: Record<string, unknown> & { salted_at: number }
}

/** A signed receipt as the database keeps it, and the hash of the whole receipt for the ledger. */
export type Issued = { stored: Stored; hash: string }

/**
 * Signs a receipt.
 * @param subject hashes that the salt makes, and the salt; undefined if the salt was made with a
 * secret that is lost
 */
export async function issueReceipt(
  content: Record<string, unknown> & { project_id: number },
  subject: { hashes: Record<string, unknown>; salt: Salt } | undefined,
  key: SigningKey
): Promise<Issued> {
  if (!subject) {
    const signed = await sign(content, key)
    return { stored: signed, hash: sha256(canonical(signed)) }
  }
  const { hashes, salt } = subject
  const signed = await sign({ ...content, subject: { salt: salt.value, ...hashes } }, key)
  return {
    stored: { ...signed, subject: { ...hashes, salted_at: salt.saltedAt } },
    hash: sha256(canonical(signed))
  }
}

/**
 * Returns a stored receipt as it was signed.
 * @returns `isLost` if its salt was made with a secret that is lost; the receipt then has no
 * subject, and its signature is wrong
 * @throws UnavailableError when the salt's secret is missing, too short, or another one
 */
export async function showReceipt(
  receipt: Record<string, unknown>,
  subjectId: string,
  open: SecretOpener
): Promise<{ shown: Record<string, unknown>; isLost: boolean }> {
  // Not parsed: what a schema leaves out or adds would invalidate the signature.
  const { subject, ...shown } = receipt as Stored
  if (!subject) {
    return { shown, isLost: false }
  }
  const { value: secret, since } = await open()
  const { salted_at: requestedAt, ...hashes } = subject
  if (requestedAt < since) {
    return { shown, isLost: true }
  }
  const salt = await saltOf(secret, { projectId: shown.project_id, subjectId, requestedAt })
  return { shown: { ...shown, subject: { salt, ...hashes } }, isLost: false }
}

/**
 * Returns the receipt of an erasure, as it was signed; null before the erasure is completed. A
 * receipt whose salt was made with a lost secret is returned without subject and signature.
 * @throws UnavailableError when the salt's secret is missing, too short, or another one
 */
export async function receiptOf(
  { status, receipt, personUuid }: ErasureRow,
  open: SecretOpener
): Promise<Receipt | null> {
  if (status !== 'completed' || receipt === null) {
    return null
  }
  const { shown, isLost } = await showReceipt(receipt, personUuid, open)
  return { ...shown, ...(isLost && { signature: null }) } as Receipt
}
