import { env } from 'cloudflare:workers'
import { brotliCompressSync, deflateSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newApiKey, newCaptureToken } from '../../../src/access/key.ts'
import { createProjectFinder } from '../../../src/capture/project-cache.ts'
import { newUsage } from '../../../src/db/client.ts'
import type { Json } from '../../../src/input/json.ts'
import {
  base64,
  base64Text,
  bytesOf,
  gzip,
  OK,
  personsOf,
  send,
  sendJson,
  UUID_V7,
  untilPersons
} from '../../support/capture.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const ENDPOINTS = ['/e', '/i/v0/e', '/batch', '/capture', '/track', '/engage'].flatMap((path) => [
  path,
  `${path}/`,
  `/${path}/`
])

describe.each(ENDPOINTS)('POST %s', (path) => {
  it('takes an envelope with a batch', async () => {
    const { token } = await newProject()

    const { status, body, headers, events } = await sendJson(
      {
        api_key: token,
        batch: [
          { event: 'a', distinct_id: 'ada' },
          { event: 'b', distinct_id: 'bob' }
        ]
      },
      path
    )

    expect(status).toBe(200)
    expect(headers.get('Location')).toBeNull()
    expect(body).toEqual(OK)
    expect(events.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
      ['a', 'ada'],
      ['b', 'bob']
    ])
  })

  it('takes an array of events', async () => {
    const { token } = await newProject()

    const { status, body, events } = await sendJson(
      [
        { event: 'a', properties: { token, distinct_id: 'ada' } },
        { event: 'b', properties: { token, distinct_id: 'bob' } }
      ],
      path
    )

    expect([status, body]).toEqual([200, OK])
    expect(events.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
      ['a', 'ada'],
      ['b', 'bob']
    ])
  })

  it('takes a single event', async () => {
    const { token } = await newProject()

    const { status, body, events } = await sendJson(
      { api_key: token, event: 'a', distinct_id: 'ada', properties: { x: 1 } },
      path
    )

    expect([status, body]).toEqual([200, OK])
    expect(events).toEqual([
      {
        uuid: expect.stringMatching(UUID_V7),
        event: 'a',
        distinct_id: 'ada',
        timestamp: expect.any(Number),
        properties: { x: 1 }
      }
    ])
  })

  it('takes gzip', async () => {
    const { token } = await newProject()

    const { status, body, events } = await send(
      await gzip(JSON.stringify({ api_key: token, event: 'a', distinct_id: 'ada' })),
      { path }
    )

    expect([status, body]).toEqual([200, OK])
    expect(events).toHaveLength(1)
  })
})

describe('an encoding', () => {
  it.each([
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync]
  ])('%s is decoded as the Content-Encoding says', async (encoding, compress) => {
    const { token } = await newProject()
    const json = JSON.stringify({ api_key: token, event: 'a', distinct_id: 'ada' })

    const { status, events } = await send(new Uint8Array(compress(json)), {
      path: '/e/',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding }
    })

    expect([status, events.length]).toEqual([200, 1])
  })

  it('that is unknown gets a 415 that names the encoding', async () => {
    const { status, body } = await send('{}', { headers: { 'Content-Encoding': 'lzma' } })

    expect(status).toBe(415)
    expect(body.detail).toContain('"lzma"')
  })

  const TEXT = 'é日🙂 ÿÿÿ>>>???'
  const json = (token: string) =>
    JSON.stringify({ api_key: token, event: 'a', distinct_id: 'ada', properties: { text: TEXT } })

  it.each<[string, (text: string) => Promise<BodyInit> | BodyInit, string, Record<string, string>]>(
    [
      ['JSON', (text) => text, '', { 'Content-Type': 'application/json' }],
      ['JSON without a type', (text) => new TextEncoder().encode(text), '', {}],
      [
        'JSON although the URL says gzip',
        (text) => text,
        '?compression=gzip-js',
        { 'Content-Type': 'text/plain' }
      ],
      ['JSON with a byte order mark', (text) => `\ufeff${text}`, '', {}],
      ['JSON in white space', (text) => `\r\n ${text}\n`, '', {}],
      [
        'gzip as posthog-node sends it',
        gzip,
        '',
        { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
      ],
      ['gzip as posthog-js sends it', gzip, '', { 'Content-Type': 'text/plain' }],
      [
        'gzip as older versions of posthog-js send it',
        gzip,
        '?compression=gzip-js&ver=1.2.3&_=1',
        { 'Content-Type': 'text/plain' }
      ],
      ['gzip without a type', gzip, '?beacon=1', {}],
      ['base64', base64Text, '', {}],
      ['base64 of gzip', async (text) => base64(await gzip(text)), '', {}],
      [
        'a form',
        (text) => `data=${encodeURIComponent(base64Text(text))}`,
        '?compression=base64',
        FORM
      ],
      ['a form whose plus signs are not escaped', (text) => `data=${base64Text(text)}`, '', FORM],
      [
        'a form without its type',
        (text) => `data=${base64Text(text)}`,
        '',
        { 'Content-Type': 'text/plain' }
      ],
      [
        'a form with fields after the data',
        (text) => `data=${base64Text(text)}&compression=base64&ip=1`,
        '',
        FORM
      ],
      [
        'a form with a field before the data',
        (text) => `compression=base64&data=${base64Text(text)}`,
        '',
        FORM
      ],
      ['a form of JSON', (text) => `data=${encodeURIComponent(text)}`, '', FORM],
      [
        'a form of gzip',
        async (text) => `data=${encodeURIComponent(base64(await gzip(text)))}`,
        '?compression=gzip',
        FORM
      ]
    ]
  )('is detected by its bytes: %s', async (_, encode, query, headers) => {
    const { token } = await newProject()

    const { status, body, events } = await send(await encode(json(token)), {
      path: `/e/${query}`,
      headers
    })

    expect([status, body]).toEqual([200, OK])
    expect(events.map(({ properties }) => properties)).toEqual([{ text: TEXT }])
  })

  it('in base64 has a plus sign in these tests: otherwise, they would not test unescaped ones', () => {
    expect(base64Text(json(newCaptureToken()))).toContain('+')
  })

  it('is refused three layers deep', async () => {
    const { token } = await newProject()

    const { status, body } = await send(base64Text(base64Text(base64Text(json(token)))))

    expect([status, body.detail]).toEqual([
      400,
      'failed to decode request: more than two nested encodings'
    ])
  })

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.slice(0, -12)],
    ['with a wrong checksum', (bytes: Uint8Array) => bytes.with(-6, (bytes.at(-6) ?? 0) ^ 1)],
    ['with nothing behind its header', (bytes: Uint8Array) => bytes.slice(0, 10)]
  ])('of gzip is refused when it is %s', async (_, damage) => {
    const { token } = await newProject()

    const { status, body, events } = await send(damage(await gzip(json(token))))

    expect(status).toBe(400)
    expect(body).toEqual({
      type: 'invalid_request',
      code: 'parse_error',
      detail: 'failed to decode request: invalid gzip data',
      attr: null
    })
    expect(events).toEqual([])
  })
})

