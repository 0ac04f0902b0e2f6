import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { UnavailableError } from '../../errors.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { openSecret } from '../../ledger/secret.ts'
import { openSigner, type Signing } from '../receipts/issue.ts'
import { publishKey } from '../receipts/keys.ts'
import { sign } from '../receipts/signature.ts'
import { saltOf } from '../receipts/subject.ts'
import { suppressionToJson } from './schemas.ts'
import { listReceiptHashes, type SuppressionRow } from './store.ts'

/**
 * Signs the present state of a suppression: since when and until when it is in force, and how much
 * it has dropped.
 * @throws UnavailableError when a secret is missing or too short, or RECEIPT_SECRET is another one
 */
export async function signReceipt(
  db: Db,
  row: SuppressionRow,
  env: Pick<Env, 'BUCKET'> & Signing,
  now: Date
) {
  const secret = await openSecret(env, db)
  const signer = await openSigner(env, secret)
  if (!signer) {
    throw new UnavailableError(
      'Receipts cannot be signed: the secret RECEIPT_KEY is missing or too short. A missing secret is generated locally by npm run dev or npm start, and on Cloudflare by npm run deploy.'
    )
  }
  await publishKey(env.BUCKET, signer.key, await openLedger(env), now.getTime())
  const { id, projectId, since } = row
  const content = {
    kind: 'suppression' as const,
    project_id: projectId,
    ...suppressionToJson(row),
    stated_at: toIso(now.getTime()),
    subject: {
      salt: await saltOf(secret.value, { projectId, subjectId: id, requestedAt: since }),
      // The salt of older hashes was made with a secret that is lost.
      distinct_ids: since < secret.since ? [] : await listReceiptHashes(db, row)
    }
  }
  return sign(content, signer.key)
}
