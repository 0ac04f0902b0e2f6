import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './env.ts'

/** Request headers that a response of the API may depend on. */
const NEGOTIATED = 'Accept, Authorization, Prefer'

/**
 * Forbids caching of all responses of the API, of shared links and of the health checks, and of all
 * errors, unless a route sets its own header.
 */
export const keepPrivate: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()

  if (c.res.headers.has('Cache-Control')) {
    return
  }
  const isPersonal = /^\/(api|shared)\//.test(c.req.path)
  const isHealthCheck = /^\/(livez|readyz)\/?$/.test(c.req.path)
  if (isPersonal || isHealthCheck || c.res.status >= 400) {
    c.res.headers.set('Cache-Control', 'no-store')
  }
  if (isPersonal) {
    c.res.headers.append('Vary', NEGOTIATED)
  }
}
