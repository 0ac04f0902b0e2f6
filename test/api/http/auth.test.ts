import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { writeReceipt } from '../../../src/erasures/receipt.ts'
import type { JsonObject } from '../../../src/json.ts'
import { newApiKey } from '../../../src/projects/key.ts'
import { SCOPES } from '../../../src/projects/scopes.ts'
import { createKey, listKeys, revokeKey } from '../../../src/projects/store.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'

type Sample = {
  /** Below the project, for a project that has these. */
  path: (objects: Person) => string
  scope: string
  /** Scopes of which any is as good. */
  others?: string[]
  status: number
  body?: JsonObject
  /** A second time it answers something else. */
  isOnce?: true
}

const RECEIPT = {
  ...writeReceipt({
    id: 1,
    project_id: 1,
    person_uuid: '01a1f000-0000-7000-8000-00000000000a',
    requestedAt: 0,
    requested_by: {},
    delete_events: true,
    delete_recordings: true,
    run: null,
    verifiedAt: 0,
    removed: {},
    remaining: {},
    late_events_dropped: 0
  }),
  requested_by: {},
  signature: ''
}

const SUBSCRIPTION = {
  target_type: 'email',
  target_value: 'ada@example.com',
  frequency: 'daily',
  start_date: '2026-11-20T09:00:00Z'
}
const OF_SESSIONS = {
  scope: 'query:read',
  others: ['session_recording:read', 'insight:read'],
  status: 200
}

