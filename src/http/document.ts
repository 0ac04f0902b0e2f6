import type { RouterRoute } from 'hono/types'
import * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import { csvExample } from './csv.ts'
import { ERRORS, ErrorJson } from './errors.ts'
import { type OpenApiVersion, refer, schemaOptions, uri, VERSIONS } from './json-schema.ts'
import {
  type Answer,
  describedBy,
  type Operation,
  type OperationPart,
  type Refusal
} from './openapi.ts'
import { Prefers, preferenceText } from './preferences.ts'
import { UNKNOWN_PARAMETER } from './unknown-parameters.ts'

type Deployment = {
  target?: OpenApiVersion
  /** Whether bodies of `mayBeEmpty` operations are empty unless preferred otherwise. */
  emptyBodies?: boolean
}

/**
 * Returns the OpenAPI document of all routes, in their order. A route that is mounted at several
 * paths is listed at its first path.
 * @throws for a route without a description
 */
export function createDocument(
  routes: RouterRoute[],
  info: JsonObject,
  tags: JsonObject[],
  { target = 'draft-2020-12', emptyBodies = false }: Deployment = {}
) {
  const writer = new Writer(target, emptyBodies)
  const paths: Record<string, Record<string, unknown>> = {}
  const listed = new Set<Operation>()
  // Middleware has the method `ALL`.
  const own = routes.filter(({ method }) => method !== 'ALL')
  for (const [route, handlers] of Map.groupBy(own, ({ method, path }) => `${method} ${path}`)) {
    const [operation, contributed] = describedBy(
      route,
      handlers.map(({ handler }) => handler)
    )
    if (listed.has(operation)) {
      continue
    }
    listed.add(operation)
    const [method = '', path = ''] = route.split(' ')
    const template = toTemplate(path)
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: writer.write(operation, contributed)
    }
  }
  const components = { schemas: writer.schemas(), securitySchemes: { apiKey: API_KEY } }
  return { openapi: VERSIONS[target], info, servers: SERVERS, tags, paths, components }
}

/** A relative URL, so that it refers to whatever service serves the document. */
const SERVERS = [{ url: '/' }]

const API_KEY = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'phx_…',
  description: 'An API key with the scope of the operation.'
}

/**
 * Returns a path as OpenAPI writes it; paths of the API end with a slash, as in PostHog's
 * reference. `/api/persons/:id` → `/api/persons/{id}/`
 */
const toTemplate = (path: string): string =>
  path.replaceAll(/:(\w+)/g, '{$1}') + (path.startsWith('/api/') ? '/' : '')

class Writer {
  readonly #options: ReturnType<typeof schemaOptions>
  readonly #is30: boolean
  readonly #emptyBodies: boolean

  constructor(target: OpenApiVersion, emptyBodies: boolean) {
    this.#is30 = target === 'openapi-3.0'
    this.#options = schemaOptions(target)
    this.#emptyBodies = emptyBodies
  }

  schemas() {
    const { schemas } = z.toJSONSchema(z.globalRegistry, { ...this.#options, uri })
    const byName = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))
    return mapValues(Object.fromEntries(byName), ({ $schema: _, $id: __, ...schema }) => schema)
  }

