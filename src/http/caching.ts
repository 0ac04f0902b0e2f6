import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './env.ts'

/** Request headers that a response of the API may depend on. */
const NEGOTIATED = 'Accept, Authorization, Prefer'

/**
 * Forbids caching of all responses of the API, of shared links and of the health checks, errors included, unless a route
 * sets its own header.
 */
export const keepPrivate: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()

  const isPersonal = /^\/(api|shared)\//.test(c.req.path)
  const isHealthCheck = /^\/(livez|readyz)\/?$/.test(c.req.path)
  if (isHealthCheck) {
    c.res.headers.set('Cache-Control', 'no-store')
  }
  if (isPersonal && !c.res.headers.has('Cache-Control')) {
    c.res.headers.set('Cache-Control', 'no-store')
    c.res.headers.append('Vary', NEGOTIATED)
  }
}
