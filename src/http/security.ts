import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { AppEnv } from './env.ts'

/** Returns a middleware that sets security headers. */
const secure = (xFrameOptions: 'DENY' | false) =>
  secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    crossOriginResourcePolicy: 'cross-origin',
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions,
    overwrite: false
  })

const unframed = secure('DENY')
const framed = secure(false)

/** Whether other sites may show the page at this path in a frame. */
export const isFramed = (path: string): boolean => path.startsWith('/embedded/')

/**
 * Security headers of API responses, which are not pages and may be read by any site. Routes with
 * HTML override them. Only pages below `/embedded/` may be framed.
 */
export const secureAnswers: MiddlewareHandler<AppEnv> = (c, next) =>
  isFramed(c.req.path) ? framed(c, next) : unframed(c, next)
