import type { Handler, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { RouterRoute } from 'hono/types'
import * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { csvExample } from './csv.ts'
import type { AppEnv } from './env.ts'
import { ERRORS, ErrorJson } from './errors.ts'
import { checkParameters, type KnownParameters, UNKNOWN_PARAMETER } from './strict.ts'

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
type Operation = Part & {
  /** Its name in generated clients. */
  id: string
  tag: string
  summary: string
  description?: string
  /** It may change; nobody should depend on it. */
  isExperimental?: true
  /** Its requests come from SDKs or by links, to which others add what they like: no query parameter is refused. */
  takesAnyQuery?: true
  /** `csv` is an example, where the one in JSON does not look like it. */
  answers: Record<number, { text: string; schema?: z.ZodType; type?: string; csv?: string }>
  /** The body of its refusals, where it says more than that of all others. */
  error?: z.ZodType
}

const operations = new WeakMap<Handler, Operation>()
const parts = new WeakMap<Handler, Part>()

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
  }
  operations.set(check, operation)
  return check
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
export function contribute<H extends Handler>(middleware: H, part: Part): H {
  parts.set(middleware, part)
  return middleware
}

/**
 * The OpenAPI 3.1 document of all routes, in their order. What is mounted in several places is listed in the first.
 * @throws for a route that is not described
 */
export function createDocument(routes: RouterRoute[], info: JsonObject, tags: JsonObject[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  const listed = new Set<Operation>()
  const own = routes.filter(({ method }) => method !== 'ALL')
  for (const [route, handlers] of Map.groupBy(own, ({ method, path }) => `${method} ${path}`)) {
    const operation = handlers
      .map(({ handler }) => operations.get(handler))
      .find((found) => found !== undefined)
    if (!operation) {
      throw new Error(`${route} is not described.`)
    }
    if (listed.has(operation)) {
      continue
    }
    listed.add(operation)
    const [method = '', path = ''] = route.split(' ')
    const asked = handlers.flatMap(({ handler }) => parts.get(handler) ?? [])
    const template = toTemplate(path)
    paths[template] = { ...paths[template], [method.toLowerCase()]: toOperation(operation, asked) }
  }
  const apiKey = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'phx_…',
    description: 'An API key with the scope.'
  }
  const components = { schemas: namedSchemas(), securitySchemes: { apiKey } }
  // The service that the document comes from, wherever it runs.
  const servers = [{ url: '/' }]
  return { openapi: '3.1.1', info, servers, tags, paths, components }
}

/** The interface writes the paths of its API with a slash at the end, which makes no difference. */
const toTemplate = (path: string): string =>
  path.replaceAll(/:(\w+)/g, '{$1}') + (path.startsWith('/api/') ? '/' : '')

function toOperation(operation: Operation, asked: Part[]) {
  const { id, tag, summary, answers, error = ErrorJson } = operation
  const all: Part[] = [...asked, operation]
  const scopes = all.flatMap((part) => part.scopes ?? [])
  const needs =
    scopes.length > 0 && `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`
  const description = [operation.description, needs].filter(Boolean).join('\n\n')
  const body = all.map((part) => part.body).find((schema) => schema !== undefined)
  const mayLackBody = all.some((part) => part.mayLackBody)
  const refusals: Refusal[] = [
    ...(operation.takesAnyQuery ? [] : [UNKNOWN_PARAMETER]),
    ...all.flatMap((part) => part.refusals ?? [])
  ]
  const passesOver = asked.some((part) => part.body)
  const hasCsv = all.some(({ query }) => query && 'format' in query.shape)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(operation.isExperimental && { 'x-experimental': true }),
    security: scopes.map((scope) => ({ apiKey: [scope] })),
    parameters: all.flatMap(({ path, query, header }) => [
      ...parametersOf('path', path),
      ...parametersOf('query', query),
      ...parametersOf('header', header)
    ]),
    ...(body && {
      requestBody: {
        required: !mayLackBody,
        content: { 'application/json': { schema: refer(body) } }
      }
    }),
    responses: {
      ...toRefusals([...refusals, ['error', 'A server error occurred.']], error),
      ...mapValues(answers, ({ text, schema, type, csv }) => ({
        description: text,
        ...(passesOver && { headers: IGNORED_FIELDS }),
        ...((schema || type) && {
          content: {
            ...(schema && {
              'application/json': { schema: refer(schema) },
              ...(hasCsv && toCsv(schema, csv))
            }),
            ...(type && { [type]: { schema: { type: 'string' } } })
          }
        })
      }))
    }
  }
}

