import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Handler } from 'hono'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createApp } from '../../../src/app.ts'
import { createDocument } from '../../../src/http/document.ts'
import { type AppEnv, createRouter } from '../../../src/http/env.ts'
import { answerError } from '../../../src/http/errors.ts'
import { describe as describeRoute } from '../../../src/http/openapi.ts'
import { validateBody } from '../../../src/http/validation.ts'
import { CRONS } from '../../../src/jobs/cron.ts'
import { failingBucket, failingDatabase, failingQueue } from '../../support/bindings.ts'
import { listenToLog } from '../../support/log.ts'
import { newestMigration } from '../../support/migrate.ts'
import { invoke } from '../../support/platform.ts'
import { BASE, newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import worker from '../../support/worker.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UNREACHABLE = 'D1_ERROR: Network connection lost.'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const capture = (token: string, bindings: Partial<Env> = {}, distinctId = 'ada') =>
  request(
    'POST',
    '/e/',
    {},
    JSON.stringify({ api_key: token, event: '$identify', distinct_id: distinctId, properties: {} }),
    bindings
  )

describe('an unknown path', () => {
  it.each([
    ['GET', '/nope'],
    ['POST', '/api/'],
    ['DELETE', '/api/organizations/1'],
    ['GET', '/api/environments/1/nope/'],
    ['GET', '/api/environments/1/persons/1/nope'],
    ['GET', '/api/organizations/1/persons'],
    ['POST', '/i/v0/e/extra'],
    ['GET', '/%E0%A4%A']
  ])('is not found: %s %s', async (method, path) => {
    const { status, headers, body } = await request(method, path)

    expect(status).toBe(404)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(headers.get('X-Request-Id')).toMatch(UUID)
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'not_found',
      detail: 'Not found.',
      attr: null
    })
  })
})

describe('a browser', () => {
  const open = (method: string, path: string) =>
    request(method, path, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/project/1/insights', 404],
    ['GET', '/shared', 404],
    ['POST', '/nothing', 404],
    ['GET', '/flags', 405],
    ['POST', '/livez', 405]
  ])('gets a page that leads on outside the API: %s %s', async (method, path, expected) => {
    const { status, headers, text } = await open(method, path)

    expect([status, headers.get('Content-Type')]).toEqual([expected, 'text/html; charset=UTF-8'])
    expect([...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, url]) => url)).toEqual([
      '/',
      '/docs'
    ])
    expect(text).toContain(`${status}, request <span class="mono">${headers.get('X-Request-Id')}`)
    expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(headers.has('Allow')).toBe(expected === 405)
  })

  it.each(['/api', '/api/nothing', '/api/environments/1/nothing', '/api/environments/1/persons'])(
    'gets JSON in the API: %s',
    async (path) => {
      const { status, headers } = await open('GET', path)

      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.get('Content-Type')).toBe('application/json')
    }
  )

  it('gets a page from a link whose request fails unexpectedly', async () => {
    listenToLog()
    const { id } = await newProject()
    const bindings = { DB: failingDatabase('D1_ERROR: near "x": SQLITE_ERROR') }
    const link = `/shared/${id}-${'a'.repeat(33)}`

    const shown = await request('GET', link, { Accept: 'text/html' }, undefined, bindings)
    const told = await request('GET', link, {}, undefined, bindings)

    expect([shown.status, told.status, told.body.code]).toEqual([500, 500, 'error'])
    expect(shown.text).toContain('Something went wrong')
    expect(shown.text).not.toContain('SQLITE')
  })
})

describe('a Host that is none', () => {
  it.each([
    ['https://evil;script-src/shared/token'],
    ["https://evil'self'/"],
    ['https://a,b/api/projects/1/persons'],
    ['https://-a/livez'],
    ['https://*/']
  ])('is a 400: %s', async (url) => {
    const ctx = createExecutionContext()

    const answer = await worker.fetch(new Request(url), env, ctx)

    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'parse_error' })
  })
})

