import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { escapeHtml } from '../html.ts'
import type { AppEnv } from './env.ts'
import { contribute } from './openapi.ts'

/** A page with one message and, with `button`, a form that confirms it. */
export type Notice = { title: string; words: string; button?: string }

/** Whether a client asks for a page: only browsers put `text/html` first. */
export const prefersPage = (c: Context<AppEnv>): boolean =>
  (c.req.header('Accept') ?? '').toLowerCase().startsWith('text/html')

/**
 * Responds with a page that shows a notice. The page may send its form to this service, but neither
 * load nor run anything else.
 */
export function answerNotice(
  c: Context<AppEnv>,
  notice: Notice,
  status: ContentfulStatusCode = 200
): Response {
  // The request id is random and new for each request, as a nonce must be.
  const nonce = c.var.requestId
  c.header(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
  )
  c.header('Cache-Control', 'no-store')
  return c.html(toPage(notice, nonce), status)
}

/**
 * Returns a middleware for links that contain a secret. It keeps their responses out of search
 * engines, and shows browsers the errors 404, 429 and 503 as a page: `missing` for 404. Other
 * clients, and other errors, get JSON.
 */
export function behindLink(missing: Notice): MiddlewareHandler<AppEnv> {
  const explain: MiddlewareHandler<AppEnv> = async (c, next) => {
    await next()
    const { status } = c.res
    if (isExplained(status) && prefersPage(c)) {
      c.res = answerNotice(c, status === 404 ? missing : BUSY, status)
    }
    c.res.headers.set('X-Robots-Tag', 'noindex')
    c.res.headers.append('Vary', 'Accept')
  }
  return contribute(explain, { explained: EXPLAINED })
}

/** Statuses of errors that people get as a page. */
const EXPLAINED = [404, 429, 503] as const

const isExplained = (status: number): status is (typeof EXPLAINED)[number] =>
  EXPLAINED.some((explained) => explained === status)

const BUSY: Notice = {
  title: 'Please come back in a minute',
  words: 'The service cannot answer this request now. Reload the page in a minute.'
}

const toPage = ({ title, words, button }: Notice, nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">
:root { color-scheme: light dark; }
body { margin: 15vh auto 0; max-width: 30rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
p { overflow-wrap: anywhere; }
button { padding: .6rem 1.2rem; border: 0; border-radius: 6px; background: light-dark(#1f2328, #e6edf3); color: light-dark(#fff, #0d1117); font: inherit; cursor: pointer; }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(words)}</p>
${button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`}
</body>
</html>
`
