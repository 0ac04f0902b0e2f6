import type { MiddlewareHandler } from 'hono'
import { AppError } from '../errors.ts'
import type { AppEnv } from './env.ts'

/** A name, an IPv4 or a bracketed IPv6 address, with or without a port. */
const HOST = /^(?:\w(?:[\w.-]*\w)?\.?|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** Whether a text can be the `Host` of a request. Parsers of URLs accept more: `evil;script-src` */
export const isHost = (text: string): boolean => HOST.test(text) && URL.canParse(`http://${text}`)

export const NOT_A_HOST = 'The `Host` of the request is not the name or the address of a host.'

/**
 * Refuses a request whose `Host` is not a host: links, snippets and the content security policy of
 * the player contain the origin of the request.
 */
export const expectHost: MiddlewareHandler<AppEnv> = (c, next) => {
  // `https://host:8787/path?query` → ['https:', '', 'host:8787']
  const [, , host = ''] = c.req.url.split(/[/?#]/, 3)
  if (!isHost(host)) {
    throw new AppError('parse_error', NOT_A_HOST)
  }
  return next()
}
