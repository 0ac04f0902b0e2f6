import { dereference, type Schema, validate } from '@cfworker/json-schema'
import { z } from 'zod'

const Media = z.object({
  schema: z.custom<Schema>(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).default({})
})
const Contents = z.record(z.string(), Media)
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.string(),
      required: z.boolean(),
      description: z.string(),
      example: z.unknown().optional(),
      schema: z.custom<Schema>()
    })
  ),
  requestBody: z.object({ content: Contents }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: Contents.default({}) })
  )
})

/** The parts of the published document that tests read. */
export const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.custom<Schema>()) })
})

type Answer = { status: number; headers: Headers; body: unknown }

/** An operation of the document, with its path and method. */
export type Described = z.infer<typeof Operation> & { template: string; method: string }

/** Returns all operations, and the schemas that they refer to. */
export function readDocument(published: unknown) {
  const { paths, components } = Document.parse(published)
  const operations: Described[] = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      template,
      method: method.toUpperCase()
    }))
  )
  return { operations, schemas: components.schemas }
}

/** Checks answers against the published document, more strictly than clients do: an unknown field is an error. */
export function createChecker(published: unknown) {
  const document = readDocument(published)
  const schemas = Object.fromEntries(
    Object.entries(document.schemas).map(([name, schema]) => [name, close(schema)])
  )
  const operations = document.operations
    .map((operation) => ({ ...operation, pattern: toPattern(operation.template) }))
    // Sorted so that a literal segment comes before a parameter in the same position.
    .sort((a, b) => (a.template < b.template ? -1 : 1))
  const error = { $ref: '#/components/schemas/ApiError' }
  const find = (method: string, path: string) =>
    operations.find((operation) => operation.method === method && operation.pattern.test(path))
  return {
    /** Returns the id of the operation that a request reaches. */
    operationOf: (method: string, path: string) => find(method, path)?.operationId,

    operationIds: operations.map(({ operationId }) => operationId),

    /** Returns the faults of an answer. For requests that reach no operation, only the shape of errors is checked. */
    check(method: string, path: string, { status, headers, body }: Answer): string[] {
      const type = headers.get('Content-Type')?.split(';')[0]
      const operation = find(method, path)
      if (!operation) {
        const isError = type === 'application/json' && status >= 400 && body !== null
        return isError ? errorsOf(error, schemas, body) : []
      }
      const fault = findUndocumented(operation, status, type)
      if (fault) {
        return [fault]
      }
      const schema = operation.responses[status]?.content['application/json']?.schema
      return schema && type === 'application/json' ? errorsOf(schema, schemas, body) : []
    }
  }
}

/** Returns a fault if an operation does not document a status with a type of content; without a type, the content is empty. */
function findUndocumented(
  operation: Described,
  status: number,
  type: string | undefined
): string | undefined {
  const response = operation.responses[status]
  if (!response) {
    return `${operation.operationId} does not document the status ${status}.`
  }
  const isKnown = type === undefined ? mayBeEmpty(operation, status) : response.content[type]
  return isKnown
    ? undefined
    : `${operation.operationId} does not document ${type ?? 'an empty body'} with the status ${status}.`
}

/** Whether an answer may be empty: it has no content, or the operation reads `Prefer: return=minimal`. */
function mayBeEmpty({ parameters, responses }: Described, status: number): boolean {
  const isPreferred = status === 200 && parameters.some(({ name }) => name === 'Prefer')
  return isPreferred || Object.keys(responses[status]?.content ?? {}).length === 0
}

type Lookup = ReturnType<typeof dereference>

/** All schemas of a document by their addresses. Finding them takes longer than checking an answer. */
const lookups = new WeakMap<Record<string, Schema>, Lookup>()

/** The checked schemas that have been added to their document's lookup. */
const found = new WeakSet<Schema>()

function lookupFor(schema: Schema, schemas: Record<string, Schema>): Lookup {
  const lookup = lookups.get(schemas) ?? dereference({ components: { schemas } })
  lookups.set(schemas, lookup)
  if (!found.has(schema)) {
    found.add(schema)
    dereference(schema, lookup, undefined, `/checked/${Object.keys(lookup).length}`)
  }
  return lookup
}

/** Returns the faults of a value according to its schema, which may refer to `schemas`. */
export function errorsOf(
  schema: Schema,
  schemas: Record<string, Schema>,
  value: unknown
): string[] {
  const { errors } = validate(
    withNames(value),
    schema,
    '2020-12',
    lookupFor(schema, schemas),
    false
  )
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
}

/** Repairs the keys of a value: the validator cannot name a key that holds half a surrogate pair. */
function withNames(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withNames)
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key.toWellFormed(), withNames(inner)])
    )
  }
  return value
}

/** Returns a pattern for a path with or without a trailing slash, below both prefixes of the API. */
const toPattern = (template: string): RegExp => {
  const path = template
    .replace(/\/$/, '')
    .split('/')
    .map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)))
    .join('/')
  return new RegExp(`^${path.replace('environments', '(environments|projects)')}/?$`)
}

/** Returns the schema with all objects closed, except those declared open. */
function close(schema: Schema): Schema {
  const closed = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closeAny(value)])
  )
  return schema.properties && schema.additionalProperties === undefined
    ? { ...closed, additionalProperties: false }
    : closed
}

function closeAny(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(closeAny)
  }
  return typeof value === 'object' && value !== null ? close(value) : value
}