describe('a request that is too large', () => {
  const MEGABYTE = new Uint8Array(1_000_000).fill(0x20)
  const TOO_LARGE = {
    type: 'invalid_request',
    code: 'request_too_large',
    detail: 'maximum request size exceeded: 10000000 bytes',
    attr: null
  }

  /** Returns a stream of this many megabytes of white space; `made` counts the megabytes read. */
  function whitespace(megabytes: number) {
    const made = { megabytes: 0 }
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        made.megabytes += 1
        controller.enqueue(MEGABYTE)
        if (made.megabytes === megabytes) {
          controller.close()
        }
      }
    })
    return { stream, made }
  }

  /** Returns a gzip file of this many members, each of 100 MB. */
  async function newBomb(members: number) {
    const member = await bytesOf(whitespace(100).stream.pipeThrough(new CompressionStream('gzip')))
    return bytesOf(new Blob(Array.from({ length: members }, () => member)).stream())
  }

  it('is refused, and read up to ten times the limit so that the client gets the response', async () => {
    const { stream, made } = whitespace(1_000)

    const { status, body } = await send(stream)

    expect([status, body]).toEqual([413, TOO_LARGE])
    expect(made.megabytes).toBeGreaterThanOrEqual(100)
    expect(made.megabytes).toBeLessThan(105)
  })

  it.each([
    ['300 MB', () => newBomb(3)],
    ['9 GB, packed twice', async () => gzip(await newBomb(90))]
  ])('is refused when it is a gzip bomb of %s', async (_, make) => {
    const bomb = await make()

    const { status, body } = await send(bomb)

    expect(bomb.byteLength).toBeLessThan(300_000)
    expect([status, body]).toEqual([413, TOO_LARGE])
  })

  it('is refused when it is a gzip bomb in base64', async () => {
    const bomb = await bytesOf(whitespace(20).stream.pipeThrough(new CompressionStream('gzip')))

    const { status, body } = await send(`data=${encodeURIComponent(base64(bomb))}`)

    expect([status, body]).toEqual([413, TOO_LARGE])
  })

  it('is refused when it has more than 20,000 events', async () => {
    const { token } = await newProject()
    const events = Array.from({ length: 20_001 }, () => ({ event: 'e', distinct_id: 'a' }))

    const { status, body } = await sendJson({ api_key: token, batch: events })

    expect(status).toBe(413)
    expect(body).toEqual({ ...TOO_LARGE, detail: 'maximum number of events exceeded: 20000' })
  })
})

