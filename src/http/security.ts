import { secureHeaders } from 'hono/secure-headers'

/** Headers of API responses, which any site may read. Routes with HTML override them. */
export const secureAnswers = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  strictTransportSecurity: 'max-age=15552000',
  xFrameOptions: 'DENY',
  overwrite: false
})
