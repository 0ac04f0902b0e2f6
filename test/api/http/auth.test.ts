import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newApiKey } from '../../../src/access/key.ts'
import { SCOPES } from '../../../src/access/scopes.ts'
import { createKey, listKeys, revokeKey } from '../../../src/access/store.ts'
import { createApp } from '../../../src/app.ts'
import { ABSENT_FEATURES } from '../../../src/capture/sdk/absent.ts'
import { newReceipt } from '../../support/erasures.ts'
import { db, newProject, published, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'
import { bodyFor, pathTo, type Route, routesOf, UNKNOWN } from '../../support/routes.ts'

type Id = number | string

/** The id of an object in each collection. */
type Ids = Record<string, Id>

/**
 * Functions that create an object and return its id, for collections without a `POST` that answers
 * with the new object. `ids` are the objects created before.
 */
const MAKERS: Record<string, (project: TestProject, ids: Ids) => Promise<Id>> = {
  async persons(project) {
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } }
    ])
    return (await project.call('GET', 'persons')).body.results[0].id
  },
  async session_recordings(project) {
    const session = crypto.randomUUID()
    await holdRecordings().record(snapshotEvent(project, { session }))
    return session
  },
  async query(project) {
    const query = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'opened' }] }
    const { body } = await project.send('POST', 'query', { query, async: true })
    return body.query_status.id
  },
  async receipts(project) {
    return (await newReceipt(project)).id
  },
  async suppressions(project) {
    const { body } = await project.send('POST', 'persons/suppressions', { distinct_ids: ['eve'] })
    return body.results[0].suppressions[0]
  },
  async deletions(project) {
    await project.ingest([{ event: 'opened', distinct_id: 'ada' }])
    const wanted = { events: ['opened'] }
    const tried = await project.send('POST', 'events/delete', { ...wanted, dry_run: true })
    const { token } = tried.body
    return (await project.send('POST', 'events/delete', { ...wanted, token })).body.id
  }
}

/** Routes that answer differently the second time, besides those with status 201 or 204. */
const ONCE = [
  'POST persons/bulk_delete/',
  'POST persons/suppressions/',
  'GET persons/suppressions/{id}/receipt/',
  'POST events/delete/',
  'POST session_recordings/{recording_id}/sharing/refresh/',
  'POST insights/{id}/sharing/refresh/',
  'POST dashboards/{id}/sharing/refresh/'
]

const table = routesOf(published, Object.keys(MAKERS))
const named = table.map((route) => [route.name, route] as const)

/** Every collection whose objects occur in a path. */
const COLLECTIONS = [...new Set(table.flatMap(({ collections }) => collections))]

/** Routes below `/api/` that need a project's public token instead of a key. */
const PUBLIC = ABSENT_FEATURES.map(({ path }) => `GET ${path}`).filter((route) =>
  route.includes('/api/')
)

/** Routes that need a key and have no project in their path, with their scopes. */
const OF_CALLERS = [
  ['/api/environments', 'project:read'],
  ['/api/projects', 'project:read'],
  ['/api/users/@me', 'user:read'],
  ['/api/personal_api_keys', 'personal_api_key:read'],
  ['/api/invitations', 'personal_api_key:read']
] as const

/** Other routes without a project in their path: `test/api/access` tests their keys. */
const OF_KEYS = [
  'GET /api/personal_api_keys/@current',
  'DELETE /api/personal_api_keys/@current',
  'POST /api/personal_api_keys',
  'DELETE /api/personal_api_keys/:id',
  'POST /api/invitations/redeem',
  'POST /api/invitations',
  'DELETE /api/invitations/:id'
]

const PREFIXES = ['/api/environments/:project_id', '/api/projects/:project_id']

const routes = createApp(
  () => new Date(),
  () => ({ consuming: 0, retrying: 0 })
)
  .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
  .map(({ method, path }) => `${method} ${path}`)