describe('a method that a path does not have', () => {
  it.each([
    ['DELETE', '/api/environments/1', 'GET, PATCH, HEAD'],
    ['POST', '/api/projects/', 'GET, HEAD'],
    ['POST', '/api/environments/1/persons', 'GET, HEAD'],
    ['POST', '/api/environments/1/persons/', 'GET, HEAD'],
    ['PUT', '/api/projects/@current/persons', 'GET, HEAD'],
    ['DELETE', '/batch', 'GET, POST, HEAD'],
    ['PUT', '/i/v0/e/', 'GET, POST, HEAD'],
    ['GET', '/flags', 'POST'],
    ['DELETE', '/flags/', 'POST'],
    ['POST', '/livez', 'GET, HEAD']
  ])('is a 405 that lists the methods of the path: %s %s', async (method, path, allow) => {
    const { status, headers, body } = await request(method, path)

    expect(status).toBe(405)
    expect(headers.get('Allow')).toBe(allow)
    expect(headers.get('X-Request-Id')).toMatch(UUID)
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'method_not_allowed',
      detail: `Method "${method}" not allowed.`,
      attr: null
    })
  })

  it('is a 405 for a person, which does not list the POST of longer paths', async () => {
    const { status, headers, body } = await request('POST', '/api/environments/1/persons/1/')

    expect(status).toBe(405)
    expect(headers.get('Allow')).toMatch(/^GET, .*HEAD$/)
    expect(headers.get('Allow')).not.toContain('POST')
    expect(body.code).toBe('method_not_allowed')
  })
})

it('answers HEAD like GET, without a body', async () => {
  const project = await newProject()

  const { status, headers, text } = await project.call('HEAD', 'persons/')

  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toBe('application/json')
  expect(text).toBe('')
})

it('finishes and logs a HEAD request for CSV', async () => {
  const project = await newProject()
  const log = listenToLog()

  const { status, text } = await project.call('HEAD', 'persons/?format=csv')

  expect([status, text]).toEqual([200, ''])
  expect(log.lines('request')).toHaveLength(1)
})

describe('a body that cannot be read', () => {
  it.each([
    ['JSON that ends early', '{"api_key":', 'failed to parse request: invalid JSON'],
    ['nothing', '', 'request missing data payload'],
    ['only white space', ' \r\n ', 'request missing data payload'],
    ['text', 'hello, world', 'failed to decode request: neither JSON, gzip nor base64'],
    [
      'bytes that are not UTF-8',
      new Uint8Array([0x7b, 0xff, 0xfe]),
      'failed to decode request: invalid UTF-8'
    ],
    [
      'invalid gzip data',
      new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2]),
      'failed to decode request: invalid gzip data'
    ]
  ])('is malformed: %s', async (_, payload, detail) => {
    const { status, body, headers } = await request('POST', '/batch/', {}, payload)

    expect(status).toBe(400)
    expect(headers.get('X-Request-Id')).toMatch(UUID)
    expect(body).toEqual({ type: 'invalid_request', code: 'parse_error', detail, attr: null })
  })

  it('is too large beyond 10,000,000 bytes', async () => {
    const { status, body, headers } = await request(
      'POST',
      '/batch/',
      {},
      new Uint8Array(10_000_001).fill(0x20)
    )

    expect(status).toBe(413)
    expect(headers.get('X-Request-Id')).toMatch(UUID)
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'request_too_large',
      detail: 'maximum request size exceeded: 10000000 bytes',
      attr: null
    })
  })

  it('is read up to 10,000,000 bytes', async () => {
    const { status, body } = await request(
      'POST',
      '/batch/',
      {},
      new Uint8Array(10_000_000).fill(0x20)
    )

    expect([status, body.detail]).toEqual([400, 'request missing data payload'])
  })
})

describe('a dependency that fails', () => {
  const UNAVAILABLE = { type: 'server_error', code: 'unavailable', attr: null }

  it.each(['persons', 'persons/1', 'persons?search=ada', 'persons?format=csv'])(
    'makes %s unavailable when it is the database',
    async (path) => {
      listenToLog()
      const project = await newProject()

      const { status, headers, body } = await project.send('GET', path, undefined, {
        DB: failingDatabase(UNREACHABLE)
      })

      expect(status).toBe(503)
      expect(headers.get('Retry-After')).toBe('5')
      expect(headers.get('X-Request-Id')).toMatch(UUID)
      expect(body).toEqual({ ...UNAVAILABLE, detail: 'The database cannot take the request now.' })
    }
  )

  it('makes capture unavailable when it is the database', async () => {
    listenToLog()
    const project = await newProject()

    const { status, headers, body } = await capture(project.token, {
      DB: failingDatabase(UNREACHABLE)
    })

    expect(status).toBe(503)
    expect(headers.get('Retry-After')).toBe('5')
    expect(body).toEqual({ ...UNAVAILABLE, detail: 'The database cannot take the request now.' })
  })

  it('makes capture unavailable when it is the queue', async () => {
    listenToLog()
    const project = await newProject()

    const { status, headers, body } = await capture(project.token, {
      CAPTURE_QUEUE: failingQueue()
    })

    expect(status).toBe(503)
    expect(headers.get('Retry-After')).toBe('5')
    expect(headers.get('X-Request-Id')).toMatch(UUID)
    expect(body).toEqual({ ...UNAVAILABLE, detail: 'transient error, please retry' })
  })

  it('does not affect capture of small requests when it is the bucket', async () => {
    const project = await newProject()

    const { status, body } = await capture(project.token, { BUCKET: failingBucket() })

    expect([status, body]).toEqual([200, { status: 'Ok' }])
  })

  it('leaves the reason in the log, under the id of the answer, without data of the request', async () => {
    const project = await newProject()
    const log = listenToLog()

    const { headers } = await project.send('GET', 'persons?email=ada@example.com', undefined, {
      DB: failingDatabase(UNREACHABLE)
    })

    expect(log.lines('request failed')).toMatchObject([
      { level: 'error', request_id: headers.get('X-Request-Id'), errors: expect.any(Array) }
    ])
    expect(log.texts().join()).toContain(UNREACHABLE)
    expect(log.texts().join()).not.toMatch(/ada@example|phx_/)
  })
})

