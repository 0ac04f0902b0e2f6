import { secureHeaders } from 'hono/secure-headers'

/** Security headers of API responses, which are not pages and may be read by any site. Routes with HTML override them. */
export const secureAnswers = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  strictTransportSecurity: 'max-age=15552000',
  xFrameOptions: 'DENY',
  overwrite: false
})