const NOT_AUTHENTICATED = {
  type: 'authentication_error',
  code: 'not_authenticated',
  detail: 'Authentication credentials were not provided.',
  attr: null
}
const AUTHENTICATION_FAILED = {
  type: 'authentication_error',
  code: 'authentication_failed',
  detail: 'Personal API key found in request Authorization header is invalid.',
  attr: null
}
const PROJECT_NOT_FOUND = {
  type: 'invalid_request',
  code: 'not_found',
  detail: 'Project not found.',
  attr: null
}
const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null }

afterAll(untilQuiet)

afterEach(() => {
  vi.useRealTimers()
})

/** Creates a project with an object in each of these collections. */
async function newStage(collections: string[]) {
  const project = await newProject()
  const ids: Ids = {}
  for (const collection of collections) {
    ids[collection] ??= await make(project, collection, ids)
  }
  return { project, ids }
}

async function make(project: TestProject, collection: string, ids: Ids): Promise<Id> {
  const maker = MAKERS[collection]
  if (maker) {
    return maker(project, ids)
  }
  const creation = table.find(({ name }) => name === `POST ${collection}/`)
  for (const named of Object.values(creation?.objects ?? {})) {
    ids[named] ??= await make(project, named, ids)
  }
  const { status, body } = await project.send(
    'POST',
    collection,
    creation && bodyFor(creation, ids)
  )
  if (!body?.id) {
    throw new Error(
      `POST ${collection}/ answered ${status} without an id: correct its example, or add ${collection} to MAKERS.`
    )
  }
  return body.id
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Sends the route's request, with these headers, to this project. */
function send(route: Route, ids: Ids, projectId: Id, headers = {}, query = route.query) {
  const path = `/api/environments/${projectId}/${pathTo(route, ids)}${query}`
  return sendTo(path, { ...route, body: bodyFor(route, ids) }, headers)
}

function sendTo(path: string, { method, body }: Route, headers: Record<string, string>) {
  if (!body) {
    return request(method, path, headers)
  }
  return request(
    method,
    path,
    { ...headers, 'Content-Type': 'application/json' },
    JSON.stringify(body)
  )
}

const toWrite = (scope: string) => scope.replace(':read', ':write')

const keyFor = async (projects: TestProject[], scopes: string[], expiresAt?: Date) => {
  const [owner] = projects
  if (!owner) {
    throw new Error('A key needs a project.')
  }
  const input = {
    label: 'test',
    scopes,
    projectIds: projects.map(({ id }) => id),
    userId: owner.user.id,
    expiresAt
  }
  return createKey(db, input, new Date())
}

/** Stages for refused requests, and for requests that need no stage of their own: see `stageFor`. */
const [ours, theirs] = [await newStage(COLLECTIONS), await newStage(COLLECTIONS)]

/** Returns a stage for a request that succeeds: a new stage for a POST or DELETE, after which others might fail. */
const stageFor = async ({ method, collections, objects }: Route) =>
  method === 'POST' || method === 'DELETE'
    ? newStage([...collections, ...Object.values(objects)])
    : ours

const HINT_ONCE = 'Add a route that answers differently the second time to ONCE in auth.test.ts.'
const HINT_BODIES =
  'The examples in /openapi.json, or BODIES in test/support/routes.ts, have to make a request that succeeds.'

const answersOnce = ({ name, status }: Route) =>
  status === 201 || status === 204 || ONCE.includes(name)

const expired = await keyFor([ours.project], ['*'], new Date(Date.now() - 1_000))
const revoked = await keyFor([ours.project], ['*'])
await revokeKey(db, revoked.id, new Date())

it('the app has every route of the reference below both prefixes, and no others but those listed here', () => {
  const expected = PREFIXES.flatMap((prefix) =>
    table.map(({ method, path }) => {
      const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/$/, '')
      return `${method} ${prefix}/${pattern}`.replace(/\/$/, '')
    })
  )
  const ofCallers = OF_CALLERS.map(([path]) => `GET ${path}`)

  expect(
    [...new Set(routes)].sort(),
    'Mount a new route below both prefixes, or list it in ABSENT_FEATURES, OF_CALLERS or OF_KEYS.'
  ).toEqual([...PUBLIC, ...ofCallers, ...OF_KEYS, ...expected].sort())
})