it('reveals no internals when something unexpected happens', async () => {
  const project = await newProject()
  const log = listenToLog()

  const DB = failingDatabase('D1_ERROR: near "selec": syntax error at offset 0: SQLITE_ERROR')
  const query = 'persons?email=ada@example.com'

  const { status, headers, text, body } = await project.send('GET', query, undefined, { DB })

  expect(status).toBe(500)
  expect(body).toEqual({
    type: 'server_error',
    code: 'error',
    detail: 'A server error occurred.',
    attr: null
  })
  expect(headers.get('Retry-After')).toBeNull()
  expect(text).not.toMatch(/syntax|SQLITE|select| at /)
  expect(log.lines('request failed')).toMatchObject([{ request_id: headers.get('X-Request-Id') }])
  expect(log.lines('request')).toMatchObject([
    { request_id: headers.get('X-Request-Id'), status: 500 }
  ])
  expect(log.texts().join()).not.toMatch(/ada@example|phx_/)
})

it('a project whose database is not bound is unavailable, and the service is not ready', async () => {
  listenToLog()
  const project = await newProject()
  const moveTo = (database: string) =>
    env.DB.prepare('update projects set "database" = ? where id = ?')
      .bind(database, project.id)
      .run()
  await moveTo('ELSEWHERE')

  const api = await project.call('GET', 'persons')
  const captured = await capture(project.token)
  const ready = await request('GET', '/readyz')
  await moveTo('DB')

  expect([api.status, api.headers.get('Retry-After')]).toEqual([503, '5'])
  expect(api.body).toMatchObject({ type: 'server_error', code: 'unavailable', attr: null })
  expect([captured.status, captured.headers.get('Retry-After')]).toEqual([503, '5'])
  expect(ready.status).toBe(503)
  expect(ready.body.other_databases).toMatchObject([
    { binding: 'DB_TWO', status: 'ok' },
    { binding: 'ELSEWHERE', status: 'unavailable', answers: false }
  ])
})

describe('X-Request-Id', () => {
  it.each([
    ['GET', '/livez', 200],
    ['GET', '/readyz', 200],
    ['GET', '/nope', 404],
    ['POST', '/livez', 405],
    ['GET', '/api/environments/1/persons', 401],
    ['POST', '/e', 400]
  ])('is new with each answer: %s %s', async (method, path, expected) => {
    const [first, second] = [await request(method, path), await request(method, path)]

    expect(first.status).toBe(expected)
    expect(first.headers.get('X-Request-Id')).toMatch(UUID)
    expect(second.headers.get('X-Request-Id')).toMatch(UUID)
    expect(second.headers.get('X-Request-Id')).not.toBe(first.headers.get('X-Request-Id'))
  })

  it('is on answers of the API, both successes and refusals', async () => {
    const project = await newProject()

    const list = await project.call('GET', 'persons')
    const wrong = await project.call('GET', 'persons?limit=0')
    const csv = await project.call('GET', 'persons?format=csv')

    expect([list.status, wrong.status, csv.status]).toEqual([200, 400, 200])
    for (const { headers } of [list, wrong, csv]) {
      expect(headers.get('X-Request-Id')).toMatch(UUID)
    }
  })
})

