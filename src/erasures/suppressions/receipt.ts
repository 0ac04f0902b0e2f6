import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { UnavailableError } from '../../errors.ts'
import { GENESIS } from '../../ledger/entry.ts'
import { openSigner, type Signing } from '../receipts/issue.ts'
import { publishKey } from '../receipts/keys.ts'
import { sign } from '../receipts/signature.ts'
import { saltOf } from '../receipts/subject.ts'
import { receiptSecret } from '../secret.ts'
import { suppressionToJson } from './schemas.ts'
import { listReceiptHashes, type SuppressionRow } from './store.ts'

/**
 * Signs the present state of a suppression: since when and until when it is in force, and how much it
 * has dropped.
 * @throws UnavailableError when a secret is missing or too short
 */
export async function signReceipt(
  db: Db,
  row: SuppressionRow,
  env: Pick<Env, 'BUCKET'> & Signing,
  now: Date
) {
  const secret = receiptSecret(env)
  const signer = await openSigner(env)
  if (!signer) {
    throw new UnavailableError(
      'Receipts cannot be signed: the secret RECEIPT_KEY is missing or too short. A missing secret is generated locally by npm run dev or npm start, and on Cloudflare by npm run deploy.'
    )
  }
  await publishKey(env.BUCKET, signer.key, GENESIS, now.getTime())
  const { id, projectId, since } = row
  const content = {
    kind: 'suppression' as const,
    project_id: projectId,
    ...suppressionToJson(row),
    stated_at: toIso(now.getTime()),
    subject: {
      salt: await saltOf(secret, { projectId, subjectId: id, requestedAt: since }),
      distinct_ids: await listReceiptHashes(db, row)
    }
  }
  return sign(content, signer.key)
}
