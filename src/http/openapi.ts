import type { Handler, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { RouterRoute } from 'hono/types'
import * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import type { AppEnv } from './env.ts'
import { answerAsPreferred } from './preferences.ts'
import { checkParameters, type KnownParameters } from './unknown-parameters.ts'

declare module 'zod' {
  interface GlobalMeta {
    examples?: JsonObject[]
  }
}

/** The inputs and refusals that one middleware adds to an operation. */
export type OperationPart = {
  /** Scopes, one of which a key needs. */
  scopes?: string[]
  path?: z.ZodObject
  query?: z.ZodObject
  header?: z.ZodObject
  body?: z.ZodType
  mayLackBody?: boolean
  refusals?: Refusal[]
  /** Statuses of errors that browsers get as a page. */
  explained?: readonly number[]
}

/** An example of an error that an operation may respond with. */
export type Refusal = [code: ErrorCode, detail: string, attr?: string]

/** A response. `type` has the media types that no schema describes. */
export type Answer = {
  text: string
  schema?: z.ZodType
  type?: string | string[]
  /** An example for a response whose CSV does not follow from the JSON example. */
  csv?: string
}

/** The description of a route. Schemas of bodies need an id: `.meta({ id })`. */
export type Operation = OperationPart & {
  id: string
  tag: string
  summary: string
  description?: string
  /** The operation may change without notice. */
  isExperimental?: true
  /** The body may be empty, as in PostHog's reference; see `preferences.ts`. */
  mayBeEmpty?: true
  /**
   * Accepts any query parameter: requests come from SDKs, or from links to which other programs add
   * parameters.
   */
  takesAnyQuery?: true
  answers: Record<number, Answer>
  /** The schema of the operation's errors, if they have additional members. */
  error?: z.ZodType
}

const operations = new WeakMap<Handler, Operation>()
const parts = new WeakMap<Handler, OperationPart[]>()

/**
 * Describes a route; it must be the route's first handler. `createDocument` throws for a route
 * without a description. Also refuses query parameters that the description lacks: at once, or in
 * `allow` after the key has been accepted.
 */
export function describe(operation: Operation): MiddlewareHandler<AppEnv> {
  let inputs: { parameters: KnownParameters; needsKey: boolean } | undefined
  const check: MiddlewareHandler<AppEnv> = async function check(c, next) {
    c.set('operationId', operation.id)
    inputs ??= summarize([...partsBehind(check, matchedRoutes(c)), operation])
    const { parameters, needsKey } = inputs
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
 * Returns a route's description and the parts that its other handlers contribute.
 * @throws when no handler describes the route
 */
export function describedBy(
  route: string,
  handlers: Handler[]
): [Operation, contributed: OperationPart[]] {
  const operation = handlers.map((handler) => operations.get(handler)).find(Boolean)
  if (!operation) {
    throw new Error(`${route} is not described.`)
  }
  return [operation, handlers.flatMap((handler) => parts.get(handler) ?? [])]
}

/** Returns the parts contributed by the other handlers of the same route. */
function partsBehind(first: Handler, matched: RouterRoute[]): OperationPart[] {
  const own = matched.find(({ handler }) => handler === first)
  return matched
    .filter(({ method, path }) => method === own?.method && path === own.path)
    .flatMap(({ handler }) => parts.get(handler) ?? [])
}

/** Returns the query parameters of an operation, and whether it needs a key. */
function summarize(contributed: OperationPart[]): {
  parameters: KnownParameters
  needsKey: boolean
} {
  const members = contributed.flatMap(({ query }) => Object.entries(query?.shape ?? {}))
  const isList = (schema: unknown): boolean =>
    schema instanceof z.ZodOptional ? isList(schema.unwrap()) : schema instanceof z.ZodArray
  const named = (lists: boolean) =>
    members.filter(([, schema]) => isList(schema) === lists).map(([name]) => name)
  return {
    parameters: { names: named(false), lists: named(true) },
    needsKey: contributed.some(({ scopes }) => scopes !== undefined)
  }
}

/** Adds a middleware's inputs and refusals to the description of every operation that uses it. */
export function contribute<H extends Handler>(middleware: H, ...added: OperationPart[]): H {
  parts.set(middleware, added)
  return middleware
}
