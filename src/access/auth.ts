import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { type Read, runRead } from '../db/batch.ts'
import {
  type AnyDb,
  type ControlDb,
  openControl,
  openDb,
  type ProjectDb,
  type Session
} from '../db/client.ts'
import { CONTROL, databaseOf } from '../db/databases.ts'
import { NotFoundError } from '../errors.ts'
import type { AppEnv } from '../http/env.ts'
import { contribute, type OperationPart } from '../http/openapi.ts'
import { describePath, describeQuery, readJsonBody, readQuery } from '../http/validation.ts'
import type { Json } from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
import { readBookmark, writeBookmark } from './bookmark.ts'
import { type Caller, findCaller, findCallerAndRead, type Requested } from './caller.store.ts'
import { authenticate, readKeyHash, recordUse, refusalsOf, type Scopes } from './credentials.ts'
import { expectReleased } from './hold.ts'
import type { ProjectRow } from './store.ts'

const PROJECT_NOT_FOUND = 'Project not found.'
const AMBIGUOUS =
  'Project not found: `@current` needs a key for exactly one project, and this key is for several.'

const NO_PROJECT = 0

const ProjectPath = z.object({
  project_id: z.string().meta({
    description:
      "The project's integer id, or `@current`: the only project that the key has access to.",
    example: '@current'
  })
})

/**
 * Returns a middleware that accepts a request if its key has one of the scopes and access to the
 * project in the path, and that opens the project's database. A project without access is the same
 * 404 as an unknown project.
 */
