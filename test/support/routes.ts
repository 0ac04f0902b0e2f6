import { isObject, type JsonObject } from '../../src/input/json.ts'
import { type Described, readDocument } from './document.ts'

/** A route below a project and a request to it that succeeds, both as the document describes them. */
export type Route = {
  /** `GET persons/{id}/` */
  name: string
  method: string
  /** Below the project, with parameters in braces and a slash at the end. */
  path: string
  /** Collections of the objects in the path, in order: `['persons']` for `persons/{id}/activity/`. */
  collections: string[]
  /** The required parameters, `?key=%24channel_type`, or an empty text. */
  query: string
  body: JsonObject | undefined
  /** Fields of the body that have the id of an object, with the object's collection. */
  objects: Record<string, string>
  /** Any of them is enough; a refusal names the first. */
  scopes: string[]
  /** The status when the request succeeds. */
  status: number
  /** Sentences that say why the route cannot be tested, and what to change. */
  problems: string[]
}

type Access = Pick<Route, 'scopes' | 'status'>

const PREFIX = '/api/environments/{project_id}/'

const OF_SESSIONS = { scopes: ['query:read', 'session_recording:read', 'insight:read'] }
const OF_QUERIES = { scopes: ['query:read', 'insight:read'] }
const OF_ACTIVITY = { scopes: ['activity_log:read'] }
const SHARED = ['session_recordings/{recording_id}/', 'insights/{id}/', 'dashboards/{id}/']
const OF_ABSENT = { scopes: ['project:read', 'query:read', 'insight:read', 'person:read'] }

/** Routes whose scopes or status do not follow from their method and path. */
const EXCEPTIONS: Record<string, Partial<Access>> = {
  'GET actions/': OF_ABSENT,
  'GET cohorts/{id}/persons/': { scopes: ['person:read'] },
  'GET feature_flags/': OF_ABSENT,
  'GET events/': { scopes: ['query:read'] },
  'POST events/delete/': { scopes: ['person:write'] },
  'GET events/deletions/': { scopes: ['person:read'] },
  'GET events/deletions/{id}/': { scopes: ['person:read'] },
  'GET event_definitions/': { scopes: ['query:read', 'insight:read'] },
  'GET property_definitions/': { scopes: ['query:read', 'insight:read'] },
  'POST query/': { ...OF_QUERIES, status: 200 },
  'POST query/{id}/': { ...OF_QUERIES, status: 200 },
  'GET query/{id}/': OF_QUERIES,
  'DELETE query/{id}/': OF_QUERIES,
  'GET ': { scopes: ['project:read'] },
  'PATCH ': { scopes: ['project:write'] },
  'POST insights/trend/': { scopes: ['insight:read'] },
  'POST insights/funnel/': { scopes: ['insight:read'] },
  'POST insights/retention/': { scopes: ['insight:read'] },
  'POST insights/trend/actors/': { scopes: ['person:read'] },
  'GET dashboards/{id}/chart.svg/': { scopes: ['insight:read'] },
  'GET dashboards/{id}/chart.png/': { scopes: ['insight:read'] },
  'GET dashboards/{id}/charts/': { scopes: ['insight:read'] },
  'POST session_recordings/ai/filters/': { scopes: ['session_recording:read'] },
  'POST session_recordings/ai/regex/': { scopes: ['session_recording:read'] },
  'GET receipts/{id}/': { scopes: ['person:read'] },
  'POST persons/deletion_receipts/verify/': { scopes: ['person:read'] },
  'GET persons/activity/': OF_ACTIVITY,
  'GET persons/{id}/activity/': OF_ACTIVITY,
  ...Object.fromEntries(
    SHARED.flatMap((path) => [
      [`GET ${path}sharing/`, { scopes: ['sharing_configuration:read'] }],
      [`PATCH ${path}sharing/`, { scopes: ['sharing_configuration:write'] }],
      [`POST ${path}sharing/refresh/`, { scopes: ['sharing_configuration:write'] }]
    ])
  ),
  'GET sessions/property_definitions/': OF_SESSIONS,
  'GET sessions/values/': OF_SESSIONS,
  'POST subscriptions/{id}/test/': { status: 201 }
}

/** Bodies of routes whose example in the document names objects that a test does not have. */
const BODIES: Record<string, JsonObject> = {
  'POST persons/bulk_delete/': { distinct_ids: ['ada'] },
  'POST alerts/': { condition: { type: 'no_data' }, target_value: 'ada@example.com' },
  'POST alerts/preview/': { condition: { type: 'no_data' } }
}

/** Fields of bodies that have the id of an object, with the object's collection. */
const OBJECTS: Record<string, Record<string, string>> = {
  'POST alerts/': { insight: 'insights' },
  'POST alerts/preview/': { insight: 'insights' }
}

/** Parameters of paths that are words, not ids of objects. */
const WORDS: Record<string, string> = { 'POST query/{id}/': 'TrendsQuery' }

const fillWords = ({ name, path }: Pick<Route, 'name' | 'path'>): string =>
  path.replace(/\{\w+\}/, (parameter) => WORDS[name] ?? parameter)

/**
 * Lists every operation below a project.
 * @param makers collections whose objects the tests can make without a `POST` to the collection
 */
