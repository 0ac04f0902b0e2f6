import { z } from 'zod'
import type { Fingerprints } from '../../src/ledger/fingerprint.ts'
import type { Config } from '../config.ts'
import { OperatorError } from '../faults.ts'
import { findFault, wrangler } from '../wrangler.ts'
import { commandOf, planDeployment, type Resource } from './plan.ts'

const Login = z.object({ accounts: z.array(z.object({ id: z.string(), name: z.string() })) })

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
    },
    /** Opens the bucket of a deployment, for the fingerprints of its secrets. Calls throw an OperatorError if the API refuses. */
    openBucket({ r2_buckets: buckets }: Config): Fingerprints {
      const [bucket] = buckets.filter(({ binding }) => binding === 'BUCKET')
      const call = async (key: string, request: RequestInit) => {
        const path = `r2/buckets/${bucket?.bucket_name}/objects/${key}`
        const response = await fetch(urlOf(path), {
          ...request,
          headers: headersFor(bucket?.jurisdiction)
        })
        if (!response.ok && response.status !== 404) {
          const reason = (await response.text()).slice(0, 300)
          throw new OperatorError(
            `The ledger cannot be reached: ${path} answers ${response.status}. ${reason}`
          )
        }
        return response.ok ? response : null
      }
      return {
        get: (key) => call(key, {}),
        head: (key) => call(key, {}),
        put: (key, content) => call(key, { method: 'PUT', body: content })
      }
    }
  }
}

/**
 * Returns the id of the account to deploy to. @throws OperatorError when nobody is logged in, or
 * several accounts are possible
 */
export async function findAccountId(config: Config): Promise<string> {
  const { login } = planDeployment(config)
  const { code, stdout, stderr } = await wrangler(login.run)
  if (/"loggedIn": ?false/.test(stdout)) {
    throw new OperatorError(
      'You are not logged in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.'
    )
  }
  if (code !== 0) {
    throw new OperatorError(`${commandOf(login.run)} failed: ${findFault(`${stdout}${stderr}`)}`)
  }
  const { accounts } = Login.parse(JSON.parse(stdout))
  const chosen = process.env.CLOUDFLARE_ACCOUNT_ID || config.account_id
  if (accounts.length > 1 && !chosen) {
    throw new OperatorError(
      `Set CLOUDFLARE_ACCOUNT_ID to one of: ${accounts.map(({ id, name }) => `${id} (${name})`).join(', ')}`
    )
  }
  return chosen || (accounts[0]?.id ?? '')
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