export const allow = (...scopes: Scopes): MiddlewareHandler<AppEnv> =>
  contribute(async function allow(c, next) {
    const requested = await readRequested(c)
    const control = openControl(c.env, c.get('usage'))
    const caller = await findCaller(control.db, requested)
    const session = await admit(c, { scopes, requested, caller, control })
    c.get('expectKnown')()

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
  /** Reads the JSON body; undefined if it is too long to be read before the key is accepted. */
  readBody: () => Promise<Json | undefined>
}

type Reading<Path extends z.ZodObject, Query extends z.ZodObject, Answer> = {
  scopes: Scopes
  path: Path
  query: Query
  /**
   * Plans the read for a request; undefined if the request alone does not tell what to read.
   * @throws an error for an invalid request; it is sent once the key is accepted
   */
  plan: (request: Unchecked<Path, Query>) => Planned<Answer>
}

type Planned<Answer> = Read<Answer> | undefined | Promise<Read<Answer> | undefined>

/**
 * Returns a middleware that does what `allow` does and runs the planned read together with the key
 * check, in one round trip. Only `plan` runs before the key is accepted. It gets neither the
 * context nor a database, and may read a short body. The handler gets the answer from `foundFor`:
 * undefined if nothing was planned.
 */
export const reading = <Path extends z.ZodObject, Query extends z.ZodObject, Answer>(
  wanted: Reading<Path, Query, Answer>
) => ({
  allowReading: allowReading(wanted),
  // The cast is safe: only `allowReading` sets it, to an answer of this plan.
  foundFor: (c: Context<AppEnv>) => c.get('found') as Answer | undefined
})

const allowReading = <Path extends z.ZodObject, Query extends z.ZodObject, Answer>({
  scopes,
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
      const requested = await readRequested(c)
      const planFor = (id: number) => {
        c.get('expectKnown')()
        const param = parseInput(path, c.req.param())
        const values = readQuery(query, c.req.url)
        c.req.addValidatedData('param', param)
        c.req.addValidatedData('query', values)
        const { url } = c.req
        const accept = c.req.header('Accept')
        const readBody = async () => (isShort(c) ? readJsonBody(c) : undefined)
        return plan({
          projectId: id,
          url,
          accept,
          now: c.get('now'),
          param,
          query: values,
          readBody
        })
      }

      const control = openControl(c.env, c.get('usage'))
      const together = await readWithCaller(c, { control, requested, planFor })
      const caller = together ? together.caller : await findCaller(control.db, requested)
      const session = await admit(c, { scopes, requested, caller, control })

      // The planned read ran on the control database, which need not be the project's.
      if (together && c.get('project').database === CONTROL) {
        c.set('found', together.readAnswer())
      } else {
        const planned = await planFor(c.get('project').id)
        c.set('found', planned && (await runRead(c.get('db'), planned)))
      }

      await next()

      finish(c, session)
    },
    describeAccess(scopes),
    describePath(path),
    describeQuery(query)
  )

/** Largest body that is read before the key is accepted, bytes: about as long as a URL may be. */
const MAX_UNCHECKED_BYTES = 8_192

/** Whether the request says that its body is short. A compressed one may become long. */
const isShort = ({ req }: Context<AppEnv>): boolean =>
  Number(req.header('Content-Length') ?? Number.POSITIVE_INFINITY) <= MAX_UNCHECKED_BYTES &&
  req.header('Content-Encoding') === undefined

type Early<Answer> = {
  control: Session<ControlDb>
  requested: Requested
  planFor: (projectId: number) => Planned<Answer>
}

/**
 * Finds the caller and runs the planned read in one round trip to the control database. Returns
 * undefined, and reads nothing, if the read cannot be planned before the key check.
 */
async function readWithCaller<Answer>(
  c: Context<AppEnv>,
  { control, requested: { hash, projectId }, planFor }: Early<Answer>
) {
  // A bookmark belongs to the project's database, whose name is unknown before the key is accepted.
  if (projectId === '@current' || c.req.header('x-d1-bookmark')) {
    return undefined
  }
  // An error in the request is ignored here. It is sent after the key check, when the read is
  // planned again.
  const planned = await attempt(() => planFor(projectId))
  const sought = { hash, projectId, now: c.get('now').getTime() }
  return planned && findCallerAndRead(control.db, sought, planned)
}

async function attempt<T>(run: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch {
    return undefined
  }
}

/**
 * Returns a middleware for paths without a project. It accepts a request if its key has one of the
 * scopes, or any valid key if there are none; the handler answers for the projects that the key has
 * access to.
 */
export const allowCaller = (...scopes: string[]): MiddlewareHandler<AppEnv> =>
  contribute(
    async function checkCaller(c, next) {
      const hash = readKeyHash(c)
      const { db } = openControl(c.env, c.get('usage'))
      const caller = await findCaller(db, { hash, projectId: NO_PROJECT })
      const { key, user } = await authenticate(c, caller, scopes)
      c.set('control', db)
      c.set('key', key)
      c.set('user', user)
      c.get('expectKnown')()

      await next()

      recordUse(c, key)
    },
    { scopes, refusals: refusalsOf(scopes) }
  )

const describeAccess = (scopes: Scopes): OperationPart => ({
  scopes,
  path: ProjectPath,
  refusals: [...refusalsOf(scopes), ['not_found', PROJECT_NOT_FOUND]]
})

type Admission = {
  scopes: Scopes
  requested: Requested
  caller: Caller | undefined
  /**
   * The session in which the caller was looked up. The request goes on with it if the project's
   * data is in the same database.
   */
  control: Session<ControlDb>
}

/**
 * Sets the caller and the project, and opens the project's database.
 * @throws authentication_failed, throttled, permission_denied, not_found, unavailable
 */
async function admit(
  c: Context<AppEnv>,
  { scopes, requested, caller, control }: Admission
): Promise<Session<ProjectDb>> {
  const accepted = await authenticate(c, caller, scopes)
  const project = requireProject(accepted, requested.projectId)
  expectReleased(project, c.env)
  c.set('key', accepted.key)
  c.set('user', accepted.user)
  c.set('project', project)
  c.set('projectId', project.id)

  const bookmark = readBookmark(c.req.header('x-d1-bookmark'), project.database)
  const session =
    project.database === CONTROL && !bookmark
      ? // The cast is safe: this project's data is in the control database.
        (control as Session<AnyDb> as Session<ProjectDb>)
      : openDb(databaseOf(c.env, project.database), c.get('usage'), bookmark)
  c.set('db', session.db)
  return session
}

/** Sends the bookmark of the database to the client, and records that the key was used. */
function finish(c: Context<AppEnv>, session: Session<ProjectDb>): void {
  const state = session.bookmark()
  if (state) {
    c.res.headers.set('x-d1-bookmark', writeBookmark(c.get('project').database, state))
  }
  recordUse(c, c.get('key'))
}

/**
 * Reads the key's hash and the project from a request.
 * @throws not_authenticated, authentication_failed
 */
async function readRequested(c: Context<AppEnv>): Promise<Requested> {
  const hash = readKeyHash(c)
  return { hash, projectId: readProjectId(c.req.param('project_id') ?? '') }
}

/**
 * Returns the caller's project.
 * @throws not_found when the key has no access to the project, or when `@current` is ambiguous
 */
function requireProject({ key, project }: Caller, requested: Requested['projectId']): ProjectRow {
  if (!project) {
    const isAmbiguous = requested === '@current' && key.projectIds.length > 1
    throw new NotFoundError(isAmbiguous ? AMBIGUOUS : PROJECT_NOT_FOUND)
  }
  return project
}

/** Reads the project of the path. Anything but an integer or `@current` is `NO_PROJECT`. */
function readProjectId(text: string): number | '@current' {
  if (text === '@current') {
    return text
  }
  return /^\d{1,15}$/.test(text) ? Number(text) : NO_PROJECT
}
