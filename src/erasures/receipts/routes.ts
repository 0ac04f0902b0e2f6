import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { noteRead } from '../../access-log/note.ts'
import { NotFoundError } from '../../errors.ts'
import { createRouter } from '../../http/env.ts'
import { validateBody, validatePath, validateQuery } from '../../http/validation.ts'
import { KnownId } from '../../input/parameters.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { findSecret, secretOpener } from '../../ledger/secret.ts'
import { answerReceipt, ReceiptQuery, wantsPage } from './answer.ts'
import { isSignedBy } from './check.ts'
import { receiptOf } from './issue.ts'
import { findKey, listKeys, openSigningKey, publishKey } from './keys.ts'
import { KEYS, RETRIEVE, VERIFY } from './reference.ts'
import { Presented } from './schemas.ts'
import { findCompleted } from './store.ts'

const Path = z.object({ id: KnownId })

const GENUINE = 'This service signed the receipt, and it has not been changed since.'
const NOT_GENUINE =
  'This service did not sign the receipt for this project, or it has been changed since.'

export const receiptRoutes = createRouter()
  .get(
    '/receipts/:id',
    RETRIEVE,
    allow('person:read'),
    validatePath(Path),
    validateQuery(ReceiptQuery),
    async (c) => {
      const row = await findCompleted(c.var.db, c.var.project.id, c.req.valid('param').id)
      const open = secretOpener(c.env, c.var.db)
      const receipt = row && (await receiptOf(row, open))
      if (!receipt) {
        throw new NotFoundError()
      }
      await noteRead(c, {
        object: 'receipt',
        id: String(receipt.id),
        persons: [receipt.person_uuid]
      })
      if (!wantsPage(c, c.req.valid('query'))) {
        return c.json(receipt)
      }
      const { wordsOf } = await import('./words.ts')
      return answerReceipt(c, { receipt, ...wordsOf(receipt, c.var.project.name) })
    }
  )
  .post(
    '/persons/deletion_receipts/verify',
    VERIFY,
    allow('person:read'),
    validateBody(Presented),
    async (c) => {
      const receipt = c.req.valid('json')
      // With another secret than before, the service does not judge receipts at all.
      await findSecret(c.env, c.var.db)
      const isGenuine = receipt.project_id === c.var.project.id && (await isOurs(receipt, c.env))
      return c.json({ valid: isGenuine, detail: isGenuine ? GENUINE : NOT_GENUINE })
    }
  )

async function isOurs(
  receipt: z.output<typeof Presented>,
  { BUCKET }: Pick<Env, 'BUCKET'>
): Promise<boolean> {
  const key = await findKey(BUCKET, receipt.key)
  return key !== undefined && (await isSignedBy(receipt, key.x))
}

/** Seconds for which clients may cache the list of keys; a cached list may lack a newer key. */
const KEYS_MAX_AGE = 300

/** The public file `/.well-known/receipt-keys.json`. */
export const receiptKeyRoutes = createRouter().get(
  '/.well-known/receipt-keys.json',
  KEYS,
  async (c) => {
    const current = await openSigningKey(c.env)
    if (current) {
      await publishKey(c.env.BUCKET, current, await openLedger(c.env), c.var.now.getTime())
    }
    const found = await listKeys(c.env.BUCKET)
    const keys = found.map(({ kid, x, created_at }, i) => ({
      kty: 'OKP' as const,
      crv: 'Ed25519' as const,
      use: 'sig' as const,
      alg: 'EdDSA' as const,
      kid,
      x,
      created_at,
      // An earlier key may be in use again, for example after a rollback of the Worker.
      retired_at: kid === current?.fingerprint ? null : (found[i + 1]?.created_at ?? null)
    }))
    c.header('Cache-Control', `public, max-age=${KEYS_MAX_AGE}`)
    return c.json({ keys })
  }
)