describe('the line that a request leaves in the log', () => {
  it.each([
    ['persons?email=ada@example.com&search=ada', '/api/environments/:project_id/persons', 200],
    ['persons?format=csv', '/api/environments/:project_id/persons', 200],
    ['persons/1000000', '/api/environments/:project_id/persons/:id', 404],
    ['persons/ada@example.com', '/api/environments/:project_id/persons/:id', 400],
    ['persons?limit=ada@example.com', '/api/environments/:project_id/persons', 400]
  ])('is the only one, and names the route without values: %s', async (path, route, expected) => {
    const project = await newProject()
    await project.ingest([
      {
        event: '$identify',
        distinct_id: 'ada',
        properties: { $set: { email: 'ada@example.com', plan: 'secret-plan' } }
      }
    ])
    const log = listenToLog()

    const { status, headers } = await project.call('GET', path)

    expect(status).toBe(expected)
    expect(log.lines('request')).toEqual([
      {
        level: 'info',
        message: 'request',
        request_id: headers.get('X-Request-Id'),
        method: 'GET',
        route,
        status: expected,
        ms: expect.any(Number),
        project: project.id,
        key: expect.any(Number),
        longest_ms: expect.any(Number),
        rows_read: expect.any(Number),
        rows_written: 0
      }
    ])
    const id = headers.get('X-Request-Id') ?? ''
    expect(log.texts().filter((text) => text.includes(id))).toHaveLength(1)
    expect(log.texts().join()).not.toMatch(/phx_|phc_|\bada\b|secret-plan/)
  })

  it('has no project and no key for a request that is refused', async () => {
    const project = await newProject()
    const log = listenToLog()

    const { status } = await request(
      'GET',
      `/api/environments/${project.id}/persons?personal_api_key=${project.key}`,
      { Authorization: `Bearer phx_${'a'.repeat(43)}` }
    )

    expect(status).toBe(401)
    expect(log.lines('request')).toMatchObject([{ status: 401, project: null, key: null }])
    expect(log.texts().join()).not.toContain('phx_')
  })

  it('has the project and neither token nor event for a captured event', async () => {
    const project = await newProject()
    const log = listenToLog()

    const { status } = await capture(project.token, {}, 'ada@example.com')

    expect(status).toBe(200)
    expect(log.lines('request')).toMatchObject([
      { method: 'POST', route: '/e', status: 200, project: project.id, key: null }
    ])
    expect(log.texts().join()).not.toMatch(/phc_|ada@example/)
  })

  it('counts the cost of the answer, up to the end of a stream', async () => {
    const project = await newProject()
    await project.ingest([{ distinct_id: 'ada' }, { distinct_id: 'bob' }])
    await project.call('GET', 'persons?format=csv')
    const log = listenToLog()

    // The answer to HEAD ends where the stream would begin.
    await project.call('HEAD', 'persons?format=csv')
    await project.call('GET', 'persons?format=csv')

    const [before = 0, whole = 0] = log.lines('request').map((line) => Number(line.rows_read))
    expect(before).toBeGreaterThan(0)
    // Two persons and their distinct ids.
    expect(whole - before).toBeGreaterThanOrEqual(4)
  })
})

