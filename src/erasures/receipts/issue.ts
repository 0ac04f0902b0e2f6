import { canonical, sha256 } from '../../hash.ts'
import type { OwnSecret, SecretOpener } from '../../ledger/secret.ts'
import type { ReceiptContent } from '../receipt.ts'
import type { ErasureRow } from '../store.ts'
import { openSigningKey, type SigningKey } from './keys.ts'
import type { Receipt, StoredReceipt } from './schemas.ts'
import { sign } from './signature.ts'
import type { Subject } from './store.ts'
import { saltOf } from './subject.ts'

/** The secrets of receipts. `RECEIPT_KEY` signs and may be rotated. `RECEIPT_SECRET` makes salts, and is never changed. */
export type Signing = { RECEIPT_KEY?: string; RECEIPT_SECRET?: string }

export type Signer = { key: SigningKey; secret: OwnSecret }

/**
 * Returns the key and the secret for signing receipts; undefined when one of them is missing or too short.
 * @param secret the deployment's secret, from `findSecret`
 */
export async function openSigner(
  env: Signing,
  secret: OwnSecret | undefined
): Promise<Signer | undefined> {
  const key = await openSigningKey(env)
  return key && secret && { key, secret }
}

/**
 * Signs a receipt. It has no `subject` if its salt was made with a secret that is lost. `erasedAt` is when the erasure of the person was requested.
 * @returns the receipt to store, and the hash of the signed receipt for the ledger. The stored receipt lacks the salt
 */
export async function issueReceipt(
  content: ReceiptContent,
  { hashes, erasedAt }: Subject,
  { key, secret }: Signer
): Promise<{ stored: StoredReceipt; hash: string }> {
  if (erasedAt < secret.since) {
    const signed = await sign(content, key)
    return { stored: signed, hash: sha256(canonical(signed)) }
  }
  const distinctIds = hashes.toSorted()
  const salt = await saltFor(content, secret.value, erasedAt)
  const signed = await sign({ ...content, subject: { salt, distinct_ids: distinctIds } }, key)
  return {
    stored: { ...signed, subject: { distinct_ids: distinctIds, erased_at: erasedAt } },
    hash: sha256(canonical(signed))
  }
}

/**
 * Returns the receipt of an erasure, with its salt if it has a subject; null before the erasure is completed. A receipt whose
 * salt was made with a lost secret is returned without subject and signature.
 * @throws UnavailableError when the salt's secret is missing, too short, or another one
 */
export async function receiptOf(row: ErasureRow, open: SecretOpener): Promise<Receipt | null> {
  if (row.status !== 'completed' || row.receipt === null) {
    return null
  }
  // Returned as it was signed: what a schema leaves out or adds would invalidate the signature.
  const { subject, ...stored } = row.receipt as StoredReceipt
  if (!subject) {
    return stored
  }
  const secret = await open()
  const { erased_at: erasedAt, ...signed } = subject
  if (erasedAt < secret.since) {
    return { ...stored, signature: null }
  }
  return { ...stored, subject: { salt: await saltFor(stored, secret.value, erasedAt), ...signed } }
}

/** Returns the salt of a receipt. `erasedAt` is when the erasure of the person was requested, ms UTC. */
const saltFor = (
  receipt: Pick<ReceiptContent, 'project_id' | 'person_uuid'>,
  secret: string,
  erasedAt: number
): Promise<string> =>
  saltOf(secret, {
    projectId: receipt.project_id,
    subjectId: receipt.person_uuid,
    requestedAt: erasedAt
  })
