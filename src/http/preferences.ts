import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from './env.ts'

/** The preference of RFC 7240 that says whether the answer is to have a body. */
const RETURN = /(?:^|,)\s*return\s*=\s*("?)(minimal|representation)\1\s*(?:,|;|$)/i

/** The header by which a request says whether the answer of an operation is to have a body. */
export const Prefers = z.object({
  Prefer: z.string().optional().meta({
    description:
      'RFC 7240: `return=minimal` asks for an empty body, `return=representation` for the answer.',
    example: 'return=representation'
  })
})

/** Returns when the answer of such an operation is empty, in words. */
export const preferenceText = (emptyBodies: boolean): string =>
  emptyBodies
    ? 'Empty here unless `Prefer: return=representation` asks for it.'
    : 'Empty with `Prefer: return=minimal`.'

/** Whether a deployment empties the bodies that the interface documents as empty. */
export const emptiesBodies = (env: Pick<AppEnv['Bindings'], 'EMPTY_BODIES'>): boolean =>
  env.EMPTY_BODIES === 'documented'

/** Empties the body of a good answer where the request or, if that says nothing, the deployment asks for it. */
export async function answerAsPreferred(c: Context<AppEnv>): Promise<void> {
  if (c.res.status !== 200) {
    return
  }
  const [, , preference] = RETURN.exec(c.req.header('Prefer') ?? '') ?? []
  const prefersEmpty = preference?.toLowerCase() === 'minimal'
  if (preference) {
    c.res.headers.set('Preference-Applied', `return=${preference.toLowerCase()}`)
  }
  if (preference ? !prefersEmpty : !emptiesBodies(c.env)) {
    return
  }
  const headers = new Headers(c.res.headers)
  for (const name of ['Content-Type', 'Content-Length']) {
    headers.delete(name)
  }
  await c.res.body?.cancel()
  c.res = new Response(null, { status: 200, headers })
}