describe('x-d1-bookmark', () => {
  const BOOKMARK = /^DB\.[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

  it.each(['persons', 'persons/1000000', 'persons?format=csv'])(
    'is on the answer of %s',
    async (path) => {
      const project = await newProject()

      const { headers } = await project.call('GET', path)

      expect(headers.get('x-d1-bookmark')).toMatch(BOOKMARK)
    }
  )

  it('starts the session with the bookmark that the client sends back', async () => {
    const project = await newProject()
    const bookmark = (await project.call('GET', 'persons')).headers.get('x-d1-bookmark') ?? ''
    const sessions = vi.spyOn(env.DB, 'withSession')

    const { status, headers } = await project.call('GET', 'persons', { 'x-d1-bookmark': bookmark })

    expect(status).toBe(200)
    expect(headers.get('x-d1-bookmark')).toMatch(BOOKMARK)
    expect(sessions.mock.calls.flat()).toEqual(
      expect.arrayContaining(['first-primary', bookmark.replace('DB.', '')])
    )
  })

  it.each([
    ['garbage', 'garbage'],
    ['nothing', ''],
    [
      'a bookmark without its database',
      '00000000-0000000b-00000000-00000000000000000000000000000000'
    ],
    [
      "another database's bookmark",
      'EU.00000000-0000000b-00000000-00000000000000000000000000000000'
    ],
    ['a constraint of a session', 'first-unconstrained'],
    ['a constraint under the name of the database', 'DB.first-unconstrained'],
    ['something long', `DB.${'0'.repeat(2_000)}`]
  ])('starts at the primary for %s', async (_, bookmark) => {
    const project = await newProject()
    const sessions = vi.spyOn(env.DB, 'withSession')

    const { status, headers } = await project.call('GET', 'persons', { 'x-d1-bookmark': bookmark })

    expect(status).toBe(200)
    expect(headers.get('x-d1-bookmark')).toMatch(BOOKMARK)
    expect(new Set(sessions.mock.calls.flat())).toEqual(new Set(['first-primary']))
  })

  it('ignores a bookmark that this database cannot have made', async () => {
    const project = await newProject()

    const { status, body } = await project.call('GET', 'persons', {
      'x-d1-bookmark': 'DB.deadbeef'
    })

    expect(status).toBe(200)
    expect(body.count).toBe(0)
  })

  it('of a write starts the session of the next read, which therefore sees the write', async () => {
    const project = await newProject()
    await project.ingest([{ distinct_id: 'ada' }])
    const [ada] = (await project.call('GET', 'persons')).body.results
    const path = `persons/${ada.id}/`
    const write = await project.send('PATCH', path, { properties: { plan: 'pro' } })
    const bookmark = write.headers.get('x-d1-bookmark') ?? ''
    const sessions = vi.spyOn(env.DB, 'withSession')

    const { body } = await project.call('GET', path, { 'x-d1-bookmark': bookmark })

    expect(bookmark).toMatch(BOOKMARK)
    expect(sessions.mock.calls.flat()).toContain(bookmark.replace('DB.', ''))
    expect(body.properties.plan).toBe('pro')
  })
})

describe('the JSON body of an API request', () => {
  const app = createRouter()
  app.onError(answerError)
  const Body = z.object({ name: z.string().max(5), tags: z.array(z.string()).optional() })
  app.post('/strict', validateBody(Body), (c) => c.json(c.req.valid('json')))
  app.post('/lenient', validateBody(Body.partial()), (c) => c.json(c.req.valid('json')))

  const send = async (
    path: string,
    body?: BodyInit | null,
    type: string | null = 'application/json',
    length?: string
  ) => {
    const incoming = new Request(`${BASE}${path}`, {
      method: 'POST',
      body: body ?? null
    })
    if (length !== undefined) {
      incoming.headers.set('Content-Length', length)
    }
    if (type === null) {
      incoming.headers.delete('Content-Type')
    } else {
      incoming.headers.set('Content-Type', type)
    }
    const response = await app.fetch(incoming, env)
    return { status: response.status, body: await response.json() }
  }
  const refusal = (type: string, code: string, detail: string, attr: string | null = null) => ({
    type,
    code,
    detail,
    attr
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8'
  ])('is read as %s', async (type) => {
    expect(await send('/strict', '\ufeff {"name": "ada", "other": 1}', type)).toEqual({
      status: 200,
      body: { name: 'ada' }
    })
  })

  it('may not have a member __proto__, which would be lost silently; nor may a receipt', async () => {
    const refused = refusal(
      'validation_error',
      'invalid_input',
      'This field is unknown.',
      '__proto__'
    )
    expect(await send('/strict', '{"name": "ada", "__proto__": {"x": 1}}')).toEqual({
      status: 400,
      body: refused
    })
    const project = await newProject()
    const receipt = '{"project_id": 1, "signature": "0", "__proto__": {"x": 1}}'
    const path = `/api/projects/${project.id}/persons/deletion_receipts/verify/`
    const headers = { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' }
    const { status, body } = await request('POST', path, headers, receipt)
    expect([status, body]).toEqual([400, refused])
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'json',
    ''
  ])('is not accepted as %j', async (type) => {
    const { status, body } = await send('/strict', '{"name": "ada"}', type)

    expect(status).toBe(415)
    expect(body).toEqual(
      refusal(
        'invalid_request',
        'unsupported_media_type',
        `Unsupported media type "${type}" in request: send Content-Type: application/json.`
      )
    )
  })

  it.each(['gzip', 'deflate'] as const)('is read as %s, up to its limit', async (encoding) => {
    const pack = (text: string) =>
      new Response(
        new Blob([text]).stream().pipeThrough(new CompressionStream(encoding))
      ).arrayBuffer()
    const sendPacked = async (text: string) => {
      const response = await app.fetch(
        new Request(`${BASE}/strict`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
          body: await pack(text)
        }),
        env
      )
      return response.status
    }

    expect(await sendPacked('{"name": "ada"}')).toBe(200)
    expect(await sendPacked('{"name": 1}')).toBe(400)
    expect(await sendPacked(`{"name": "${'a'.repeat(2_000_000)}"}`)).toBe(413)
  })

  it('is refused in another encoding', async () => {
    const incoming = new Request(`${BASE}/strict`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'compress' },
      body: '{"name": "ada"}'
    })

    const response = await app.fetch(incoming, env)

    expect([response.status, (await response.json<{ detail: string }>()).detail]).toEqual([
      415,
      'Unsupported Content-Encoding "compress": send br, deflate, gzip, zstd or none.'
    ])
  })

  it('is refused without a type', async () => {
    const { status, body } = await send('/strict', '{"name": "ada"}', null)

    expect([status, body]).toEqual([
      415,
      refusal(
        'invalid_request',
        'unsupported_media_type',
        'Unsupported media type "" in request: send Content-Type: application/json.'
      )
    ])
  })

  it.each([
    ['JSON that ends early', '{"name":'],
    ['a form', 'name=ada'],
    ['white space', ' '],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['JSON nested too deeply', `{"name":${'['.repeat(201)}${']'.repeat(201)}}`],
    ['900,000 opening brackets', '['.repeat(900_000)],
    ['gzip without Content-Encoding', new Uint8Array([0x1f, 0x8b, 8, 0])]
  ])('is malformed as %s', async (_, payload) => {
    const { status, body } = await send('/strict', payload)

    expect(status).toBe(400)
    expect(body).toEqual(
      refusal('invalid_request', 'parse_error', expect.stringMatching(/^JSON parse error - ./))
    )
  })

  it.each(['[]', '[{"name":"ada"}]', '"name"', '1', 'true', 'null'])(
    'must be an object, not %s',
    async (payload) => {
      const { status, body } = await send('/lenient', payload)

      expect([status, body]).toMatchObject([400, { type: 'validation_error', attr: null }])
    }
  )

  it.each([
    ['{}', 'required', 'This field is required.', 'name'],
    ['{"name": null}', 'null', 'This field may not be null.', 'name'],
    ['{"name": 1}', 'invalid_input', 'Not a valid string.', 'name'],
    [
      '{"name": "Adelaide"}',
      'max_length',
      'Ensure this field has no more than 5 characters.',
      'name'
    ],
    ['{"name": "ada", "tags": ["a", 2]}', 'invalid_input', 'Not a valid string.', 'tags__1']
  ])('is refused with its first invalid field: %s', async (payload, code, detail, attr) => {
    expect(await send('/strict', payload)).toEqual({
      status: 400,
      body: refusal('validation_error', code, detail, attr)
    })
  })

  it.each([
    ['no body', null],
    ['an empty body', '']
  ])('counts as an empty object if there is %s, whatever its type', async (_, payload) => {
    expect(await send('/lenient', payload, 'text/plain')).toEqual({ status: 200, body: {} })
    expect(await send('/strict', payload, 'text/plain')).toMatchObject({
      status: 400,
      body: { code: 'required' }
    })
  })

  const TOO_LARGE = refusal(
    'invalid_request',
    'request_too_large',
    'maximum request size exceeded: 1000000 bytes'
  )

  it('is read up to 1,000,000 bytes and no further', async () => {
    const padded = (length: number) => '{"name":"ada"}'.padEnd(length)

    expect((await send('/strict', padded(1_000_000))).status).toBe(200)
    expect(await send('/strict', padded(1_000_001))).toEqual({ status: 413, body: TOO_LARGE })
  })

  /** Returns an endless body; `pulled` returns the megabytes read from it. */
  const newEndlessBody = () => {
    let pulled = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(new Uint8Array(1_000_000).fill(0x20))
        }
      },
      { highWaterMark: 0 }
    )
    return { body, pulled: () => pulled }
  }

  it('is not read if its header says that it has more than 100 MB', async () => {
    const { body, pulled } = newEndlessBody()

    expect(await send('/strict', body, 'application/json', '100000001')).toEqual({
      status: 413,
      body: TOO_LARGE
    })
    expect(pulled()).toBe(0)
  })

  it.each([
    ['no length', undefined],
    ['a length', '1000001']
  ])(
    'is read up to 100 MB, and no further, if it is too large and its header has %s',
    async (_, length) => {
      const { body, pulled } = newEndlessBody()

      expect(await send('/strict', body, 'application/json', length)).toEqual({
        status: 413,
        body: TOO_LARGE
      })
      expect(pulled()).toBe(101)
    }
  )

  it('is described with its schema and its refusals, and as optional where no field is required', () => {
    const router = createRouter()
    const operation = { tag: 'Test', summary: 'Test', answers: { 200: { text: 'Done.' } } }
    const One = Body.meta({ id: 'OneBody' })
    const Other = Body.partial().meta({ id: 'OtherBody' })
    router.post('/one', describeRoute({ id: 'one', ...operation }), validateBody(One), (c) =>
      c.text('')
    )
    router.post('/other', describeRoute({ id: 'other', ...operation }), validateBody(Other), (c) =>
      c.text('')
    )
    const { paths } = createDocument(router.routes, {}, [])
    z.globalRegistry.remove(One).remove(Other)

    expect(paths['/one']?.post).toMatchObject({
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/OneBody' } } }
      },
      responses: {
        400: { content: { 'application/json': { examples: { parse_error: {} } } } },
        413: { content: { 'application/json': { examples: { request_too_large: {} } } } },
        415: { content: { 'application/json': { examples: { unsupported_media_type: {} } } } }
      }
    })
    expect(paths['/other']?.post).toMatchObject({ requestBody: { required: false } })
  })
})

