import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { newUsage, openDb, openSession } from '../db/client.ts'
import { CONTROL, databaseOf } from '../db/databases.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { isSameHash } from '../hash.ts'
import { hashKey, isApiKey } from '../projects/key.ts'
import { hasScope } from '../projects/scopes.ts'
import {
  type Caller,
  callerQuery,
  findCaller,
  type KeyRow,
  readCaller,
  touchKey
} from '../projects/store.ts'
import { readBookmark, writeBookmark } from './bookmark.ts'
import type { AppEnv, Reached } from './env.ts'
import { contribute, type Part, type Refusal } from './openapi.ts'
import { throttle } from './throttle.ts'

const HOUR = 3_600_000

const NOT_AUTHENTICATED = 'Authentication credentials were not provided.'
const INVALID_KEY = 'Personal API key found in request Authorization header is invalid.'
const PROJECT_NOT_FOUND = 'Project not found.'
const AMBIGUOUS = 'Project not found: the key reaches several, so that @current names none of them.'
const keyInUrl = (name: string) =>
  `A key does not belong into the URL, which others log: send it in the header, \`Authorization: Bearer phx_…\`, and leave out \`${name}\`.`
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
  contribute(
    checkKey(scopes, async (c, next) => {
      const { key, user, project } = await c.var.caller()
      c.set('key', key)
      c.set('user', user)
      c.set('project', project)
      await next()
    }),
    describeAccess(scopes)
  )

/**
 * The same for a handler that needs nothing of the project but its id, or asks `caller` for it: what it reads first is
 * asked for in one round trip with the key, and answered once the key has passed. The handler may begin before that, so
 * it must not do anything but read from `db`; nothing that it answers or refuses leaves unless the key passes.
 */
export const allowReading = (...scopes: Scopes): MiddlewareHandler<AppEnv> =>
  contribute(
    checkKey(scopes, (_, next) => next()),
    describeAccess(scopes)
  )

/**
 * Lets a request pass whose key holds one of the scopes, where no project is in the path: the handler answers of those that
 * the key reaches.
 */
export const allowCaller = (...scopes: Scopes): MiddlewareHandler<AppEnv> =>
  contribute(
    async function checkCaller(c, next) {
      const hash = await hashKey(readKey(c))
      const { db } = openDb(c.env.DB, c.var.usage)
      const { key, user } = await authenticate(await findCaller(db, hash), hash, c.var.now)
      c.set('keyId', key.id)
      await throttle(c.env, key.id, scopes[0], c.var.now)
      requireScope(key, scopes)
      c.set('db', db)
      c.set('key', key)
      c.set('user', user)
      c.var.expectKnown()

      await next()

      noteUse(c, key)
    },
    { scopes, refusals: refusalsOf(scopes) }
  )

const describeAccess = (scopes: Scopes): Part => ({
  scopes,
  path: ProjectPath,
  refusals: [...refusalsOf(scopes), ['not_found', PROJECT_NOT_FOUND]]
})

const refusalsOf = (scopes: Scopes): Refusal[] => [
  ['not_authenticated', NOT_AUTHENTICATED],
  ['authentication_failed', INVALID_KEY],
  ['permission_denied', missingScope(scopes[0])],
  ['throttled', 'Request was throttled. Expected available in 42 seconds.'],
  ['unavailable', 'The database cannot take the request now.']
]

