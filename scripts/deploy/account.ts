import { z } from 'zod'
import { OperatorError } from '../faults.ts'
import { findFault, wrangler } from '../wrangler.ts'
import { commandOf, type Resource } from './plan.ts'

/** The output of `wrangler auth token --json`: a token, or a user's global key. */
const Credentials = z.union([
  z.object({ type: z.literal('api_key'), key: z.string(), email: z.string() }),
  z.object({ token: z.string() })
])

/** An answer of the API: `result` is a resource, or a list of the resources with the requested name. */
const Found = z.object({ result: z.unknown() })

export type Account = Awaited<ReturnType<typeof openAccount>>

/**
 * Opens an account in Cloudflare's API, with the credentials of wrangler. One request looks up a resource, another creates
 * it; the wrangler commands that make the same requests take seconds to start.
 * @throws OperatorError when wrangler has no credentials
 */
export async function openAccount(id: string) {
  const token = ['auth', 'token', '--json']
  const { code, stdout, stderr } = await wrangler(token)
  if (code !== 0) {
    throw new OperatorError(`${commandOf(token)} failed: ${findFault(`${stdout}${stderr}`)}`)
  }
  const headers = headersOf(Credentials.parse(JSON.parse(stdout)))
  const headersFor = (jurisdiction?: string) =>
    jurisdiction ? { ...headers, 'cf-r2-jurisdiction': jurisdiction } : headers
  const base = process.env.CLOUDFLARE_API_BASE_URL || 'https://api.cloudflare.com/client/v4'
  const urlOf = (path: string) => `${base}/accounts/${id}/${path}`
  return {
    /** Whether a resource exists. Asks wrangler if the API's answer is neither a resource nor a 404. */
    async has({ path, jurisdiction, info }: Resource): Promise<boolean> {
      const answer = await get(urlOf(path), headersFor(jurisdiction))
      return answer ?? (await wrangler(info)).code === 0
    },
    /** Creates a resource. @returns whether the API did so; if not, the caller runs wrangler, which explains why */
    async create({ creation: { path, body }, jurisdiction }: Resource): Promise<boolean> {
      try {
        const response = await fetch(urlOf(path), {
          method: 'POST',
          headers: { ...headersFor(jurisdiction), 'Content-Type': 'application/json' },
          body: JSON.stringify(body)
        })
        return response.ok
      } catch {
        return false
      }
    }
  }
}

const headersOf = (credentials: z.infer<typeof Credentials>): Record<string, string> =>
  'token' in credentials
    ? { Authorization: `Bearer ${credentials.token}` }
    : { 'X-Auth-Key': credentials.key, 'X-Auth-Email': credentials.email }

/** Asks the API for a resource. @returns whether the resource exists; undefined if the answer does not tell */
async function get(url: string, headers: Record<string, string>): Promise<boolean | undefined> {
  try {
    const response = await fetch(url, { headers })
    if (response.status === 404) {
      return false
    }
    const { result } = Found.parse(await response.json())
    if (!response.ok || result === undefined) {
      return undefined
    }
    return Array.isArray(result) ? result.length > 0 : result !== null
  } catch {
    return undefined
  }
}