/**
 * Routes that stand for all in the tests of keys and project ids. They include both ways to check a
 * key: before the handler, or in the same round trip as the first read.
 */
const REPRESENTATIVES = ['POST insights/trend/actors/', 'POST insights/trend/', 'GET persons/']
describe.each(named.filter(([name]) => REPRESENTATIVES.includes(name)))(
  'access to %s',
  (_, route) => {
    it.each([
      ['personal_api_key', 'the key', {}],
      ['api_key', 'the key', {}],
      ['access_token', 'the key', {}],
      ['token', 'the key', {}],
      ['key', 'the key', {}],
      ['personal_api_key', 'anything', {}],
      ['api_key', 'anything', {}],
      ['personal_api_key', 'the key', bearer(ours.project.key)],
      ['token', 'the key', bearer(ours.project.key)]
    ])('refuses a key in the URL and names the header: %s=%s %j', async (name, value, headers) => {
      const { project, ids } = ours
      const query = `?${name}=${value === 'the key' ? project.key : 'anything'}`

      const { status, body } = await send(route, ids, project.id, headers, query)

      expect(status).toBe(401)
      expect(body).toEqual({
        ...AUTHENTICATION_FAILED,
        detail: `Do not send a key in the URL, where it may be logged: send it in the header, \`Authorization: Bearer phx_…\`, and leave out \`${name}\`.`,
        attr: name
      })
    })

    it.each([
      ['an unknown key', () => `Bearer ${newApiKey()}`],
      ['text that is not a key', () => 'Bearer hello'],
      ['no key after the scheme', () => 'Bearer '],
      ['the key without a scheme', ({ key }: TestProject) => key],
      ['another scheme', ({ key }: TestProject) => `Token ${key}`],
      ['the key in basic authentication', ({ key }: TestProject) => `Basic ${btoa(`${key}:`)}`],
      ['more after the key', ({ key }: TestProject) => `Bearer ${key} more`],
      ['the key in another case', ({ key }: TestProject) => `Bearer ${key.toUpperCase()}`],
      ["the project's capture token", ({ token }: TestProject) => `Bearer ${token}`]
    ])('refuses %s', async (_, authorization) => {
      const { project, ids } = ours

      const { status, body, headers } = await send(route, ids, project.id, {
        Authorization: authorization(project)
      })

      expect(status).toBe(401)
      expect(body).toEqual(AUTHENTICATION_FAILED)
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
    })

    it('accepts the scheme in lower case', async () => {
      const { project, ids } = ours

      const { status } = await send(route, ids, project.id, {
        Authorization: `bearer ${project.key}`
      })

      expect(status).toBe(route.status)
    })

    it('refuses a key from the moment it expires', async () => {
      const { project, ids } = ours
      const { key } = await keyFor([project], ['*'], new Date('2026-11-21T12:00:00Z'))

      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T11:59:59.999Z') })
      const before = await send(route, ids, project.id, bearer(key))
      vi.setSystemTime(new Date('2026-11-21T12:00:00Z'))
      const after = await send(route, ids, project.id, bearer(key))

      expect(before.status).toBe(route.status)
      expect(after.status).toBe(401)
      expect(after.body).toEqual(AUTHENTICATION_FAILED)
    })

    it('refuses a key with the first request after its revocation', async () => {
      const { project, ids } = ours
      const { id, key } = await keyFor([project], ['*'])

      const before = await send(route, ids, project.id, bearer(key))
      await revokeKey(db, id, new Date())
      const after = await send(route, ids, project.id, bearer(key))

      expect(before.status).toBe(route.status)
      expect(after.status).toBe(401)
      expect(after.body).toEqual(AUTHENTICATION_FAILED)
    })

    it.each([
      'abc',
      '0',
      '-1',
      '1.5',
      '1e3',
      '@me',
      '%40current%20',
      '9007199254740993',
      '99999999999999999999',
      'null'
    ])('does not find the project %s', async (id) => {
      const { project, ids } = ours

      const { status, body } = await send(route, ids, id, bearer(project.key))

      expect(status).toBe(404)
      expect(body).toEqual(PROJECT_NOT_FOUND)
    })

    it('refuses @current for a key of two projects, and finds both by their ids', async () => {
      const { project, ids } = ours
      const other = theirs
      const { key } = await keyFor([project, other.project], ['*'])

      const current = await send(route, ids, '@current', bearer(key))
      const first = await send(route, ids, project.id, bearer(key))
      const second = await send(route, other.ids, other.project.id, bearer(key))

      const detail =
        'Project not found: `@current` needs a key for exactly one project, and this key is for several.'
      expect([current.status, current.body]).toEqual([404, { ...PROJECT_NOT_FOUND, detail }])
      expect([first.status, second.status]).toEqual([route.status, route.status])
    })
  }
)