const checkKey = (scopes: Scopes, proceed: MiddlewareHandler<AppEnv>): MiddlewareHandler<AppEnv> =>
  async function allow(c, next) {
    const hash = await hashKey(readKey(c))
    const asked = readProjectId(c.req.param('project_id') ?? '')
    let reached: Reached | undefined
    const { db, bookmark } = openDb(c.env.DB, c.var.usage, {
      query: (isStrict) => callerQuery({ hash, asked, isStrict }),
      async accept(rows) {
        const caller = await authenticate(readCaller(rows), hash, c.var.now)
        c.set('keyId', caller.key.id)
        await throttle(c.env, caller.key.id, scopes[0], c.var.now)
        requireScope(caller.key, scopes)
        reached = requireProject(caller, asked)
        const { project } = reached
        c.set('projectId', project.id)
        const known = readBookmark(c.req.header('x-d1-bookmark'), project.database)
        return project.database === CONTROL && !known
          ? undefined
          : openSession(databaseOf(c.env, project.database), known)
      }
    })
    const caller = async () => {
      await db.$client.open()
      if (!reached) {
        throw invalidKey()
      }
      return reached
    }
    c.set('db', db)
    c.set('caller', caller)
    if (asked === '@current' || c.req.header('x-d1-bookmark')) {
      await caller()
    }
    c.set('tenantId', reached?.project.id ?? Number(asked))

    await expectKnownParameters(c)
    await proceed(c, next)

    // What the handler failed with, because it was refused, is answered.
    const admitted = await caller().catch((error) => {
      if (error !== c.error) {
        throw error
      }
    })
    if (!admitted) {
      return
    }
    const { key, project } = admitted
    const state = bookmark()
    if (state) {
      c.header('x-d1-bookmark', writeBookmark(project.database, state))
    }
    noteUse(c, key)
  }

/** Writes down that the key was used, at most once an hour. */
function noteUse(c: Context<AppEnv>, key: KeyRow): void {
  if (isStale(key.lastUsedAt, c.var.now)) {
    c.executionCtx.waitUntil(touchKey(openDb(c.env.DB, newUsage()).db, key.id, c.var.now))
  }
}

/** What is wrong with the URL's parameters is only for a key that reaches the project. @throws invalid_input */
async function expectKnownParameters({ var: { expectKnown, caller } }: Context<AppEnv>) {
  try {
    expectKnown()
  } catch (error) {
    await caller()
    throw error
  }
}

/** @throws authentication_failed unless the key has this hash and is valid */
async function authenticate(caller: Caller | undefined, hash: string, now: Date): Promise<Caller> {
  if (!caller || !(await isSameHash(caller.key.hash, hash)) || !isValid(caller.key, now)) {
    throw invalidKey()
  }
  return caller
}

/** @throws permission_denied unless the key holds one of the scopes */
function requireScope({ scopes: held }: KeyRow, scopes: Scopes): void {
  if (!scopes.some((scope) => hasScope(held, scope))) {
    throw new AppError('permission_denied', missingScope(scopes[0]))
  }
}

/** @throws not_found when the key does not reach the project, or `@current` could be several */
function requireProject(caller: Caller, asked: number | '@current'): Reached {
  const { key, project } = caller
  if (!project) {
    const isAmbiguous = asked === '@current' && key.projectIds.length > 1
    throw new NotFoundError(isAmbiguous ? AMBIGUOUS : PROJECT_NOT_FOUND)
  }
  return { ...caller, project }
}

/** Query parameters in which PostHog takes a key. */
const KEY_PARAMETERS = ['personal_api_key', 'api_key']

/** @throws authentication_failed, not_authenticated */
function readKey(c: Context<AppEnv>): string {
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (KEY_PARAMETERS.includes(name) || isApiKey(value)) {
      throw new AppError('authentication_failed', keyInUrl(name), name)
    }
  }
  const header = c.req.header('Authorization')
  if (!header) {
    throw new AppError('not_authenticated', NOT_AUTHENTICATED)
  }
  const key = /^Bearer\s+(\S+)$/i.exec(header)?.[1] ?? ''
  if (!isApiKey(key)) {
    throw invalidKey()
  }
  return key
}

/** Anything but an integer or `@current` matches no project. */
function readProjectId(text: string): number | '@current' {
  if (text === '@current') {
    return text
  }
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

const invalidKey = () => new AppError('authentication_failed', INVALID_KEY)

const isValid = (key: KeyRow, now: Date): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now.getTime())

const isStale = (lastUsedAt: number | null, now: Date): boolean =>
  lastUsedAt === null || lastUsedAt < now.getTime() - HOUR