/** One request that succeeds for every route of the API: a new route is refused here until it has its own. */
const SAMPLES: Record<string, Sample> = {
  'GET /persons': { path: () => 'persons', scope: 'person:read', status: 200 },
  'POST /insights/trend': { path: () => 'insights/trend', scope: 'insight:read', status: 200 },
  'GET /insights/trend': { path: () => 'insights/trend', scope: 'insight:read', status: 200 },
  'GET /insights': { path: () => 'insights', scope: 'insight:read', status: 200 },
  'POST /insights': {
    path: () => 'insights',
    scope: 'insight:write',
    status: 201,
    body: { name: 'Views' },
    isOnce: true
  },
  'GET /insights/:id': {
    path: ({ insight }) => `insights/${insight}`,
    scope: 'insight:read',
    status: 200
  },
  'PATCH /insights/:id': {
    path: ({ insight }) => `insights/${insight}`,
    scope: 'insight:write',
    status: 200,
    body: { name: 'Views' }
  },
  'DELETE /insights/:id': {
    path: ({ insight }) => `insights/${insight}`,
    scope: 'insight:write',
    status: 204,
    isOnce: true
  },
  'GET /dashboards': { path: () => 'dashboards', scope: 'dashboard:read', status: 200 },
  'POST /dashboards': {
    path: () => 'dashboards',
    scope: 'dashboard:write',
    status: 201,
    body: { name: 'Weekly' },
    isOnce: true
  },
  'GET /dashboards/:id': {
    path: ({ dashboard }) => `dashboards/${dashboard}`,
    scope: 'dashboard:read',
    status: 200
  },
  'PATCH /dashboards/:id': {
    path: ({ dashboard }) => `dashboards/${dashboard}`,
    scope: 'dashboard:write',
    status: 200,
    body: { name: 'Weekly' }
  },
  'DELETE /dashboards/:id': {
    path: ({ dashboard }) => `dashboards/${dashboard}`,
    scope: 'dashboard:write',
    status: 204,
    isOnce: true
  },
  'GET /session_recordings': {
    path: () => 'session_recordings',
    scope: 'session_recording:read',
    status: 200
  },
  'GET /session_recordings/:id': {
    path: ({ session }) => `session_recordings/${session}`,
    scope: 'session_recording:read',
    status: 200
  },
  'GET /session_recordings/:id/snapshots': {
    path: ({ session }) => `session_recordings/${session}/snapshots`,
    scope: 'session_recording:read',
    status: 200
  },
  'GET /subscriptions': { path: () => 'subscriptions', scope: 'subscription:read', status: 200 },
  'POST /subscriptions': {
    path: () => 'subscriptions',
    scope: 'subscription:write',
    status: 201,
    body: SUBSCRIPTION,
    isOnce: true
  },
  'GET /subscriptions/:id': {
    path: ({ subscription }) => `subscriptions/${subscription}`,
    scope: 'subscription:read',
    status: 200
  },
  'PATCH /subscriptions/:id': {
    path: ({ subscription }) => `subscriptions/${subscription}`,
    scope: 'subscription:write',
    status: 200,
    body: { title: 'Weekly numbers' }
  },
  'DELETE /subscriptions/:id': {
    path: ({ subscription }) => `subscriptions/${subscription}`,
    scope: 'subscription:write',
    status: 204,
    isOnce: true
  },
  'GET /subscriptions/:id/deliveries': {
    path: ({ subscription }) => `subscriptions/${subscription}/deliveries`,
    scope: 'subscription:read',
    status: 200
  },
  'POST /subscriptions/:id/test': {
    path: ({ subscription }) => `subscriptions/${subscription}/test`,
    scope: 'subscription:write',
    status: 201,
    isOnce: true
  },
  'GET /subscriptions/:id/preview': {
    path: ({ subscription }) => `subscriptions/${subscription}/preview`,
    scope: 'subscription:read',
    status: 200
  },
  'PATCH /session_recordings/:id': {
    path: ({ session }) => `session_recordings/${session}`,
    scope: 'session_recording:write',
    status: 200,
    body: { viewed: true }
  },
  'DELETE /session_recordings/:id': {
    path: ({ session }) => `session_recordings/${session}`,
    scope: 'session_recording:write',
    status: 204,
    isOnce: true
  },
  'POST /session_recordings/ai/filters': {
    path: () => 'session_recordings/ai/filters',
    scope: 'session_recording:read',
    status: 200,
    body: { distinct_id: 'ada' }
  },
  'POST /session_recordings/ai/regex': {
    path: () => 'session_recordings/ai/regex',
    scope: 'session_recording:read',
    status: 200,
    body: { distinct_id: 'ada' }
  },
  'GET /session_recordings/:recording_id/sharing': {
    path: ({ session }) => `session_recordings/${session}/sharing`,
    scope: 'sharing_configuration:read',
    status: 200
  },
  'PATCH /session_recordings/:recording_id/sharing': {
    path: ({ session }) => `session_recordings/${session}/sharing`,
    scope: 'sharing_configuration:write',
    status: 200,
    body: { enabled: true }
  },
  'POST /session_recordings/:recording_id/sharing/refresh': {
    path: ({ session }) => `session_recordings/${session}/sharing/refresh`,
    scope: 'sharing_configuration:write',
    status: 200,
    isOnce: true
  },
  'GET /session_recordings/:id/analyze/similar': {
    path: ({ session }) => `session_recordings/${session}/analyze/similar`,
    scope: 'session_recording:read',
    status: 200
  },
  'GET /sessions/property_definitions': {
    path: () => 'sessions/property_definitions',
    ...OF_SESSIONS
  },
  'GET /sessions/values': { path: () => 'sessions/values?key=$channel_type', ...OF_SESSIONS },
  'GET /persons/:id': { path: ({ id }) => `persons/${id}`, scope: 'person:read', status: 200 },
  'GET /persons/activity': {
    path: () => 'persons/activity',
    scope: 'activity_log:read',
    status: 200
  },
  'GET /persons/:id/activity': {
    path: ({ id }) => `persons/${id}/activity`,
    scope: 'activity_log:read',
    status: 200
  },
  'PATCH /persons/:id': {
    path: ({ id }) => `persons/${id}`,
    scope: 'person:write',
    status: 200,
    body: { properties: { plan: 'pro' } }
  },
  'GET /persons/:id/properties_timeline': {
    path: ({ id }) => `persons/${id}/properties_timeline`,
    scope: 'person:read',
    status: 200
  },
  'POST /persons/:id/split': {
    path: ({ id }) => `persons/${id}/split`,
    scope: 'person:write',
    status: 200
  },
  'POST /persons/:id/delete_property': {
    path: ({ id }) => `persons/${id}/delete_property`,
    scope: 'person:write',
    status: 200,
    body: { $unset: 'plan' }
  },
  'DELETE /persons/:id': {
    path: ({ id }) => `persons/${id}`,
    scope: 'person:write',
    status: 204,
    isOnce: true
  },
  'POST /persons/bulk_delete': {
    path: () => 'persons/bulk_delete',
    scope: 'person:write',
    status: 200,
    body: { distinct_ids: ['ada'] },
    isOnce: true
  },
  'GET /persons/deletion_status': {
    path: () => 'persons/deletion_status',
    scope: 'person:read',
    status: 200
  },
  'POST /persons/deletion_receipts/verify': {
    path: () => 'persons/deletion_receipts/verify',
    scope: 'person:read',
    status: 200,
    body: RECEIPT
  }
}

