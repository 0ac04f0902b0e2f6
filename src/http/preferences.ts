import type { Context } from 'hono'
import * as z from 'zod'
import type { AppEnv } from './env.ts'

/*
 * PostHog's reference documents some operations as "status 200, empty body", although clients call
 * them for the response. A request chooses with `Prefer`; without it, the deployment's
 * `EMPTY_BODIES` decides.
 */

/** The `return` preference of RFC 7240. */
const RETURN = /(?:^|,)\s*return\s*=\s*("?)(minimal|representation)\1\s*(?:,|;|$)/i

/** Schema of the `Prefer` header. */
export const Prefers = z.object({
  Prefer: z.string().optional().meta({
    description:
      'RFC 7240: `return=minimal` asks for an empty body, `return=representation` for the full response.',
    example: 'return=representation'
  })
})

/** Returns a sentence for the API reference that says when a response is empty. */
export const preferenceText = (emptyBodies: boolean): string =>
  emptyBodies
    ? 'Empty in this deployment, unless the request has `Prefer: return=representation`.'
    : 'Empty with `Prefer: return=minimal`.'

/** Whether a deployment empties the bodies that PostHog documents as empty. */
export const emptiesBodies = (env: Pick<AppEnv['Bindings'], 'EMPTY_BODIES'>): boolean =>
  env.EMPTY_BODIES === 'documented'

/**
 * Empties the body of a 200 response if the request prefers `minimal` or, without a preference, if
 * the deployment empties such bodies. Confirms a preference with `Preference-Applied`.
 */
export async function answerAsPreferred(c: Context<AppEnv>): Promise<void> {
  if (c.res.status !== 200) {
    return
  }
  const [, , named] = RETURN.exec(c.req.header('Prefer') ?? '') ?? []
  const preference = named?.toLowerCase()
  if (preference) {
    c.res.headers.set('Preference-Applied', `return=${preference}`)
  }
  const isEmptied = preference ? preference === 'minimal' : emptiesBodies(c.env)
  if (!isEmptied) {
    return
  }
  const headers = new Headers(c.res.headers)
  for (const name of ['Content-Type', 'Content-Length']) {
    headers.delete(name)
  }
  await c.res.body?.cancel()
  c.res = new Response(null, { status: 200, headers })
}
