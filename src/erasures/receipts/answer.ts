import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../http/env.ts'
import { answerPage, nonceOf } from '../../http/html-page.ts'
import { findKey } from './keys.ts'
import type { Shown } from './page.ts'

export const ReceiptQuery = z.object({
  format: z.enum(['json', 'html']).optional().meta({
    description:
      'Format of the receipt; errors are always JSON. Without `format`, an `Accept` header that begins with `text/html` asks for the page.'
  })
})

/** Whether a request asks for the page of a receipt. */
export const wantsPage = (c: Context<AppEnv>, { format }: z.infer<typeof ReceiptQuery>): boolean =>
  format === undefined ? /^text\/html\b/i.test(c.req.header('Accept') ?? '') : format === 'html'

/** Responds with a receipt as a page, which is loaded on demand. */
export async function answerReceipt(
  c: Context<AppEnv>,
  shown: Pick<Shown, 'receipt' | 'lead' | 'facts'>
): Promise<Response> {
  const { receiptPage } = await import('./page.ts')
  const { receipt } = shown
  const key = await findKey(c.env.BUCKET, receipt.key)
  const nonce = nonceOf(c)
  c.header('Content-Disposition', `inline; filename="deletion-receipt-${receipt.id}.html"`)
  const page = receiptPage({ ...shown, key, origin: new URL(c.req.url).origin, nonce })
  return answerPage(c, page, { policy: { 'script-src': `'nonce-${nonce}'` } })
}