describe('an operation that is documented with an empty body', () => {
  const operation = { tag: 'Test', summary: 'Test', answers: { 200: { text: 'Done.' } } }
  const answer: Handler<AppEnv> = (c) =>
    c.json({ success: true }, c.req.query('status') === '400' ? 400 : 200)
  const app = createRouter()
    .post(
      '/split',
      describeRoute({ id: 'split', mayBeEmpty: true, takesAnyQuery: true, ...operation }),
      answer
    )
    .post('/other', describeRoute({ id: 'other', ...operation }), answer)

  const ask = async (path: string, prefer?: string, emptyBodies = '') => {
    const init = { method: 'POST', ...(prefer && { headers: { Prefer: prefer } }) }
    const response = await app.request(path, init, { ...env, EMPTY_BODIES: emptyBodies })
    return {
      status: response.status,
      type: response.headers.get('Content-Type'),
      applied: response.headers.get('Preference-Applied'),
      text: await response.text()
    }
  }
  const FULL = { status: 200, type: 'application/json', applied: null, text: '{"success":true}' }
  const MINIMAL = { status: 200, type: null, applied: 'return=minimal', text: '' }

  it('sends its answer to a request without a preference', async () => {
    expect(await ask('/split')).toEqual(FULL)
  })

  it('sends an empty body in a deployment that prefers it', async () => {
    expect(await ask('/split', undefined, 'documented')).toEqual({ ...MINIMAL, applied: null })
  })

  it.each([
    'return=minimal',
    'Return=Minimal',
    'respond-async, return=minimal',
    'return=minimal, wait=10',
    'return=minimal; foo=bar',
    'return="minimal"',
    'return = minimal'
  ])('understands the preference %s', async (prefer) => {
    expect(await ask('/split', prefer)).toEqual(MINIMAL)
  })

  it.each(['', 'documented'])(
    'sends its answer to a request that prefers the answer, with EMPTY_BODIES "%s"',
    async (emptyBodies) => {
      expect(await ask('/split', 'return=representation', emptyBodies)).toEqual({
        ...FULL,
        applied: 'return=representation'
      })
    }
  )

  it.each(['return=minimalist', 'xreturn=minimal', 'respond-async'])(
    'ignores the preference %s',
    async (prefer) => {
      expect(await ask('/split', prefer)).toEqual(FULL)
    }
  )

  it('keeps the body of a refusal', async () => {
    expect(await ask('/split?status=400', 'return=minimal', 'documented')).toEqual({
      ...FULL,
      status: 400
    })
  })

  it('is the only kind of operation whose answer can be emptied', async () => {
    expect(await ask('/other', 'return=minimal', 'documented')).toEqual(FULL)
  })
})

