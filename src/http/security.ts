import { secureHeaders } from 'hono/secure-headers'

/** What an answer is not: a page, or for one site only. A route that is one sets its own. */
export const secureAnswers = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  strictTransportSecurity: 'max-age=15552000',
  xFrameOptions: 'DENY',
  overwrite: false
})
