import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { readDecoded } from '../input/encoding.ts'
import { closed } from '../input/fields.ts'
import { isObject, type Json, type JsonObject, parseOr, toWellFormed } from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
import { MAX_DEPTH, scan } from '../input/scan.ts'
import { parametersOf } from '../input/url.ts'
import type { AppEnv } from './env.ts'
import { contribute, type OperationPart, type Refusal } from './openapi.ts'

/** Examples of refusals that any schema may give. */
export const SCHEMA_REFUSALS: Refusal[] = [
  ['required', 'This field is required.'],
  ['null', 'This field may not be null.'],
  ['blank', 'This field may not be blank.'],
  ['invalid_choice', '"xml" is not a valid choice. Choices: json, csv.', 'format'],
  ['max_length', 'Ensure this field has no more than 1000 characters.'],
  ['min_value', 'Ensure this value is greater than or equal to 1.'],
  ['max_value', 'Ensure this value is less than or equal to 1000.']
]

/** Parses the query for `c.req.valid('query')`. `describe` refuses other parameters. */
export const validateQuery = <S extends z.ZodObject>(
  schema: S
): MiddlewareHandler<AppEnv, string, { in: { query: z.input<S> }; out: { query: z.output<S> } }> =>
  contribute(async function validateQuery(c, next) {
    c.req.addValidatedData('query', readQuery(schema, c.req.url))
    await next()
  }, describeQuery(schema))

/**
 * Parses the parameters of a URL that the schema has. @throws an AppError for the schema's first
 * issue
 */
export function readQuery<S extends z.ZodObject>(schema: S, url: string): z.output<S> {
  const given = parametersOf(url)
  const query = Object.fromEntries(given.filter(([name]) => Object.hasOwn(schema.shape, name)))
  return parseInput(schema, query)
}

export const describeQuery = (schema: z.ZodObject): OperationPart => ({
  query: schema,
  refusals: [
    ['invalid_input', 'A valid integer is required.', 'limit'],
    ['invalid_choice', '"xml" is not a valid choice. Choices: json, csv.', 'format'],
    ['max_length', 'Ensure this field has no more than 1000 characters.', 'search']
  ]
})

/** Parses the path parameters for `c.req.valid('param')`. */
export const validatePath = <S extends z.ZodObject>(
  schema: S
): MiddlewareHandler<AppEnv, string, { in: { param: z.input<S> }; out: { param: z.output<S> } }> =>
  contribute(async function validatePath(c, next) {
    c.req.addValidatedData('param', parseInput(schema, c.req.param()))
    await next()
  }, describePath(schema))

export const describePath = (schema: z.ZodObject): OperationPart => ({
  path: schema,
  refusals: [['invalid_input', 'A valid integer is required.', 'id']]
})

/** Parses the headers of a schema for `c.req.valid('header')`. */
export const validateHeader = <S extends z.ZodObject>(
  schema: S
): MiddlewareHandler<
  AppEnv,
  string,
  { in: { header: z.input<S> }; out: { header: z.output<S> } }
> =>
  contribute(
    async function validateHeader(c, next) {
      const headers = Object.fromEntries(
        Object.keys(schema.shape).map((name) => [name, c.req.header(name)])
      )
      c.req.addValidatedData('header', parseInput(schema, headers) as object)
      await next()
    },
    { header: schema }
  )

/** Largest body of a request, bytes, both as sent and after decompression. */
export const MAX_BODY_BYTES = 1_000_000

const unsupported = (type: string): string =>
  `Unsupported media type "${type}" in request: send Content-Type: application/json.`

const BODY_REFUSALS: Refusal[] = [
  ['unsupported_media_type', unsupported('text/plain')],
  ['invalid_input', 'Expected an object.'],
  ['parse_error', 'JSON parse error - Unexpected end of JSON input'],
  ['request_too_large', `maximum request size exceeded: ${MAX_BODY_BYTES} bytes`]
]

/**
 * Parses the JSON body for `c.req.valid('json')`. A missing body counts as `{}`. The schema needs
 * an id. Unknown fields are refused, or ignored and named in the header `X-Ignored-Fields`: see
 * `findUnknownFields`.
 */
export const validateBody = <S extends z.ZodType>(
  schema: S
): MiddlewareHandler<AppEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }> =>
  contribute(createBodyParser(schema), {
    body: schema,
    mayLackBody: schema.safeParse({}).success,
    refusals: [...BODY_REFUSALS, ...SCHEMA_REFUSALS]
  })

