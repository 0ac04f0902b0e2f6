import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { escapeHtml } from '../html/escape.ts'
import { BRAND } from '../html/page.ts'
import type { AppEnv } from './env.ts'
import { answerPage, FRAMED } from './html-page.ts'
import { contribute } from './openapi.ts'
import { isFramed } from './security.ts'

/**
 * A page with one message. `button` adds a form that confirms it, `leadsOn` links to the pages that
 * everybody may open.
 */
export type Notice = { title: string; words: string; button?: string; leadsOn?: boolean }

/** Whether a client asks for a page: only browsers put `text/html` first. */
export const prefersPage = (c: Context<AppEnv>): boolean =>
  (c.req.header('Accept') ?? '').toLowerCase().startsWith('text/html')

/** Responds with a page that shows a notice. The page may send its form to this service. */
export function answerNotice(
  c: Context<AppEnv>,
  { title, words, button, leadsOn = false }: Notice,
  status: ContentfulStatusCode = 200
): Response {
  const form = `<form method="post"><button class="b main-b">${escapeHtml(button ?? '')}</button></form>`
  const request = `<p class="mut request">${status}, request <span class="mono">${c.var.requestId}</span></p>`
  const body = `<main class="door">
${BRAND}
<h1>${escapeHtml(title)}</h1>
<p class="sec words">${escapeHtml(words)}</p>
${button === undefined ? '' : form}
${leadsOn ? LINKS : ''}
${status < 400 ? '' : request}
</main>`
  const policy = { 'form-action': "'self'", ...(isFramed(c.req.path) && FRAMED) }
  return answerPage(c, { title, style: STYLE, body }, { policy, status })
}

const LINKS =
  '<nav class="row"><a class="b main-b" href="/">What this service is</a><a class="b" href="/docs">API reference</a></nav>'

const STYLE = `
.door h1 { padding-top: 28px; }
.words { padding: var(--s-8) 0 var(--s-24); font: var(--regular) var(--t-14) var(--font); }
.door nav { padding-bottom: var(--s-24); }
.request { font: var(--regular) var(--t-12) var(--font); }
`

/**
 * Returns a middleware for links that contain a secret. It keeps their responses out of search
 * engines, and shows browsers the errors 404, 429, 500 and 503 as a page: `missing` for 404.
 * Other clients, and other errors, get JSON.
 */
export function behindLink(missing: Notice): MiddlewareHandler<AppEnv> {
  const explain: MiddlewareHandler<AppEnv> = async (c, next) => {
    await next()
    const { status } = c.res
    if (isExplained(status) && prefersPage(c)) {
      c.res = answerNotice(c, { ...NOTICES, 404: missing }[status], status)
    }
    c.res.headers.set('X-Robots-Tag', 'noindex')
    c.res.headers.append('Vary', 'Accept')
  }
  return contribute(explain, { explained: EXPLAINED })
}

/** Statuses of errors that people get as a page. */
const EXPLAINED = [404, 429, 500, 503] as const

const isExplained = (status: number): status is (typeof EXPLAINED)[number] =>
  EXPLAINED.some((explained) => explained === status)

const BUSY: Notice = {
  title: 'Please come back in a minute',
  words: 'The service cannot answer this request now. Reload the page in a minute.'
}

const NOTICES = {
  404: {
    title: 'There is no page here',
    words: 'The address may be incomplete or misspelt.',
    leadsOn: true
  },
  405: {
    title: 'This address is for programs',
    words: 'A browser cannot open it. The API reference says which requests it takes.',
    leadsOn: true
  },
  429: BUSY,
  500: {
    title: 'Something went wrong',
    words:
      'The log of the service says what. Reload the page in a minute; if that does not help, give its operator the number below.'
  },
  503: BUSY
} satisfies Record<number, Notice>

/**
 * Returns a handler for requests that no route takes. Outside the API, it shows browsers a page
 * instead of the error of `answer`.
 */
export const explainUnrouted =
  (answer: (c: Context<AppEnv>) => Response) =>
  (c: Context<AppEnv>): Response => {
    const error = answer(c)
    const status = error.status === 405 ? 405 : 404
    const isApi = /^\/api(\/|$)/.test(c.req.path)
    return prefersPage(c) && !isApi ? answerNotice(c, NOTICES[status], status) : error
  }
