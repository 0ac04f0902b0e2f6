import type { Handler, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { RouterRoute } from 'hono/types'
import * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import type { AppEnv } from './env.ts'
import { answerAsPreferred } from './preferences.ts'
import { checkParameters, type KnownParameters } from './strict.ts'

declare module 'zod' {
  interface GlobalMeta {
    examples?: JsonObject[]
  }
}

/** What a middleware adds to the operations behind it. */
export type Part = {
  /** Any of them is enough. */
  scopes?: string[]
  path?: z.ZodObject
  query?: z.ZodObject
  header?: z.ZodObject
  body?: z.ZodType
  mayLackBody?: boolean
  refusals?: Refusal[]
}

/** A way to fail, and what the answer may then say of which field. */
export type Refusal = [code: ErrorCode, detail: string, attr?: string]

/** What a route says of itself. The schemas of bodies have an id, `.meta({ id })`, under which the document keeps them. */
export type Operation = Part & {
  /** Its name in generated clients. */
  id: string
  tag: string
  summary: string
  description?: string
  /** It may change; nobody should depend on it. */
  isExperimental?: true
  /** The interface documents it as "status 200, empty body", although its answer is its purpose. */
  mayBeEmpty?: true
  /** Its requests come from SDKs or by links, to which others add what they like: no query parameter is refused. */
  takesAnyQuery?: true
  /** `csv` is an example, where the one in JSON does not look like it. */
  answers: Record<number, { text: string; schema?: z.ZodType; type?: string; csv?: string }>
  /** The body of its refusals, where it says more than that of all others. */
  error?: z.ZodType
}

const operations = new WeakMap<Handler, Operation>()
const parts = new WeakMap<Handler, Part[]>()

/**
 * Describes the route whose first handler it is: without it a route has no place in the document. What the description
 * does not have is refused: a query parameter that is unknown, at once, or by `allow` when the key has passed.
 */
export function describe(operation: Operation): MiddlewareHandler<AppEnv> {
  let asked: { parameters: KnownParameters; needsKey: boolean } | undefined
  const check: MiddlewareHandler<AppEnv> = async function check(c, next) {
    asked ??= summarize([...partsBehind(check, matchedRoutes(c)), operation])
    const { parameters, needsKey } = asked
    const expectKnown = () => {
      if (!operation.takesAnyQuery) {
        checkParameters(c.req.url, parameters)
      }
    }
    if (needsKey) {
      c.set('expectKnown', expectKnown)
    } else {
      expectKnown()
    }
    await next()
    if (operation.mayBeEmpty) {
      await answerAsPreferred(c)
    }
  }
  operations.set(check, operation)
  return check
}

/**
 * Returns what a route's handlers say of it.
 * @throws when none of them describes the route
 */
export function describedBy(route: string, handlers: Handler[]): [Operation, asked: Part[]] {
  const operation = handlers.map((handler) => operations.get(handler)).find(Boolean)
  if (!operation) {
    throw new Error(`${route} is not described.`)
  }
  return [operation, handlers.flatMap((handler) => parts.get(handler) ?? [])]
}

/** What the other handlers of its route ask for. */
function partsBehind(first: Handler, matched: RouterRoute[]): Part[] {
  const own = matched.find(({ handler }) => handler === first)
  return matched
    .filter(({ method, path }) => method === own?.method && path === own.path)
    .flatMap(({ handler }) => parts.get(handler) ?? [])
}

/** What requests to an operation may have in their URL, and whether they need a key. */
function summarize(asked: Part[]): { parameters: KnownParameters; needsKey: boolean } {
  const members = asked.flatMap(({ query }) => Object.entries(query?.shape ?? {}))
  const isList = (schema: unknown): boolean =>
    schema instanceof z.ZodOptional ? isList(schema.unwrap()) : schema instanceof z.ZodArray
  const named = (lists: boolean) =>
    members.filter(([, schema]) => isList(schema) === lists).map(([name]) => name)
  return {
    parameters: { names: named(false), lists: named(true) },
    needsKey: asked.some(({ scopes }) => scopes !== undefined)
  }
}

/** Has every operation behind this middleware tell what the middleware asks for and how it refuses. */
export function contribute<H extends Handler>(middleware: H, ...added: Part[]): H {
  parts.set(middleware, added)
  return middleware
}