describe('a token', () => {
  it.each<[string, (token: string) => Json]>([
    [
      'api_key beside a batch',
      (token) => ({ api_key: token, batch: [{ event: 'e', distinct_id: 'a' }] })
    ],
    ['token beside a batch', (token) => ({ token, batch: [{ event: 'e', distinct_id: 'a' }] })],
    ['api_key of an event', (token) => ({ api_key: token, event: 'e', distinct_id: 'a' })],
    ['token of an event', (token) => ({ token, event: 'e', distinct_id: 'a' })],
    ['$token of an event', (token) => ({ $token: token, event: 'e', distinct_id: 'a' })],
    [
      "token of an event's properties",
      (token) => ({ event: 'e', properties: { token, distinct_id: 'a' } })
    ],
    [
      'api_key of an event in an array',
      (token) => [{ api_key: token, event: 'e', distinct_id: 'a' }]
    ],
    [
      'token of the first event of an array',
      (token) => [
        { event: 'e', properties: { token, distinct_id: 'a' } },
        { event: 'e', distinct_id: 'a' }
      ]
    ],
    [
      'token of the events of a batch',
      (token) => ({ batch: [{ event: 'e', properties: { token, distinct_id: 'a' } }] })
    ],
    [
      'token of one event, while that of another is null',
      (token) => [
        { event: 'e', distinct_id: 'a', properties: { token: null } },
        { event: 'e', distinct_id: 'a', token }
      ]
    ],
    [
      'api_key with white space around',
      (token) => ({ api_key: ` ${token}\n`, event: 'e', distinct_id: 'a' })
    ]
  ])('is found as %s', async (_, body) => {
    const project = await newProject()

    const answer = await sendJson(body(project.token))

    expect([answer.status, answer.body]).toEqual([200, OK])
    expect(answer.events[0]?.properties).toEqual({})
  })

  it.each<[string, (token: string) => Json, string]>([
    ['none', () => ({ event: 'e', distinct_id: 'a' }), 'event submitted without an api_key'],
    [
      'null',
      () => ({ api_key: null, event: 'e', distinct_id: 'a' }),
      'event submitted without an api_key'
    ],
    [
      'none in an array',
      () => [{ event: 'e', distinct_id: 'a' }],
      'event submitted without an api_key'
    ],
    ['nothing but numbers in an array', () => [1, 2], 'event submitted without an api_key'],
    [
      'an empty one',
      () => ({ api_key: '', event: 'e', distinct_id: 'a' }),
      'API key is not valid: empty'
    ],
    [
      'white space',
      () => ({ api_key: '  ', event: 'e', distinct_id: 'a' }),
      'API key is not valid: empty'
    ],
    [
      'a number',
      () => ({ api_key: 1, event: 'e', distinct_id: 'a' }),
      'API key is not valid: empty'
    ],
    [
      'an unknown one',
      () => ({ api_key: newCaptureToken(), event: 'e', distinct_id: 'a' }),
      'API key is not valid: unknown'
    ],
    [
      'a personal key',
      () => ({ api_key: newApiKey(), event: 'e', distinct_id: 'a' }),
      'API key is not valid: personal_api_key. Send events with the project’s capture token (phc_…), not with a personal API key (phx_…).'
    ],
    [
      '65 characters',
      () => ({ api_key: 'x'.repeat(65), event: 'e', distinct_id: 'a' }),
      'API key is not valid: too_long'
    ],
    [
      'a NUL',
      (token) => ({ api_key: `${token}\0x`, event: 'e', distinct_id: 'a' }),
      'API key is not valid: null_byte'
    ],
    [
      'a letter outside ASCII',
      () => ({ api_key: 'phc_é', event: 'e', distinct_id: 'a' }),
      'API key is not valid: not_ascii'
    ],
    [
      'two in one array',
      (token) => [
        { event: 'e', properties: { token, distinct_id: 'a' } },
        { event: 'e', properties: { token: 'phc_other', distinct_id: 'a' } }
      ],
      'batch submitted with inconsistent api_key values'
    ]
  ])('is missing or invalid: %s', async (_, body, detail) => {
    const project = await newProject()

    const answer = await sendJson(body(project.token))

    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({
      type: 'authentication_error',
      code: 'authentication_failed',
      detail,
      attr: 'api_key'
    })
    expect(answer.events).toEqual([])
  })

  it('of one project adds no person to another', async () => {
    const [own, other] = [await newProject(), await newProject()]

    const { status } = await sendJson({ api_key: own.token, event: 'e', distinct_id: 'ada' })
    await untilPersons(own, 1)

    expect(status).toBe(200)
    expect((await personsOf(other)).count).toBe(0)
  })

  it('is accepted as soon as its project exists, although it was refused before', async () => {
    const token = newCaptureToken()
    const before = await sendJson({ api_key: token, event: 'e', distinct_id: 'ada' })
    const project = await newProject()
    await env.DB.prepare('update projects set capture_token = ? where id = ?')
      .bind(token, project.id)
      .run()

    const after = await sendJson({ api_key: token, event: 'e', distinct_id: 'ada' })

    expect([before.status, after.status]).toEqual([401, 200])
  })
})

it('counts the queries of both databases for a project that is not cached, and none afterwards', async () => {
  const { token } = await newProject({ database: 'DB_TWO' })
  const findProject = createProjectFinder()
  const usages = [newUsage(), newUsage()]

  for (const usage of usages) {
    await findProject(env, token, new Date(), usage)
  }

  expect(usages.map(({ queries }) => queries)).toEqual([2, 0])
})
