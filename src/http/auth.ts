import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { HOUR } from '../calendar/buckets.ts'
import { type Read, runRead } from '../db/batch.ts'
import { newUsage, openDb } from '../db/client.ts'
import { CONTROL, databaseOf } from '../db/databases.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { isSameHash } from '../hash.ts'
import { parseInput } from '../input/parse.ts'
import { hashKey, isApiKey } from '../projects/key.ts'
import { hasScope } from '../projects/scopes.ts'
import {
  type Asked,
  type Caller,
  findCaller,
  findCallerAndRead,
  type KeyRow,
  type ProjectRow,
  touchKey
} from '../projects/store.ts'
import { readBookmark, writeBookmark } from './bookmark.ts'
import type { AppEnv } from './env.ts'
import { contribute, type Part, type Refusal } from './openapi.ts'
import { throttle } from './throttle.ts'
import { describePath, describeQuery, readQuery } from './validation.ts'

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
  contribute(async function allow(c, next) {
    const asked = await readAsked(c)
    const control = openDb(c.env.DB, c.var.usage)
    const caller = await findCaller(control.db, asked)
    const session = await admit(c, { scopes, asked, caller, control })
    c.var.expectKnown()

    await next()

    finish(c, session)
  }, describeAccess(scopes))

/** A request whose key is not checked yet, as plain values: it gives access to nothing. */
export type Unchecked<Path extends z.ZodObject, Query extends z.ZodObject> = {
  projectId: number
  url: string
  accept: string | undefined
  now: Date
  param: z.output<Path>
  query: z.output<Query>
}

type Reading<Path extends z.ZodObject, Query extends z.ZodObject, Answer> = {
  scope: string
  path: Path
  query: Query
  /**
   * Says what to read for the request, or nothing if the handler needs more than the project's id to know.
   * @throws what is wrong with the request, which is answered once the key has passed
   */
  plan: (
    request: Unchecked<Path, Query>
  ) => Read<Answer> | undefined | Promise<Read<Answer> | undefined>
}

/**
 * Returns a middleware that does the same as `allow`, and has the planned read travel with the key check: both take one
 * round trip. Only `plan` runs before the key has passed, and it gets neither the context nor a database. The handler runs
 * afterwards, and `foundFor` gives it the answer; undefined where nothing was planned.
 */
export const reading = <Path extends z.ZodObject, Query extends z.ZodObject, Answer>(
  wanted: Reading<Path, Query, Answer>
) => ({
  allowReading: allowReading(wanted),
  // Only `allowReading` sets it, to an answer of this plan.
  foundFor: (c: Context<AppEnv>) => c.var.found as Answer | undefined
})

const allowReading = <Path extends z.ZodObject, Query extends z.ZodObject, Answer>({
  scope,
  path,
  query,
  plan
}: Reading<Path, Query, Answer>): MiddlewareHandler<
  AppEnv,
  string,
  {
    in: { param: z.input<Path>; query: z.input<Query> }
    out: { param: z.output<Path>; query: z.output<Query> }
  }
> =>
  contribute(
    async function allowReading(c, next) {
      const asked = await readAsked(c)
      const { hash, projectId } = asked
      const now = c.var.now.getTime()
      const read = (id: number) => {
        c.var.expectKnown()
        const param = parseInput(path, c.req.param())
        const values = readQuery(query, c.req.url)
        c.req.addValidatedData('param', param)
        c.req.addValidatedData('query', values)
        const { url } = c.req
        const accept = c.req.header('Accept')
        return plan({ projectId: id, url, accept, now: c.var.now, param, query: values })
      }

      const control = openDb(c.env.DB, c.var.usage)
      const readEarly = async (id: number) => {
        // A mistake in the request is answered once the key has passed: the read is then planned again.
        const early = await attempt(() => read(id))
        return early && findCallerAndRead(control.db, { hash, projectId: id, now }, early)
      }
      // A bookmark is for the project's database, whose name is not known before the key has passed.
      const isTogether = projectId !== '@current' && !c.req.header('x-d1-bookmark')
      const together = isTogether ? await readEarly(projectId) : undefined
      const caller = together ? together.caller : await findCaller(control.db, asked)
      const session = await admit(c, { scopes: [scope], asked, caller, control })

      if (together && c.var.project.database === CONTROL) {
        c.set('found', together.readAnswer())
      } else {
        const planned = await read(c.var.project.id)
        c.set('found', planned && (await runRead(c.var.db, planned)))
      }

      await next()

      finish(c, session)
    },
    describeAccess([scope]),
    describePath(path),
    describeQuery(query)
  )

