import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { newUsage, openDb } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { hashKey, isApiKey } from '../projects/key.ts'
import { hasScope } from '../projects/scopes.ts'
import { findCaller, type KeyRow, touchKey } from '../projects/store.ts'
import { readBookmark, writeBookmark } from './bookmark.ts'
import type { AppEnv } from './env.ts'
import { contribute } from './openapi.ts'
import { throttle } from './throttle.ts'

const HOUR = 3_600_000

const NOT_AUTHENTICATED = 'Authentication credentials were not provided.'
const INVALID_KEY = 'Personal API key found in request Authorization header is invalid.'
const PROJECT_NOT_FOUND = 'Project not found.'
const AMBIGUOUS = 'Project not found: the key reaches several, so that @current names none of them.'
const missingScope = (scope: string) => `API key missing required scope '${scope}'`

type Scopes = [string, ...string[]]

const ProjectPath = z.object({
  project_id: z.string().meta({
    description: "The project's integer id, or `@current`: the only project that the key reaches.",
    example: '@current'
  })
})

/**
 * Lets a request pass whose key holds one of the scopes and reaches the project in the path, and opens that project's
 * database. A foreign project is the same 404 as an unknown one.
 */
export const allow = (...scopes: Scopes): MiddlewareHandler<AppEnv> =>
  contribute(checkKey(scopes), {
    scopes,
    path: ProjectPath,
    refusals: [
      ['not_authenticated', NOT_AUTHENTICATED],
      ['authentication_failed', INVALID_KEY],
      ['permission_denied', missingScope(scopes[0])],
      ['not_found', PROJECT_NOT_FOUND],
      ['throttled', 'Request was throttled. Expected available in 42 seconds.'],
      ['unavailable', 'The database cannot take the request now.']
    ]
  })

const checkKey = (scopes: Scopes): MiddlewareHandler<AppEnv> =>
  async function allow(c, next) {
    const header = c.req.header('Authorization')
    if (!header) throw new AppError('not_authenticated', NOT_AUTHENTICATED)
    const key = /^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? ''
    if (!isApiKey(key)) throw invalidKey()

    const asked = c.req.param('project_id') ?? ''
    const projectId = asked === '@current' ? asked : /^\d{1,15}$/.test(asked) ? Number(asked) : 0
    const hash = await hashKey(key)
    const control = openDb(c.env.DB, c.var.usage)
    const caller = await findCaller(control.db, hash, projectId)
    if (!caller || !(await isSameHash(caller.key.hash, hash)) || !isValid(caller.key, c.var.now)) throw invalidKey()
    c.set('keyId', caller.key.id)
    await throttle(c.env, caller.key.id, scopes[0], c.var.now)
    if (!scopes.some((scope) => hasScope(caller.key.scopes, scope)))
      throw new AppError('permission_denied', missingScope(scopes[0]))
    const { project } = caller
    if (!project)
      throw new NotFoundError(asked === '@current' && caller.key.projectIds.length > 1 ? AMBIGUOUS : PROJECT_NOT_FOUND)

    const { db, bookmark } = openDb(
      databaseOf(c.env, project.database),
      c.var.usage,
      readBookmark(c.req.header('x-d1-bookmark'), project.database)
    )
    c.set('projectId', project.id)
    c.set('key', caller.key)
    c.set('user', caller.user)
    c.set('project', project)
    c.set('db', db)

    await next()

    const reached = bookmark()
    if (reached) c.header('x-d1-bookmark', writeBookmark(project.database, reached))
    if (isStale(caller.key.lastUsedAt, c.var.now))
      c.executionCtx.waitUntil(touchKey(openDb(c.env.DB, newUsage()).db, caller.key.id, c.var.now))
  }

const invalidKey = () => new AppError('authentication_failed', INVALID_KEY)

const isValid = (key: KeyRow, now: Date): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now.getTime())

const isStale = (lastUsedAt: number | null, now: Date): boolean =>
  lastUsedAt === null || lastUsedAt < now.getTime() - HOUR

/** In constant time, whatever the index lookup before it did. */
async function isSameHash(a: string, b: string): Promise<boolean> {
  const [left, right] = [a, b].map((hash) => new TextEncoder().encode(hash))
  return (
    left !== undefined &&
    right !== undefined &&
    left.length === right.length &&
    crypto.subtle.timingSafeEqual(left, right)
  )
}