describe('health', () => {
  const readyz = (bindings: Partial<Env> = {}) => request('GET', '/readyz', {}, undefined, bindings)
  const sizeOfDatabase = async () => (await readyz()).body.database.size_bytes

  it('says that the process runs, even if the database fails', async () => {
    const { status, body } = await request('GET', '/livez', {}, undefined, {
      DB: failingDatabase(UNREACHABLE)
    })

    expect([status, body]).toEqual([200, { status: 'ok' }])
  })

  it('is ready with a database that answers and has every migration', async () => {
    const app = createApp(
      () => new Date(),
      () => ({ consuming: 2, retrying: 3 })
    )
    const answered = await invoke(env, (limited) =>
      app.fetch(new Request(`${BASE}/readyz`), limited, createExecutionContext())
    )
    const { status } = answered
    const body: { database: { fill: number; size_bytes: number } } = await answered.json()

    expect(status).toBe(200)
    const inOrder = {
      status: 'ok',
      answers: true,
      migration: newestMigration,
      size_bytes: expect.any(Number),
      fill: expect.any(Number),
      damaged_columns: 0
    }
    expect(body).toEqual({
      status: 'ok',
      database: { binding: 'DB', ...inOrder },
      other_databases: [{ binding: 'DB_TWO', ...inOrder }],
      secrets: [
        { name: 'RECEIPT_SECRET', status: 'ok' },
        { name: 'RECEIPT_KEY', status: 'ok' }
      ],
      ledger: 'ok',
      ledger_fault: null,
      queue: { backlog: expect.any(Number), consuming: 2, retrying: 3 },
      dead_letters: 0,
      crons: CRONS.map((cron) => ({
        cron,
        last_run: null,
        ms: null,
        failed_jobs: null,
        overdue: false
      }))
    })
    expect(body.database.fill).toBe(body.database.size_bytes / 10_000_000_000)
  })

  it('warns from 80 % of the largest size of the database on', async () => {
    const size = await sizeOfDatabase()

    const below = await readyz({ DATABASE_MAX_BYTES: String(size / 0.799) })
    const from = await readyz({ DATABASE_MAX_BYTES: String(size / 0.8001) })

    expect([below.status, below.body.status]).toEqual([200, 'ok'])
    expect([from.status, from.body.status]).toEqual([200, 'warning'])
  })

  it.each([
    ['missing', ''],
    ['missing', ' \n'],
    ['too_short', 'changeme'],
    ['too_short', 'f'.repeat(31)]
  ])('is not ready when the secrets of receipts are %s: %j', async (fault, secret) => {
    const { status, body, text } = await readyz({ RECEIPT_SECRET: secret, RECEIPT_KEY: secret })

    expect(status).toBe(503)
    expect(body).toMatchObject({
      status: 'unavailable',
      database: { status: 'ok' },
      secrets: [
        { name: 'RECEIPT_SECRET', status: fault },
        { name: 'RECEIPT_KEY', status: fault }
      ]
    })
    if (secret.trim()) {
      expect(text).not.toContain(secret)
    }
  })

  it('is not ready when the database does not answer', async () => {
    const { status, body } = await readyz({ DB: failingDatabase(UNREACHABLE) })

    expect(status).toBe(503)
    expect(body).toMatchObject({
      status: 'unavailable',
      database: { answers: false, migration: null }
    })
  })

  it('is not ready when the newest migration is missing', async () => {
    const { results } = await env.DB.prepare(
      'select id, name from d1_migrations order by id desc limit 2'
    ).all()
    const [last, previous] = results
    await env.DB.prepare('delete from d1_migrations where id = ?').bind(last?.id).run()

    const behind = await readyz()
    await env.DB.prepare('insert into d1_migrations (id, name) values (?, ?)')
      .bind(last?.id, last?.name)
      .run()
    const after = await readyz()

    expect(behind.status).toBe(503)
    expect(behind.body).toMatchObject({
      status: 'unavailable',
      database: { answers: true, migration: previous?.name ?? null }
    })
    expect([after.status, after.body.status]).toEqual([200, 'ok'])
  })

  it('is not ready when another database is not, and names that database', async () => {
    const { status, body } = await readyz({ DB_TWO: failingDatabase(UNREACHABLE) } as Partial<Env>)

    expect(status).toBe(503)
    expect(body).toMatchObject({
      status: 'unavailable',
      database: { binding: 'DB', status: 'ok' },
      other_databases: [
        { binding: 'DB_TWO', status: 'unavailable', answers: false, migration: null }
      ]
    })
  })

  it('is ready when only the queue does not report its length', async () => {
    const { status, body } = await readyz({ CAPTURE_QUEUE: failingQueue() })

    expect(status).toBe(200)
    expect(body.queue.backlog).toBeNull()
  })

  it('accepts no events from 95 % of the largest size of the database on', async () => {
    listenToLog()
    const [roomy, full] = [await newProject(), await newProject()]
    const size = await sizeOfDatabase()

    const below = await capture(roomy.token, { DATABASE_MAX_BYTES: String(size / 0.949) })
    const from = await capture(full.token, { DATABASE_MAX_BYTES: String(size / 0.9501) })

    expect(below.status).toBe(200)
    expect(from.status).toBe(503)
    expect(from.headers.get('Retry-After')).toBe('5')
    expect(from.body).toEqual({
      type: 'server_error',
      code: 'unavailable',
      detail: 'The database of this project is full.',
      attr: null
    })
  })

  it('still reads from a database that is full', async () => {
    const project = await newProject()

    const { status } = await project.send('GET', 'persons', undefined, {
      DATABASE_MAX_BYTES: '1'
    })

    expect(status).toBe(200)
  })
})