/** Routes below `/api/` that ask for a project's public token instead of a key. */
const PUBLIC = ['GET /api/surveys']

const PREFIXES = ['/api/environments/:project_id', '/api/projects/:project_id']

const routes = createApp(
  () => new Date(),
  () => ({ consuming: 0, retrying: 0 })
)
  .routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
  .map(({ method, path }) => `${method} ${path}`)

const UNKNOWN = 999_999_999

const table = Object.entries(SAMPLES).map(([route, sample]) => ({ route, ...sample }))

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

async function newProjectWithPerson() {
  const project = await newProject()
  await project.ingest([
    { event: '$identify', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } }
  ])
  const session = crypto.randomUUID()
  await holdRecordings().record(snapshotEvent(project, { session }))
  const { body } = await project.call('GET', 'persons')
  const headers = { ...bearer(project.key), 'Content-Type': 'application/json' }
  const create = async (path: string, body = {}): Promise<number> =>
    (
      await request(
        'POST',
        `/api/environments/${project.id}/${path}`,
        headers,
        JSON.stringify(body)
      )
    ).body.id
  const { id, uuid } = body.results[0]
  const person: Person = {
    id,
    uuid,
    session,
    insight: await create('insights'),
    dashboard: await create('dashboards'),
    subscription: await create('subscriptions', SUBSCRIPTION)
  }
  return { project, person }
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** The request of a route's sample, with these headers, to this project. */
function send(
  route: string,
  sample: Sample,
  person: Person,
  projectId: number | string,
  headers = {},
  query = ''
) {
  return sendTo(
    `/api/environments/${projectId}/${sample.path(person)}${query}`,
    route,
    sample,
    headers
  )
}