/** Refusals of a body that is not in the reference; `null` is for the body itself. */
const UNDESCRIBED_BODY_REFUSALS: Refusal[] = [
  ...BODY_REFUSALS,
  ['null', 'This field may not be null.']
]

/**
 * Like `validateBody`, for a DELETE. Its body is not in the reference, because many tools cannot
 * send a body with DELETE.
 */
export const validateDeleteBody = <S extends z.ZodType>(
  schema: S
): MiddlewareHandler<AppEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }> =>
  contribute(createBodyParser(schema), { refusals: UNDESCRIBED_BODY_REFUSALS })

/** Refuses every body except an empty body and `{}`, for operations without a body. */
export const expectNoBody: MiddlewareHandler<AppEnv> = contribute(
  createBodyParser(closed(z.object({}))),
  { refusals: UNDESCRIBED_BODY_REFUSALS }
)

function createBodyParser(schema: z.ZodType): MiddlewareHandler<AppEnv> {
  return async function parseBody(c, next) {
    const json = await readJsonBody(c)
    const ignoredFields: string[] = []
    c.req.addValidatedData('json', parseInput(schema, json, [], ignoredFields) as object)
    c.set('ignoredFields', pick(json, ignoredFields))
    nameIgnored(c, ignoredFields)
    await next()
  }
}

/**
 * Returns the value of a field that may be given in the URL, in the body, or in both.
 * @throws invalid_input, attr the field, when the two values differ
 */
export function agree<T>(
  name: string,
  inQuery: T | undefined,
  inBody: T | undefined
): T | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw new AppError(
      'invalid_input',
      `\`${name}\` has one value in the URL and another in the body: send only one of them.`,
      name
    )
  }
  return inBody ?? inQuery
}

function pick(json: Json, names: string[]): JsonObject {
  const picked = new Set(names)
  return Object.fromEntries(Object.entries(json ?? {}).filter(([name]) => picked.has(name)))
}

/**
 * Maximum number of names in `X-Ignored-Fields`: the header must not exceed the sizes that clients
 * and proxies accept.
 */
const MAX_IGNORED = 50

/** Adds names to the header `X-Ignored-Fields`. */
export function nameIgnored(c: Context<AppEnv>, names: readonly string[]): void {
  const shown = names.slice(0, MAX_IGNORED).map((name) => encodeName(name.slice(0, 100)))
  if (shown.length > 0) {
    c.header('X-Ignored-Fields', shown.join(', '), { append: true })
  }
}

/**
 * Encodes a name for a header: headers are ASCII, and commas separate the names. `größe` →
 * `gr%C3%B6%C3%9Fe`
 */
const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll('%24', '$')

/** Reads the JSON body of a request, once. A missing body counts as `{}`. */
export function readJsonBody(c: Context<AppEnv>): Promise<Json> {
  const body = c.get('body') ?? readJson(c.req.raw)
  c.set('body', body)
  return body
}

async function readJson(request: Request): Promise<Json> {
  const bytes = await readDecoded(request, MAX_BODY_BYTES)
  if (bytes.length === 0) {
    return {}
  }
  const type = request.headers.get('Content-Type') ?? ''
  if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw new AppError('unsupported_media_type', unsupported(type))
  }
  const text = decodeUtf8(bytes)
  const { isTooDeep, repeated, inexact } = scan(text)
  if (isTooDeep) {
    throw malformed(`nested deeper than ${MAX_DEPTH}`)
  }
  const json = parseOr(text, malformed)
  // Schemas drop this member silently, so a receipt to which it was added would still verify.
  if (isObject(json) && Object.hasOwn(json, '__proto__')) {
    throw new AppError('invalid_input', 'This field is unknown.', '__proto__')
  }
  if (repeated) {
    throw new AppError(
      'invalid_input',
      'This field occurs twice: send it once.',
      repeated.join('__')
    )
  }
  if (inexact) {
    throw new AppError('invalid_input', INEXACT, inexact.join('__'))
  }
  return toWellFormed(json)
}

const INEXACT = 'This number cannot be stored exactly: send it as a string.'

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw malformed('invalid UTF-8')
  }
}

const malformed = (why: string) => new AppError('parse_error', `JSON parse error - ${why}`)