export function routesOf(published: unknown, makers: string[]): Route[] {
  const { operations, schemas } = readDocument(published)
  const own = operations.filter(({ template }) => template.startsWith(PREFIX))
  const names = own.map(nameOf)
  const canMake = (collection: string) =>
    makers.includes(collection) || names.includes(`POST ${collection}/`)
  const countParameters = (path: string) => path.match(/\{\w+\}/g)?.length ?? 0

  return own.map((operation) => {
    const name = nameOf(operation)
    const path = operation.template.slice(PREFIX.length)
    const filled = fillWords({ name, path })
    const { query, problems: inQuery } = queryOf(operation)
    const { body, problems: inBody } = bodyOf(operation, schemas)
    const collections = [...filled.matchAll(/([^/]+)\/\{\w+\}/g)].map(
      ([, collection = '']) => collection
    )
    const access = accessOf(operation)
    return {
      name,
      method: operation.method,
      path,
      collections,
      query,
      body,
      objects: OBJECTS[name] ?? {},
      ...access,
      problems: [
        ...problemsOf(name, access),
        ...inQuery,
        ...inBody,
        ...(countParameters(filled) === collections.length
          ? []
          : [
              `${name} has two parameters in a row: put the name of the second one’s collection between them.`
            ]),
        ...collections
          .filter((collection) => !canMake(collection))
          .map(
            (collection) =>
              `${name} needs an object of ${collection}, but no route creates one: describe a POST ${collection}/ that answers with it, or add ${collection} to MAKERS in auth.test.ts.`
          )
      ]
    }
  })
}

/** An id that no object has. */
export const UNKNOWN = 999_999_999

/** Fills a route's path with ids by collection, `UNKNOWN` for a missing one, and removes the slash at the end. */
export const pathTo = (route: Route, ids: Record<string, number | string>): string =>
  route.collections
    .reduce(
      (filled, one) => filled.replace(/\{\w+\}/, String(ids[one] ?? UNKNOWN)),
      fillWords(route)
    )
    .replace(/\/$/, '')

/** Fills the fields of a route's body that have the id of an object. */
export const bodyFor = (
  { body, objects }: Route,
  ids: Record<string, number | string>
): JsonObject | undefined =>
  body && {
    ...body,
    ...Object.fromEntries(
      Object.entries(objects).map(([field, collection]) => [field, ids[collection] ?? UNKNOWN])
    )
  }

const nameOf = ({ method, template }: Described): string =>
  `${method} ${template.slice(PREFIX.length)}`

/**
 * Returns an operation's scopes and the status when it succeeds. If there are several, such as another for a dry run, it is
 * the one of `conventionFor`.
 */
function accessOf(operation: Described): Access {
  const { security, responses } = operation
  const successes = Object.keys(responses)
    .filter((code) => code.startsWith('2'))
    .map(Number)
  const { status } = conventionFor(nameOf(operation))
  return {
    scopes: security.flatMap(({ apiKey = [] }) => apiKey),
    status: successes.includes(status) ? status : (successes[0] ?? 0)
  }
}

/**
 * Scope and status that a route should have: `GET` needs the scope to read the first noun of the path, other methods the
 * scope to write it; `DELETE` answers 204, a `POST` to a collection 201, anything else 200. `EXCEPTIONS` differ.
 */
function conventionFor(name: string): Access {
  const [method, path = ''] = name.split(' ')
  const noun = path.split('/')[0]?.replace(/s$/, '')
  const isCreation = method === 'POST' && /^[^/]+\/$/.test(path)
  const status = isCreation ? 201 : 200
  return {
    scopes: [`${noun}:${method === 'GET' ? 'read' : 'write'}`],
    status: method === 'DELETE' ? 204 : status,
    ...EXCEPTIONS[name]
  }
}

function problemsOf(name: string, { scopes, status }: Access): string[] {
  const convention = conventionFor(name)
  const expected = convention.scopes.join(' or ')
  if (scopes.length === 0) {
    const args = convention.scopes.map((scope) => `'${scope}'`).join(', ')
    return [`${name} requires no key: put allow(${args}) after its describe.`]
  }
  const required = scopes.join(' or ')
  return [
    ...(required === expected
      ? []
      : [
          `${name} requires ${required}, but its method and path imply ${expected}: change its allow, or add the route to EXCEPTIONS in test/support/routes.ts.`
        ]),
    ...(status === convention.status
      ? []
      : [
          `${name} succeeds with ${status}, but its method and path imply ${convention.status}: change its answers, or add the route to EXCEPTIONS in test/support/routes.ts.`
        ])
  ]
}

/** Makes a query string of the required parameters: their examples, or their first choices. */
function queryOf(operation: Described): { query: string; problems: string[] } {
  const required = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example, schema }) => ({ name, value: example ?? schema.enum?.[0] }))
  const query = new URLSearchParams(
    required.map(({ name, value }) => [name, String(value ?? '')])
  ).toString()
  return {
    query: query && `?${query}`,
    problems: required
      .filter(({ value }) => value === undefined)
      .map(
        ({ name }) =>
          `The parameter ${name} of ${nameOf(operation)} has no example: give it one with .meta({ example }).`
      )
  }
}

/** Makes a body from the first example of the body's schema: only the required members, or all if none is required. */
function bodyOf(
  operation: Described,
  schemas: ReturnType<typeof readDocument>['schemas']
): { body: JsonObject | undefined; problems: string[] } {
  const name = nameOf(operation)
  const own = BODIES[name]
  if (own || !operation.requestBody) {
    return { body: own, problems: [] }
  }
  const reference = operation.requestBody.content['application/json']?.schema.$ref
  const { examples, required = [] } = schemas[reference?.split('/').at(-1) ?? ''] ?? {}
  const example: unknown = examples?.[0]
  if (!isObject(example)) {
    return {
      body: undefined,
      problems: [`The body of ${name} has no example: give it one with .meta({ examples }).`]
    }
  }
  const members = Object.entries(example).filter(
    ([member]) => required.length === 0 || required.includes(member)
  )
  return { body: Object.fromEntries(members), problems: [] }
}
