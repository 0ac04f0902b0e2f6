import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { DAY } from '../calendar/units.ts'
import type { AppEnv } from './env.ts'

/** Time for which browsers keep the answer to a preflight request, seconds. */
const MAX_AGE = DAY / 1000

/**
 * Repeats the request's origin instead of `*`: older SDKs send beacons with credentials, for which
 * browsers refuse `*`.
 */
const forSdks = cors({
  origin: (origin) => origin,
  credentials: true,
  allowMethods: ['GET', 'POST', 'OPTIONS'],
  exposeHeaders: ['Retry-After', 'X-Request-Id'],
  maxAge: MAX_AGE
})

const forApiClients = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  exposeHeaders: [
    'Allow',
    'Content-Disposition',
    'ETag',
    'Preference-Applied',
    'Retry-After',
    'WWW-Authenticate',
    'X-Ignored-Fields',
    'X-Request-Id',
    'x-d1-bookmark'
  ],
  maxAge: MAX_AGE
})

/** Whether a path is for keys and links. Some below `/api/` are for SDKs in browsers. */
const isForApiClients = (path: string): boolean =>
  /^\/(api|shared)\//.test(path) && !SDK_PATHS.test(path)

const SDK_PATHS =
  /^\/api\/(early_access_features|feature_flag|product_tours|surveys|web_experiments)(\/|$)/

/** Allows pages of every site to send events and call the API: no cookie counts. */
export const allowPages: MiddlewareHandler<AppEnv> = async (c, next) => {
  const allow = isForApiClients(c.req.path) ? forApiClients : forSdks
  if (c.req.method === 'OPTIONS') {
    return allow(c, next)
  }
  // Headers that are set before there is a response make Hono build the response three times.
  await next()
  await allow(c, async () => {})
}