const IGNORED_FIELDS = {
  'X-Ignored-Fields': {
    description:
      'The fields of the body that were passed over, with commas between them; nested names are joined with `__`.',
    schema: { type: 'string' }
  }
}

function parametersOf(place: 'path' | 'query' | 'header', object: z.ZodObject | undefined) {
  if (!object) {
    return []
  }
  const { properties = {}, required = [] } = z.toJSONSchema(object, OPTIONS)
  return Object.entries(properties).map(([name, property]) => {
    const { description, example, ...schema } = typeof property === 'object' ? property : {}
    return { name, in: place, required: required.includes(name), description, example, schema }
  })
}

function toCsv(schema: z.ZodType, csv: string | undefined) {
  const [example = {}] = z.globalRegistry.get(schema)?.examples ?? []
  return { 'text/csv': { schema: { type: 'string' }, example: csv ?? csvExample(example) } }
}

function toRefusals(refusals: Refusal[], error: z.ZodType) {
  const byStatus = Map.groupBy(refusals, ([code]) => ERRORS[code][0])
  const responses = [...byStatus].map(([status, ofStatus]) => {
    const codes = [...new Set(ofStatus.map(([code]) => code))]
    const examples = ofStatus.map(([code, detail, attr = null]) => [
      code,
      { value: { type: ERRORS[code][1], code, detail, attr } }
    ])
    const schema = { ...refer(error), properties: { code: { enum: codes } } }
    const retry = {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } }
    }
    const response = {
      description: STATUS_TEXTS[status],
      ...((status === 429 || status === 503) && { headers: retry }),
      content: { 'application/json': { schema, examples: Object.fromEntries(examples) } }
    }
    return [status, response]
  })
  return Object.fromEntries(responses)
}

const STATUS_TEXTS: Record<(typeof ERRORS)[ErrorCode][0], string> = {
  400: 'The request is wrong; `attr` names the field at fault.',
  401: 'There is no key (or token, for capture), or none that counts.',
  403: 'The key lacks the scope.',
  404: 'There is no such project for this key, or no such object in it.',
  405: 'The path is none of this method.',
  409: 'The request contradicts an earlier one.',
  413: 'The request is too large.',
  415: 'The body is of a type that is not read here.',
  429: 'The key has sent too many requests in this minute.',
  500: 'Something unexpected happened; the log has it under the `X-Request-Id` of the answer.',
  503: 'The service cannot take the request now; the same request may succeed later.'
}

function refer(schema: z.ZodType) {
  const id = z.globalRegistry.get(schema)?.id
  if (!id) {
    throw new Error('The schema of a body needs an id.')
  }
  return { $ref: uri(id) }
}

const uri = (id: string) => `#/components/schemas/${id}`

function namedSchemas() {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...OPTIONS, uri })
  return mapValues(schemas, ({ $schema: _, $id: __, ...schema }) => schema)
}

const OPTIONS = {
  io: 'input',
  unrepresentable: 'any',
  /**
   * A format says what its pattern says, every integer is a safe one, and every key a string. Where a schema reads its
   * input as something else, zod leaves out the examples, since they could be of either; here they are of the input.
   */
  override({ zodSchema, jsonSchema }) {
    const { id, examples } = z.globalRegistry.get(zodSchema) ?? {}
    if (id && examples) {
      jsonSchema.examples = examples
    }
    if (jsonSchema.format) {
      delete jsonSchema.pattern
    }
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
      delete jsonSchema.maximum
    }
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
      delete jsonSchema.minimum
    }
    delete jsonSchema.propertyNames
  }
} satisfies Parameters<typeof z.toJSONSchema>[1]

const mapValues = <T, U>(object: Record<string, T>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
