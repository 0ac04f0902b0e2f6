import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type HtmlPage, htmlPage } from '../html/page.ts'
import type { AppEnv } from './env.ts'

/** Sources of a content security policy, by directive. */
export type Policy = Record<string, string>

/** The policy of a page that other sites may show in a frame; see `secureAnswers`. */
export const FRAMED: Policy = { 'frame-ancestors': '*' }

/**
 * Returns the nonce of a response's page. It must be unguessable and new for each response; the
 * request id is both.
 */
export const nonceOf = (c: Context<AppEnv>): string => c.var.requestId

/**
 * Responds with a page. It may show its own styles and `data:` images, and load, run and frame
 * nothing else.
 * @param policy directives that replace or add to those
 */
export function answerPage(
  c: Context<AppEnv>,
  page: Omit<HtmlPage, 'nonce'>,
  { policy = {}, status = 200 }: { policy?: Policy; status?: ContentfulStatusCode } = {}
): Response {
  const nonce = nonceOf(c)
  const directives: Policy = {
    'default-src': "'none'",
    'style-src': `'nonce-${nonce}'`,
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...policy
  }
  c.header(
    'Content-Security-Policy',
    Object.entries(directives)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; ')
  )
  c.header('Cache-Control', 'no-store')
  return c.html(htmlPage({ ...page, nonce }), status)
}