  write(operation: Operation, contributed: OperationPart[]) {
    const { id, tag, summary, mayBeEmpty, takesAnyQuery, error = ErrorJson } = operation
    const all: OperationPart[] = [
      ...contributed,
      operation,
      ...(mayBeEmpty ? [{ header: Prefers }] : [])
    ]
    const scopes = all.flatMap((part) => part.scopes ?? [])
    const body = all.map((part) => part.body).find((schema) => schema !== undefined)
    const refusals: Refusal[] = [
      ...(takesAnyQuery ? [] : [UNKNOWN_PARAMETER]),
      ...all.flatMap((part) => part.refusals ?? []),
      ['error', 'A server error occurred.']
    ]
    const description = descriptionOf(operation, scopes)
    return {
      operationId: id,
      tags: [tag],
      summary,
      ...(description && { description }),
      ...(operation.isExperimental && { 'x-experimental': true }),
      security: this.#securityOf(
        scopes,
        all.some((part) => part.scopes !== undefined)
      ),
      parameters: all.flatMap(({ path, query, header }) => [
        ...this.#parametersOf('path', path),
        ...this.#parametersOf('query', query),
        ...this.#parametersOf('header', header)
      ]),
      ...(body && {
        requestBody: {
          required: !all.some((part) => part.mayLackBody),
          content: { 'application/json': { schema: refer(body) } }
        }
      }),
      responses: {
        ...this.#refusals(
          refusals,
          error,
          all.flatMap((part) => part.explained ?? [])
        ),
        ...this.#answers(operation, all)
      }
    }
  }

  /** Lists the scopes, one of which is enough. OpenAPI 3.0 allows scopes only for OAuth. */
  #securityOf(scopes: string[], needsKey: boolean) {
    if (!needsKey) {
      return []
    }
    return this.#is30 || scopes.length === 0
      ? [{ apiKey: [] }]
      : scopes.map((scope) => ({ apiKey: [scope] }))
  }

  #answers({ answers, mayBeEmpty }: Operation, all: OperationPart[]) {
    const ignoresFields = all.some((part) => part.body)
    const hasCsv = all.some(({ query }) => query?.shape.format?.safeParse('csv').success)
    return mapValues(answers, (answer, status) => {
      const content = contentOf(answer, hasCsv)
      const isPreferred = mayBeEmpty && status === '200'
      const headers = {
        ...(ignoresFields && IGNORED_FIELDS),
        ...(isPreferred && PREFERENCE_APPLIED)
      }
      return {
        description: isPreferred
          ? `${answer.text} ${preferenceText(this.#emptyBodies)}`
          : answer.text,
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(content && { content })
      }
    })
  }

  #parametersOf(place: 'path' | 'query' | 'header', object: z.ZodObject | undefined) {
    if (!object) {
      return []
    }
    const { properties = {}, required = [] } = z.toJSONSchema(object, this.#options)
    return Object.entries(properties).map(([name, property]) => {
      const { description, example, ...schema } = typeof property === 'object' ? property : {}
      return {
        name,
        in: place,
        required: required.includes(name),
        description,
        example,
        schema: this.#asText(schema)
      }
    })
  }

  /** Describes a list in a string parameter as JSON text. */
  #asText({ type, ...schema }: z.core.JSONSchema.BaseSchema) {
    if (type !== 'string' || !('items' in schema)) {
      return { type, ...schema }
    }
    const contentSchema = { type: 'array', ...schema }
    return this.#is30 ? { type } : { type, contentMediaType: 'application/json', contentSchema }
  }

  #refusals(refusals: Refusal[], error: z.ZodType, explained: number[]) {
    const byStatus = Map.groupBy(refusals, ([code]) => ERRORS[code][0])
    const responses = [...byStatus].map(([status, ofStatus]) => {
      const codes = [...new Set(ofStatus.map(([code]) => code))]
      const examples = ofStatus.map(([code, detail, attr = null]) => [
        code,
        { value: { type: ERRORS[code][1], code, detail, attr } }
      ])
      const schema = { allOf: [refer(error), { properties: { code: { enum: codes } } }] }
      const response = {
        description: STATUS_TEXTS[status],
        ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
        content: {
          'application/json': { schema, examples: Object.fromEntries(examples) },
          ...(explained.includes(status) && { 'text/html': { schema: schemaOf('text/html') } })
        }
      }
      return [status, response]
    })
    return Object.fromEntries(responses)
  }
}

/** Returns the description of an operation, followed by the scopes that allow it. */
function descriptionOf({ description }: Operation, scopes: string[]): string {
  const names = scopes.map((scope) => `\`${scope}\``).join(' or ')
  return [description, names && `Needs the scope ${names}.`].filter(Boolean).join('\n\n')
}

/** Returns the content of a response by media type; undefined if the response has no body. */
function contentOf({ schema, type = [], csv }: Answer, hasCsv: boolean) {
  const json = schema && { 'application/json': { schema: refer(schema) } }
  const table = schema && hasCsv ? toCsv(schema, csv) : undefined
  const others = [type].flat().map((media) => [media, { schema: schemaOf(media) }])
  const content: Record<string, unknown> = { ...json, ...table, ...Object.fromEntries(others) }
  return Object.keys(content).length > 0 ? content : undefined
}

const IGNORED_FIELDS = {
  'X-Ignored-Fields': {
    description:
      'The ignored fields of the body, separated by commas; nested names are joined with `__`.',
    schema: { type: 'string' }
  }
}

const PREFERENCE_APPLIED = {
  'Preference-Applied': {
    description: 'The preference of the request that was honoured.',
    schema: { type: 'string' }
  }
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer' }
  }
}

/** Returns the schema of a response with no schema of its own: text, or the bytes of a bitmap. */
const schemaOf = (type: string) =>
  type === 'image/png' ? { type: 'string', format: 'binary' } : { type: 'string' }

function toCsv(schema: z.ZodType, csv: string | undefined) {
  const [example = {}] = z.globalRegistry.get(schema)?.examples ?? []
  return { 'text/csv': { schema: { type: 'string' }, example: csv ?? csvExample(example) } }
}

const STATUS_TEXTS: Record<(typeof ERRORS)[ErrorCode][0], string> = {
  400: 'The request is invalid; `attr` names the field at fault.',
  401: 'The key (for capture, the token) is missing or invalid.',
  403: 'The key lacks the scope.',
  404: 'The object does not exist, or the key has no access to its project.',
  405: 'The path does not support this method.',
  409: 'The request conflicts with an earlier request.',
  413: 'The request is too large.',
  415: 'The body has an unsupported media type or encoding.',
  429: 'The key has sent too many requests in this minute.',
  500: 'Something unexpected happened. The service’s log has the details under the response’s `X-Request-Id`.',
  503: 'The service cannot accept the request now; the same request may succeed later.'
}

const mapValues = <T, U>(
  object: Record<string, T>,
  map: (value: T, key: string) => U
): Record<string, U> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
