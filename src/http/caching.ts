import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './env.ts'

/** Request headers that an answer of the API may depend on. */
const NEGOTIATED = 'Accept, Authorization, Prefer'

/** Keeps what the API and a shared link answer, errors too, out of every cache, unless a route says otherwise. */
export const keepPrivate: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()

  const isPersonal = /^\/(api|shared)\//.test(c.req.path)
  if (isPersonal && !c.res.headers.has('Cache-Control')) {
    c.res.headers.set('Cache-Control', 'no-store')
    c.res.headers.append('Vary', NEGOTIATED)
  }
}