function sendTo(path: string, route: string, { body }: Sample, headers: Record<string, string>) {
  const method = route.split(' ')[0] ?? ''
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
/** A person with a recorded session, and the ids of an insight, a dashboard and a subscription. */
type Person = {
  id: number
  uuid: string
  session: string
  insight: number
  dashboard: number
  subscription: number
}

const scopesOf = ({ scope, others = [] }: Pick<Sample, 'scope' | 'others'>) => [scope, ...others]
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

/** For requests that are refused, and those that may come again. */
const [ours, theirs] = [await newProjectWithPerson(), await newProjectWithPerson()]

const stageOf = async ({ isOnce }: Pick<Sample, 'isOnce'>) =>
  isOnce ? newProjectWithPerson() : ours

it('has a sample for every route, below both prefixes', () => {
  const expected = PREFIXES.flatMap((prefix) =>
    table.map(({ route }) => route.replace(' ', ` ${prefix}`))
  )

  expect([...new Set(routes)].sort()).toEqual([...PUBLIC, ...expected].sort())
})

/** What every route has from the same middleware: shown by one of them. */
/** The second looks the key up before all else, the first together with what it reads. */
describe.each(table.slice(0, 2))('keys and projects, by $route', ({ route, ...sample }) => {
  it.each(['personal_api_key', 'api_key', 'access_token', 'token', 'key'])(
    'does not take a key from the query parameter %s',
    async (parameter) => {
      const { project, person } = ours

      const { status, body } = await send(
        route,
        sample,
        person,
        project.id,
        {},
        `?${parameter}=${project.key}`
      )

      expect(status).toBe(401)
      expect(body).toEqual(NOT_AUTHENTICATED)
    }
  )

  it.each([
    ['an unknown key', () => `Bearer ${newApiKey()}`],
    ['something that is no key', () => 'Bearer hello'],
    ['no key after the scheme', () => 'Bearer '],
    ['the key without a scheme', ({ key }: TestProject) => key],
    ['another scheme', ({ key }: TestProject) => `Token ${key}`],
    ['the key in basic authentication', ({ key }: TestProject) => `Basic ${btoa(`${key}:`)}`],
    ['more after the key', ({ key }: TestProject) => `Bearer ${key} more`],
    ['the key in another case', ({ key }: TestProject) => `Bearer ${key.toUpperCase()}`],
    ["the project's capture token", ({ token }: TestProject) => `Bearer ${token}`]
  ])('refuses %s', async (_, authorization) => {
    const { project, person } = ours

    const { status, body, headers } = await send(route, sample, person, project.id, {
      Authorization: authorization(project)
    })

    expect(status).toBe(401)
    expect(body).toEqual(AUTHENTICATION_FAILED)
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it('takes the scheme in any case', async () => {
    const { project, person } = ours

    const { status } = await send(route, sample, person, project.id, {
      Authorization: `bearer ${project.key}`
    })

    expect(status).toBe(sample.status)
  })

  it('refuses a key from the moment it expires', async () => {
    const { project, person } = ours
    const { key } = await keyFor([project], ['*'], new Date('2026-11-21T12:00:00Z'))

    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T11:59:59.999Z') })
    const before = await send(route, sample, person, project.id, bearer(key))
    vi.setSystemTime(new Date('2026-11-21T12:00:00Z'))
    const after = await send(route, sample, person, project.id, bearer(key))

    expect(before.status).toBe(sample.status)
    expect(after.status).toBe(401)
    expect(after.body).toEqual(AUTHENTICATION_FAILED)
  })

  it('refuses a key with the first request after its revocation', async () => {
    const { project, person } = ours
    const { id, key } = await keyFor([project], ['*'])

    const before = await send(route, sample, person, project.id, bearer(key))
    await revokeKey(db, id, new Date())
    const after = await send(route, sample, person, project.id, bearer(key))

    expect(before.status).toBe(sample.status)
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
  ])('knows no project %s', async (id) => {
    const { project, person } = ours

    const { status, body } = await send(route, sample, person, id, bearer(project.key))

    expect(status).toBe(404)
    expect(body).toEqual(PROJECT_NOT_FOUND)
  })

  it('knows no @current for a key of two projects, which reaches both by their ids', async () => {
    const { project, person } = ours
    const other = theirs
    const { key } = await keyFor([project, other.project], ['*'])

    const current = await send(route, sample, person, '@current', bearer(key))
    const first = await send(route, sample, person, project.id, bearer(key))
    const second = await send(route, sample, other.person, other.project.id, bearer(key))

    const detail =
      'Project not found: the key reaches several, so that @current names none of them.'
    expect([current.status, current.body]).toEqual([404, { ...PROJECT_NOT_FOUND, detail }])
    expect([first.status, second.status]).toEqual([sample.status, sample.status])
  })
})

describe.each(table)('$route', ({ route, ...sample }) => {
  it('answers a key that may use it', async () => {
    const { project, person } = await stageOf(sample)

    const { status } = await send(route, sample, person, project.id, bearer(project.key))

    expect(status).toBe(sample.status)
  })

  it('refuses a request without a key', async () => {
    const { project, person } = ours

    const { status, body, headers } = await send(route, sample, person, project.id)

    expect(status).toBe(401)
    expect(body).toEqual(NOT_AUTHENTICATED)
    expect(headers.get('WWW-Authenticate')).toBe('Bearer')
  })

  it('refuses a key with every other scope and names the one it needs', async () => {
    const { project, person } = ours
    const satisfying = ['*', ...scopesOf(sample), ...scopesOf(sample).map(toWrite)]
    const { key } = await keyFor(
      [project],
      SCOPES.filter((scope) => !satisfying.includes(scope))
    )

    const { status, body } = await send(route, sample, person, project.id, bearer(key))

    expect(status).toBe(403)
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'permission_denied',
      detail: `API key missing required scope '${sample.scope}'`,
      attr: null
    })
  })

  it.each([
    ...scopesOf(sample).map((scope) => ['the scope itself', scope]),
    ...scopesOf(sample).map((scope) => ['the scope to write', toWrite(scope)]),
    ['the scope for all', '*']
  ])('is satisfied by %s', async (_, scope) => {
    const { project, person } = await stageOf(sample)
    const { key } = await keyFor([project], [scope])

    const { status } = await send(route, sample, person, project.id, bearer(key))

    expect(status).toBe(sample.status)
  })

  it('answers for a foreign project exactly what it answers for an unknown one', async () => {
    const { project } = ours
    const { project: other, person } = theirs

    const foreign = await send(route, sample, person, other.id, bearer(project.key))
    const unknown = await send(route, sample, person, 999_999_999, bearer(project.key))

    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(PROJECT_NOT_FOUND)
    expect([unknown.status, unknown.text]).toEqual([404, foreign.text])
    expect([...unknown.headers.keys()]).toEqual([...foreign.headers.keys()])
  })

  it('takes @current for the only project of the key', async () => {
    const { project, person } = await stageOf(sample)
    vi.useFakeTimers({ toFake: ['Date'] })

    const current = await send(route, sample, person, '@current', bearer(project.key))
    const named = await send(route, sample, person, project.id, bearer(project.key))

    expect(current.status).toBe(sample.status)
    if (!sample.isOnce) {
      expect(current.body).toEqual(named.body)
    }
  })

  it.each([
    ['/api/environments', ''],
    ['/api/environments', '/'],
    ['/api/projects', ''],
    ['/api/projects', '/']
  ])('is the same at %s with "%s" at the end, without a redirect', async (prefix, slash) => {
    const { project, person } = await stageOf(sample)
    const path = `${prefix}/${project.id}/${sample.path(person).replace(/(?=\?|$)/, slash)}`
    vi.useFakeTimers({ toFake: ['Date'] })

    const asked = await sendTo(path, route, sample, bearer(project.key))
    const named = await send(route, sample, person, project.id, bearer(project.key))

    expect(asked.status).toBe(sample.status)
    expect(asked.headers.get('Location')).toBeNull()
    if (!sample.isOnce) {
      expect(asked.body).toEqual(named.body)
    }
  })
})

describe.each(table.filter(({ route }) => /:(recording_)?id/.test(route)))(
  '$route across projects',
  ({ route, ...sample }) => {
    it("answers for another project's object what it answers for one that never was", async () => {
      const { project } = ours
      const { person } = theirs

      const foreign = await send(route, sample, person, project.id, bearer(project.key))
      const unknown = await send(
        route,
        sample,
        {
          id: UNKNOWN,
          uuid: '',
          session: 'unknown',
          insight: UNKNOWN,
          dashboard: UNKNOWN,
          subscription: UNKNOWN
        },
        project.id,
        bearer(project.key)
      )

      expect([foreign.status, foreign.body]).toEqual([404, NOT_FOUND])
      expect([unknown.status, unknown.body]).toEqual([404, NOT_FOUND])
    })
  }
)

describe('what is wrong with a request', () => {
  it.each([
    'persons?limit=0',
    'persons/abc',
    'persons?properties=[{"key":"plan","operator":"like"}]'
  ])('is told to nobody who may not make it: %s', async (path) => {
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
    const { person } = theirs

    const { status, body } = await project.call('GET', `persons/${person.uuid}`)

    expect([status, body]).toEqual([404, NOT_FOUND])
  })

  it.each([
    ['distinct_id', () => 'their-id'],
    ['email', () => 'theirs@example.com'],
    ['search by a part of the e-mail', () => 'heirs@exam'],
    ['search by two characters', () => 'th'],
    ['search by distinct id', () => 'their-id'],
    ['search by uuid', (person: Person) => person.uuid]
  ])('are not listed with %s', async (filter, term) => {
    const project = await newProject()
    const other = await newProject()
    await other.ingest([
      {
        event: '$identify',
        distinct_id: 'their-id',
        properties: { $set: { email: 'theirs@example.com' } }
      }
    ])
    const theirs = (await other.call('GET', 'persons')).body.results[0]
    const query = `persons?${filter.split(' ')[0]}=${encodeURIComponent(term(theirs))}`

    const own = await other.call('GET', query)
    const { status, body } = await project.call('GET', query)

    expect(own.body).toMatchObject({ count: 1, results: [{ uuid: theirs.uuid }] })
    expect(status).toBe(200)
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('are not reached through a cursor of their list', async () => {
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

it('writes when a key was last used at most once an hour', async () => {
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

it('does not note the use of a key that it refuses', async () => {
  const project = await newProject()
  const { id, key } = await keyFor([project], ['insight:read'])

  const { status } = await request('GET', '/api/projects/@current/persons', bearer(key))

  expect(status).toBe(403)
  expect((await listKeys(db)).find((row) => row.id === id)?.lastUsedAt).toBeNull()
})