/** Returns what the function returns, or nothing if it throws. */
async function attempt<T>(run: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch {
    return undefined
  }
}

/**
 * Lets a request pass whose key holds one of the scopes, where no project is in the path: the handler answers for the
 * projects that the key reaches.
 */
export const allowCaller = (...scopes: Scopes): MiddlewareHandler<AppEnv> =>
  contribute(
    async function checkCaller(c, next) {
      const hash = await hashKey(readKey(c))
      const { db } = openDb(c.env.DB, c.var.usage)
      const caller = await findCaller(db, { hash, projectId: 0 })
      const { key, user } = await authenticate(c, caller, { hash, scopes })
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

type Session = ReturnType<typeof openDb>

type Admission = {
  scopes: Scopes
  asked: Asked
  caller: Caller | undefined
  /** The session in which the caller was looked up: it goes on where the project's data is in the same database. */
  control: Session
}

/**
 * Sets who calls and which project, and opens the project's database.
 * @throws authentication_failed, throttled, permission_denied, not_found
 */
async function admit(
  c: Context<AppEnv>,
  { scopes, asked, caller, control }: Admission
): Promise<Session> {
  const accepted = await authenticate(c, caller, { hash: asked.hash, scopes })
  const project = requireProject(accepted, asked.projectId)
  c.set('key', accepted.key)
  c.set('user', accepted.user)
  c.set('project', project)
  c.set('projectId', project.id)

  const bookmark = readBookmark(c.req.header('x-d1-bookmark'), project.database)
  const session =
    project.database === CONTROL && !bookmark
      ? control
      : openDb(databaseOf(c.env, project.database), c.var.usage, bookmark)
  c.set('db', session.db)
  return session
}

/** Tells the client the state of the database that it has seen, and writes down that the key was used. */
function finish(c: Context<AppEnv>, session: Session): void {
  const state = session.bookmark()
  if (state) {
    c.header('x-d1-bookmark', writeBookmark(c.var.project.database, state))
  }
  noteUse(c, c.var.key)
}

/** @throws authentication_failed, not_authenticated */
async function readAsked(c: Context<AppEnv>): Promise<Asked> {
  const hash = await hashKey(readKey(c))
  return { hash, projectId: readProjectId(c.req.param('project_id') ?? '') }
}

/** Writes down that the key was used, at most once an hour. */
function noteUse(c: Context<AppEnv>, key: KeyRow): void {
  if (isStale(key.lastUsedAt, c.var.now)) {
    c.executionCtx.waitUntil(touchKey(openDb(c.env.DB, newUsage()).db, key.id, c.var.now))
  }
}

/**
 * Returns the caller if the key has the hash, is valid, and holds one of the scopes.
 * @throws authentication_failed, throttled, permission_denied
 */
async function authenticate(
  c: Context<AppEnv>,
  caller: Caller | undefined,
  { hash, scopes }: { hash: string; scopes: Scopes }
): Promise<Caller> {
  if (!caller || !(await isSameHash(caller.key.hash, hash)) || !isValid(caller.key, c.var.now)) {
    throw invalidKey()
  }
  const { key } = caller
  c.set('keyId', key.id)
  await throttle(c.env, key.id, scopes[0], c.var.now)
  if (!scopes.some((scope) => hasScope(key.scopes, scope))) {
    throw new AppError('permission_denied', missingScope(scopes[0]))
  }
  return caller
}

/** @throws not_found when the key does not reach the project, or `@current` could be several */
function requireProject({ key, project }: Caller, asked: Asked['projectId']): ProjectRow {
  if (!project) {
    const isAmbiguous = asked === '@current' && key.projectIds.length > 1
    throw new NotFoundError(isAmbiguous ? AMBIGUOUS : PROJECT_NOT_FOUND)
  }
  return project
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
