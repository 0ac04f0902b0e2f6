import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from './env.ts'

const DAY_SECONDS = 86_400

/** Older SDKs send their beacons with credentials, which a browser allows only to the very origin that is named. */
const forSdks = cors({
  origin: (origin) => origin,
  credentials: true,
  allowMethods: ['GET', 'POST', 'OPTIONS'],
  exposeHeaders: ['Retry-After', 'X-Request-Id'],
  maxAge: DAY_SECONDS
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
  maxAge: DAY_SECONDS
})

/** Lets pages of every site send events and, with a key or a link, call the API: nothing here goes by a browser's cookies. */
export const allowPages: MiddlewareHandler<AppEnv> = (c, next) =>
  (/^\/(api|shared)\//.test(c.req.path) ? forApiClients : forSdks)(c, next)
