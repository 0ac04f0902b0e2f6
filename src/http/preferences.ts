import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './env.ts'

/** The operations that the interface documents with "status 200, empty body" although their answer is their purpose. */
const DOCUMENTED_EMPTY: [method: string, path: RegExp][] = [
  ['GET', /\/session_recordings\/[^/]+\/analyze\/similar$/],
  ['POST', /\/session_recordings\/ai\/(filters|regex)$/],
  ['GET', /\/sessions\/(property_definitions|values)$/],
  ['POST', /\/insights\/trend$/],
  ['GET', /\/persons\/[^/]+\/(activity|properties_timeline)$/],
  ['POST', /\/persons\/[^/]+\/(delete_property|split)$/]
]

/** The preference of RFC 7240 that says whether the answer is to have a body. */
const RETURN = /(?:^|,)\s*return\s*=\s*("?)(minimal|representation)\1\s*(?:,|;|$)/i

/** Answers those operations as documented where a request or the deployment asks for it; the request wins. */
export const honourEmptyBodies: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()

  const path = c.req.path.replace(/\/$/, '')
  const isDocumentedEmpty = DOCUMENTED_EMPTY.some(
    ([method, pattern]) => method === c.req.method && pattern.test(path)
  )
  if (c.res.status !== 200 || !isDocumentedEmpty) {
    return
  }
  const [, , preference = ''] = RETURN.exec(c.req.header('Prefer') ?? '') ?? []
  const prefers = preference.toLowerCase() === 'minimal'
  if (preference && !prefers) {
    c.res.headers.set('Preference-Applied', 'return=representation')
    return
  }
  if (!prefers && c.env.EMPTY_BODIES !== 'documented') {
    return
  }

  const headers = new Headers(c.res.headers)
  for (const name of ['Content-Type', 'Content-Length']) {
    headers.delete(name)
  }
  if (prefers) {
    headers.set('Preference-Applied', 'return=minimal')
  }
  await c.res.body?.cancel()
  c.res = new Response(null, { status: 200, headers })
}
