import type { Context } from 'hono'
import { UnavailableError } from '../errors.ts'
import type { AppEnv } from '../http/env.ts'
import type { Refusal } from '../http/openapi.ts'
import { invalidToken, MAX_BODY_BYTES } from './body.ts'
import { type CaptureProject, createProjectFinder } from './project-cache.ts'

/** Share of a database's size from which on its projects accept no more events. */
const FULL = 0.95

/** Refusals of every endpoint with a token that is unknown, or whose database is full. */
export const UNKNOWN_TOKEN: Refusal[] = [
  ['authentication_failed', 'API key is not valid: unknown', 'api_key'],
  ['unavailable', 'The database cannot take the request now.']
]

/** Refusals of every capture endpoint with a body. */
export const UNREADABLE: Refusal[] = [
  ['parse_error', 'failed to parse request: invalid JSON'],
  [
    'unsupported_media_type',
    'Unsupported Content-Encoding "compress": send br, deflate, gzip, zstd or none.'
  ],
  ['request_too_large', `maximum request size exceeded: ${MAX_BODY_BYTES} bytes`],
  ...UNKNOWN_TOKEN
]

/** Describes the body of a capture endpoint in the API reference. */
export const BODY_FORMS = `The body may be plain JSON, gzip, base64, or a form with one of these in \`data\`; the format is detected. It may also be compressed with gzip, deflate, br or zstd, named in \`Content-Encoding\`. At most ${MAX_BODY_BYTES} bytes.`

/** Returns the body or, without a body, the query's `data`, which very old SDKs send with GET. */
export const payloadOf = (c: Context<AppEnv>): Request | Response => {
  const data = c.req.query('data')
  return c.req.raw.body || data === undefined ? c.req.raw : new Response(data)
}

export type TokenReader = {
  /** Returns the project of a capture token. @throws authentication_failed, attr `api_key` */
  projectOf: (c: Context<AppEnv>, token: string) => Promise<CaptureProject>
  /** Like `projectOf`, if the database accepts events. @throws also unavailable */
  openProject: (c: Context<AppEnv>, token: string) => Promise<CaptureProject>
}

/** Authenticates SDKs by a project's public capture token. They have no API key. */
export function createTokenReader(): TokenReader {
  const findProject = createProjectFinder()

  const projectOf = async (c: Context<AppEnv>, token: string) => {
    const project = await findProject(c.env, token, c.get('now'), c.get('usage'))
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
