import type { Context } from 'hono'
import { invalidToken, MAX_BODY_BYTES, readJson } from '../capture/body.ts'
import { type CaptureProject, createProjectFinder } from '../capture/project-cache.ts'
import { UnavailableError } from '../errors.ts'
import type { Json } from '../input/json.ts'
import type { AppEnv } from './env.ts'
import type { Refusal } from './openapi.ts'

/** Above this share of its database's largest size a project takes no more events. */
const FULL = 0.95

export const UNKNOWN_TOKEN: Refusal[] = [
  ['authentication_failed', 'API key is not valid: unknown', 'api_key'],
  ['unavailable', 'The database cannot take the request now.']
]

/** How a request with a body that no door can read is refused. */
export const UNREADABLE: Refusal[] = [
  ['parse_error', 'failed to parse request: invalid JSON'],
  ['request_too_large', `maximum request size exceeded: ${MAX_BODY_BYTES} bytes`],
  ...UNKNOWN_TOKEN
]

/** What the description of a door says of its body. */
export const BODY_FORMS = `The body may be plain JSON, gzip, base64, or a form with one of these in \`data\`; its bytes tell which. At most ${MAX_BODY_BYTES} bytes.`

/** The body or, without one, the query's `data`, which very old SDKs send with GET. */
export const payloadOf = (c: Context<AppEnv>): Request | Response => {
  const data = c.req.query('data')
  return c.req.raw.body || data === undefined ? c.req.raw : new Response(data)
}

/** @throws request_too_large, parse_error */
export const readPayload = (c: Context<AppEnv>): Promise<Json> => readJson(payloadOf(c))

export type TokenReader = {
  /** The project of a capture token. @throws authentication_failed, attr `api_key` */
  projectOf: (c: Context<AppEnv>, token: string) => Promise<CaptureProject>
  /** The same if its database takes more. @throws authentication_failed, unavailable */
  openProject: (c: Context<AppEnv>, token: string) => Promise<CaptureProject>
}

/** What lets an SDK in: no API key, only a project's public capture token. */
export function createTokenReader(): TokenReader {
  const findProject = createProjectFinder()

  const projectOf = async (c: Context<AppEnv>, token: string) => {
    const project = await findProject(c.env, token, c.var.now, c.var.usage)
    if (!project) {
      throw invalidToken('API key is not valid: unknown')
    }
    c.set('projectId', project.id)
    return project
  }

  const openProject = async (c: Context<AppEnv>, token: string) => {
    const project = await projectOf(c, token)
    if (project.fill >= FULL) {
      throw new UnavailableError('The database of this project is full.')
    }
    return project
  }

  return { projectOf, openProject }
}
