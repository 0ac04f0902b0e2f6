import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from '../../http/env.ts'
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
export async function answerPage(
  c: Context<AppEnv>,
  shown: Pick<Shown, 'receipt' | 'lead' | 'facts'>
): Promise<Response> {
  const { policyOf, receiptPage } = await import('./page.ts')
  const { receipt } = shown
  const key = await findKey(c.env.BUCKET, receipt.key)
  // The request id is random and new for each request, as a nonce must be.
  const nonce = c.var.requestId
  c.header('Content-Security-Policy', policyOf(nonce))
  c.header('Content-Disposition', `inline; filename="deletion-receipt-${receipt.id}.html"`)
  const { origin } = new URL(c.req.url)
  return c.html(receiptPage({ ...shown, key, origin, nonce }))
}