describe.each(named)('%s', (_, route) => {
  it('is described well enough to be tested', () => {
    expect(route.problems.join('\n')).toBe('')
  })

  it('succeeds with a key that may use it', async () => {
    const { project, ids } = await stageFor(route)

    const { status } = await send(route, ids, project.id, bearer(project.key))

    expect(status, HINT_BODIES).toBe(route.status)
  })

  it('refuses a request without a key', async () => {
    const { project, ids } = ours

    const { status, body, headers } = await send(route, ids, project.id)

    expect(status).toBe(401)
    expect(body).toEqual(NOT_AUTHENTICATED)
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it.each([
    ['unknown', newApiKey()],
    ['expired', expired.key],
    ['revoked', revoked.key]
  ])('refuses a key that is %s', async (_, key) => {
    const { project, ids } = ours

    const { status, body, headers } = await send(route, ids, project.id, bearer(key))

    expect(status).toBe(401)
    expect(body).toEqual(AUTHENTICATION_FAILED)
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it('refuses a key with every other scope and names the one it needs', async () => {
    const { project, ids } = ours
    const satisfying = ['*', ...route.scopes, ...route.scopes.map(toWrite)]
    const { key } = await keyFor(
      [project],
      SCOPES.filter((scope) => !satisfying.includes(scope))
    )

    const { status, body } = await send(route, ids, project.id, bearer(key))

    expect(status).toBe(403)
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: `API key missing required scope '${route.scopes[0]}'`,
      attr: null
    })
  })

  it.each([
    ...route.scopes.map((scope) => ['the scope itself', scope]),
    ...route.scopes.map((scope) => ['the scope to write', toWrite(scope)]),
    ['the scope for all', '*']
  ])('accepts %s', async (_, scope) => {
    const { project, ids } = await stageFor(route)
    const { key } = await keyFor([project], [scope])

    const { status } = await send(route, ids, project.id, bearer(key))

    expect(status).toBe(route.status)
  })

  it('answers alike for another owner’s project and for an unknown project', async () => {
    const { project } = ours
    const { project: other, ids } = theirs

    const foreign = await send(route, ids, other.id, bearer(project.key))
    const unknown = await send(route, ids, UNKNOWN, bearer(project.key))

    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(PROJECT_NOT_FOUND)
    expect([unknown.status, unknown.text]).toEqual([404, foreign.text])
    expect([...unknown.headers.keys()]).toEqual([...foreign.headers.keys()])
  })

  it('accepts @current for the only project of the key', async () => {
    const { project, ids } = await stageFor(route)
    vi.useFakeTimers({ toFake: ['Date'] })

    const current = await send(route, ids, '@current', bearer(project.key))
    const known = await send(route, ids, project.id, bearer(project.key))

    expect(current.status).toBe(route.status)
    if (!answersOnce(route)) {
      expect(current.body, HINT_ONCE).toEqual(known.body)
    }
  })

  it.each([
    ['/api/environments', ''],
    ['/api/environments', '/'],
    ['/api/projects', ''],
    ['/api/projects', '/']
  ])('is the same at %s with "%s" at the end, without a redirect', async (prefix, slash) => {
    const { project, ids } = await stageFor(route)
    const names = [prefix, project.id, pathTo(route, ids)].filter((name) => name !== '')
    const path = `${names.join('/')}${slash}${route.query}`
    vi.useFakeTimers({ toFake: ['Date'] })

    const asked = await sendTo(path, { ...route, body: bodyFor(route, ids) }, bearer(project.key))
    const known = await send(route, ids, project.id, bearer(project.key))

    expect(asked.status).toBe(route.status)
    expect(asked.headers.get('Location')).toBeNull()
    if (!answersOnce(route)) {
      expect(asked.body, HINT_ONCE).toEqual(known.body)
    }
  })
})

describe.each(named.filter(([, { collections }]) => collections.length > 0))(
  '%s across projects',
  (_, route) => {
    it("answers alike for another project's object and for an unknown object", async () => {
      const { project } = ours

      const foreign = await send(route, theirs.ids, project.id, bearer(project.key))
      const unknown = await send(route, {}, project.id, bearer(project.key))

      expect([foreign.status, foreign.body]).toEqual([404, NOT_FOUND])
      expect([unknown.status, unknown.body]).toEqual([404, NOT_FOUND])
    })
  }
)

describe.each(OF_CALLERS)('GET %s', (path, scope) => {
  it.each([
    ['an unknown key', newApiKey()],
    ['an expired key', expired.key],
    ['a revoked key', revoked.key]
  ])('refuses %s', async (_, key) => {
    const { status, body, headers } = await request('GET', `${path}/`, bearer(key))

    expect([status, body]).toEqual([401, AUTHENTICATION_FAILED])
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it('refuses a request without a key, and a request with a key in the URL', async () => {
    const none = await request('GET', path)
    const inUrl = await request('GET', `${path}?personal_api_key=${ours.project.key}`)

    expect([none.status, none.body]).toEqual([401, NOT_AUTHENTICATED])
    expect([inUrl.status, inUrl.body.attr]).toEqual([401, 'personal_api_key'])
  })

  it('refuses a key with every other scope and names the one it needs', async () => {
    const satisfying = ['*', scope, toWrite(scope)]
    const { key } = await keyFor(
      [ours.project],
      SCOPES.filter((one) => !satisfying.includes(one))
    )

    const { status, body } = await request('GET', path, bearer(key))

    expect(status).toBe(403)
    expect(body.detail).toBe(`API key missing required scope '${scope}'`)
  })

  it.each([scope, toWrite(scope), '*'])('accepts the scope %s', async (held) => {
    const { key } = await keyFor([ours.project], [held])

    const answers = [
      await request('GET', path, bearer(key)),
      await request('GET', `${path}/`, bearer(key))
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('records that a key was used', async () => {
    const { id, key } = await keyFor([ours.project], [scope])

    await request('GET', path, bearer(key))

    expect((await listKeys(db)).find((row) => row.id === id)?.lastUsedAt).toEqual(
      expect.any(Number)
    )
  })
})

describe('an error in a request', () => {
  it.each([
    'persons?limit=0',
    'persons/abc',
    'persons?properties=[{"key":"plan","operator":"like"}]'
  ])('is not revealed to a key without access: %s', async (path) => {
    const [project, other] = [await newProject(), await newProject()]
    const { key } = await keyFor([project], ['insight:read'])
    const answers = [
      await project.send('GET', path),
      await request('GET', `/api/environments/${project.id}/${path}`, bearer(newApiKey())),
      await request('GET', `/api/environments/${project.id}/${path}`, bearer(key)),
      await request('GET', `/api/environments/${other.id}/${path}`, bearer(project.key))
    ]

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [400, 'invalid_input'],
      [401, 'authentication_failed'],
      [403, 'permission_denied'],
      [404, 'not_found']
    ])
  })
})

describe("another project's persons", () => {
  it('are not found by uuid', async () => {
    const { project } = ours
    const [person] = (await theirs.project.call('GET', 'persons')).body.results

    const { status, body } = await project.call('GET', `persons/${person.uuid}`)

    expect([status, body]).toEqual([404, NOT_FOUND])
  })

  it.each([
    ['the distinct id', 'distinct_id', () => 'their-id'],
    ['the e-mail', 'email', () => 'theirs@example.com'],
    ['a part of the e-mail', 'search', () => 'heirs@exam'],
    ['two characters', 'search', () => 'th'],
    ['a search for the distinct id', 'search', () => 'their-id'],
    ['the uuid', 'search', (person: { uuid: string }) => person.uuid]
  ])('are not listed by %s', async (_, parameter, term) => {
    const project = await newProject()
    const other = await newProject()
    await other.ingest([
      {
        event: '$identify',
        distinct_id: 'their-id',
        properties: { $set: { email: 'theirs@example.com' } }
      }
    ])
    const person = (await other.call('GET', 'persons')).body.results[0]
    const query = `persons?${parameter}=${encodeURIComponent(term(person))}`

    const own = await other.call('GET', query)
    const { status, body } = await project.call('GET', query)

    expect(own.body).toMatchObject({ count: 1, results: [{ uuid: person.uuid }] })
    expect(status).toBe(200)
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('are not listed with a cursor from a list of their own project', async () => {
    const project = await newProject()
    const other = await newProject()
    const persons = (prefix: string) =>
      [1, 2, 3].map((n) => ({
        distinct_id: `${prefix}-${n}`,
        timestamp: Date.UTC(2026, 10, n),
        properties: { $set: { email: `${prefix}${n}@example.com` } }
      }))
    await project.ingest(persons('own'))
    await other.ingest(persons('their'))
    const theirs = await other.call('GET', 'persons?limit=1&search=example')
    const cursor = new URL(theirs.body.next).searchParams.get('cursor')

    const { status, body } = await project.call(
      'GET',
      `persons?limit=5&search=example&cursor=${cursor}`
    )

    expect(status).toBe(200)
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual([
      'own3@example.com',
      'own2@example.com',
      'own1@example.com'
    ])
  })
})

describe.each(named.filter(([, { body }]) => body))('access to %s', (_, route) => {
  it('refuses a key before it unpacks the body', async () => {
    const { project, ids } = ours
    const path = `/api/environments/${project.id}/${pathTo(route, ids)}`
    const headers = { ...bearer(revoked.key), 'Content-Encoding': 'gzip' }
    const brokenGzip = new Uint8Array([0x1f, 0x8b, 0])

    const { status, body } = await request(route.method, path, headers, brokenGzip)

    expect([status, body]).toEqual([401, AUTHENTICATION_FAILED])
  })
})

it('records the last use of a key at most once an hour', async () => {
  const project = await newProject()
  const { id, key } = await keyFor([project], ['person:read'])
  const lastUsed = async () => (await listKeys(db)).find((row) => row.id === id)?.lastUsedAt
  const use = (at: string) => {
    vi.setSystemTime(new Date(at))
    return request('GET', '/api/projects/@current/persons', bearer(key))
  }

  vi.useFakeTimers({ toFake: ['Date'] })
  expect(await lastUsed()).toBeNull()
  await use('2026-11-21T12:00:00Z')
  expect(await lastUsed()).toBe(Date.parse('2026-11-21T12:00:00Z'))
  await use('2026-11-21T13:00:00Z')
  expect(await lastUsed()).toBe(Date.parse('2026-11-21T12:00:00Z'))
  await use('2026-11-21T13:00:00.001Z')
  expect(await lastUsed()).toBe(Date.parse('2026-11-21T13:00:00.001Z'))
})

it('does not record the use of a refused key', async () => {
  const project = await newProject()
  const { id, key } = await keyFor([project], ['insight:read'])

  const { status } = await request('GET', '/api/projects/@current/persons', bearer(key))

  expect(status).toBe(403)
  expect((await listKeys(db)).find((row) => row.id === id)?.lastUsedAt).toBeNull()
})
