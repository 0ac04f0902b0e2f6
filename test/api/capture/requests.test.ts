import { env } from 'cloudflare:workers'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { CapturedEvent } from '../../../src/capture/event.ts'
import type { CaptureMessage } from '../../../src/capture/message.ts'
import type { Json, JsonObject } from '../../../src/json.ts'
import { newApiKey, newCaptureToken } from '../../../src/projects/key.ts'
import { failingBucket, failingQueue } from '../../support/bindings.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const OK = { status: 'Ok' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

afterAll(untilQuiet)

/** Sends to the capture door and answers, beside the response, which events it put into the queue. */
async function send(
  body: BodyInit,
  { path = '/batch/', headers = {} }: { path?: string; headers?: Record<string, string> } = {}
) {
  const queued = vi.spyOn(env.CAPTURE_QUEUE, 'send')
  const answer = await request('POST', path, headers, body)
  const events = queued.mock.calls.flatMap(([message]) => (message as CaptureMessage).events)
  queued.mockRestore()
  return { ...answer, events }
}

const sendJson = (body: Json, path?: string) =>
  send(JSON.stringify(body), path === undefined ? {} : { path })

/** Sends one event in an envelope and answers what of it was put into the queue. */
async function capture(
  project: TestProject,
  event: JsonObject,
  envelope: JsonObject = {},
  path?: string
) {
  const { events, ...answer } = await sendJson(
    {
      api_key: project.token,
      ...envelope,
      batch: [{ event: 'seen', distinct_id: 'ada', ...event }]
    },
    path
  )
  return { ...answer, event: events[0] }
}

const bytesOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).bytes()
const gzip = (text: string) =>
  bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip')))
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
const base64Text = (text: string) => base64(new TextEncoder().encode(text))

const personsOf = async (project: TestProject, query = '') =>
  (await project.call('GET', `persons?${query}`)).body
const untilPersons = (project: TestProject, count: number) =>
  vi.waitUntil(async () => (await personsOf(project)).count === count, {
    timeout: 20_000,
    interval: 100
  })

const DOORS = ['/e', '/i/v0/e', '/batch', '/capture', '/track', '/engage'].flatMap((path) => [
  path,
  `${path}/`
])

describe.each(DOORS)('POST %s', (path) => {
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
  const TEXT = 'é日🙂 ÿÿÿ>>>???'
  const json = (token: string) =>
    JSON.stringify({ api_key: token, event: 'a', distinct_id: 'ada', properties: { text: TEXT } })

  it.each<[string, (text: string) => Promise<BodyInit> | BodyInit, string, Record<string, string>]>(
    [
      ['JSON', (text) => text, '', { 'Content-Type': 'application/json' }],
      ['JSON without a type', (text) => new TextEncoder().encode(text), '', {}],
      [
        'JSON called gzip',
        (text) => text,
        '?compression=gzip-js',
        { 'Content-Type': 'text/plain' }
      ],
      ['JSON with a byte order mark', (text) => `\ufeff${text}`, '', {}],
      ['JSON in white space', (text) => `\r\n ${text}\n`, '', {}],
      [
        'gzip as node sends it',
        gzip,
        '',
        { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
      ],
      ['gzip as browsers send it', gzip, '', { 'Content-Type': 'text/plain' }],
      [
        'gzip as older browsers send it',
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
        'a form with more fields',
        (text) => `data=${base64Text(text)}&compression=base64&ip=1`,
        '',
        FORM
      ],
      [
        'a form with fields before',
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
  )('is told by its bytes: %s', async (_, encode, query, headers) => {
    const { token } = await newProject()

    const { status, body, events } = await send(await encode(json(token)), {
      path: `/e/${query}`,
      headers
    })

    expect([status, body]).toEqual([200, OK])
    expect(events.map(({ properties }) => properties)).toEqual([{ text: TEXT }])
  })

  it('has a plus sign in the form that is not escaped', () => {
    expect(base64Text(json('phc_x'))).toContain('+')
  })

  it('is not taken four deep', async () => {
    const { token } = await newProject()

    const { status, body } = await send(base64Text(base64Text(base64Text(base64Text(json(token))))))

    expect([status, body.code]).toEqual([400, 'parse_error'])
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

  /** This many megabytes of white space, made as they are read; `made` counts them. */
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

  it('is refused, and taken to ten times the cap at most so that the client hears it', async () => {
    const { stream, made } = whitespace(1_000)

    const { status, body } = await send(stream)

    expect([status, body]).toEqual([413, TOO_LARGE])
    expect(made.megabytes).toBeLessThan(105)
  })

  it('is refused at the cap when it is a gzip bomb of 250 MB', async () => {
    const bomb = await bytesOf(whitespace(250).stream.pipeThrough(new CompressionStream('gzip')))
    let decompressed = 0
    const Original = DecompressionStream
    vi.stubGlobal(
      'DecompressionStream',
      class {
        constructor(format: 'gzip') {
          const counter = new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              decompressed += chunk.byteLength
              controller.enqueue(chunk)
            }
          })
          const { readable, writable } = new Original(format)
          Object.assign(this, { writable, readable: readable.pipeThrough(counter) })
        }
      }
    )

    const { status, body } = await send(bomb)

    expect(bomb.byteLength).toBeLessThan(1_000_000)
    expect([status, body]).toEqual([413, TOO_LARGE])
    expect(decompressed).toBeGreaterThan(9_000_000)
    expect(decompressed).toBeLessThan(12_000_000)
  })

  it('is refused when it is a bomb in base64', async () => {
    const bomb = await bytesOf(whitespace(20).stream.pipeThrough(new CompressionStream('gzip')))

    const { status, body } = await send(`data=${encodeURIComponent(base64(bomb))}`)

    expect([status, body]).toEqual([413, TOO_LARGE])
  })

  it('has at most 20,000 events', async () => {
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
      'API key is not valid: personal_api_key'
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
      'other letters',
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
  ])('is refused when there is %s', async (_, body, detail) => {
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

  it('of one project does not reach another', async () => {
    const [own, other] = [await newProject(), await newProject()]

    const { status } = await sendJson({ api_key: own.token, event: 'e', distinct_id: 'ada' })
    await untilPersons(own, 1)

    expect(status).toBe(200)
    expect((await personsOf(other)).count).toBe(0)
  })

  it('works with the first request after its project was made', async () => {
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

describe('an event that cannot be kept', () => {
  const ID = '01a1f000-0000-7000-8000-000000000001'

  it.each<[string, Json, string | null, string]>([
    ['is no object', 'text', null, 'event is not an object'],
    ['is a list', [1], null, 'event is not an object'],
    ['is null', null, null, 'event is not an object'],
    ['has no name', { uuid: ID, distinct_id: 'a' }, ID, 'event submitted with an empty event name'],
    [
      'has an empty name',
      { uuid: ID, event: '', distinct_id: 'a' },
      ID,
      'event submitted with an empty event name'
    ],
    [
      'has a blank name',
      { event: ' ', distinct_id: 'a' },
      null,
      'event submitted with an empty event name'
    ],
    [
      'has a number for a name',
      { event: 1, distinct_id: 'a' },
      null,
      'event submitted with an empty event name'
    ],
    ['has no distinct id', { uuid: ID, event: 'e' }, ID, 'event submitted without a distinct_id'],
    [
      'has an empty distinct id',
      { event: 'e', distinct_id: '' },
      null,
      'event submitted without a distinct_id'
    ],
    [
      'has a blank distinct id',
      { event: 'e', distinct_id: ' \t' },
      null,
      'event submitted without a distinct_id'
    ],
    [
      'has null for a distinct id',
      { event: 'e', distinct_id: null },
      null,
      'event submitted without a distinct_id'
    ],
    [
      'has text for its properties',
      { event: 'e', distinct_id: 'a', properties: 'x' },
      null,
      'event properties are not an object'
    ],
    [
      'has a list for its properties',
      { event: 'e', distinct_id: 'a', properties: [] },
      null,
      'event properties are not an object'
    ],
    [
      'has a number for its time',
      { event: 'e', distinct_id: 'a', timestamp: 1795262400 },
      null,
      'event timestamp is a number instead of a string'
    ],
    [
      'has text for a uuid',
      { uuid: 'abc', event: 'e', distinct_id: 'a' },
      null,
      'event submitted with an invalid uuid'
    ],
    [
      'has a number for a uuid',
      { uuid: 1, event: 'e', distinct_id: 'a' },
      null,
      'event submitted with an invalid uuid'
    ],
    [
      'is a snapshot',
      { event: '$snapshot', distinct_id: 'a' },
      null,
      '$snapshot is not stored as an event'
    ],
    [
      'measures performance',
      { event: '$performance_event', distinct_id: 'a' },
      null,
      '$performance_event is not stored as an event'
    ],
    [
      'identifies without a person',
      { event: '$identify', distinct_id: 'a', properties: { $process_person_profile: false } },
      null,
      '$identify needs person processing'
    ]
  ])(
    'is dropped with the reason, and the others are kept, when it %s',
    async (_, event, uuid, reason) => {
      const { token } = await newProject()

      const { status, body, events } = await sendJson({
        api_key: token,
        batch: [{ event: 'good', distinct_id: 'a' }, event, { event: 'fine', distinct_id: 'a' }]
      })

      expect(status).toBe(200)
      expect(body).toEqual({ status: 'Ok', dropped: [{ uuid, reason }] })
      expect(events.map((kept) => kept.event)).toEqual(['good', 'fine'])
    }
  )

  it('is a failure when there is no other', async () => {
    const { token } = await newProject()

    const { status, body, events } = await sendJson({
      api_key: token,
      batch: [{ uuid: ID, distinct_id: 'a' }, { event: 'e' }, { event: 'e' }]
    })

    expect(status).toBe(400)
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: 'event submitted with an empty event name; event submitted without a distinct_id',
      attr: null,
      dropped: [
        { uuid: ID, reason: 'event submitted with an empty event name' },
        { uuid: null, reason: 'event submitted without a distinct_id' },
        { uuid: null, reason: 'event submitted without a distinct_id' }
      ]
    })
    expect(events).toEqual([])
  })

  it.each<[string, Json, string]>([
    ['an empty batch', { batch: [] }, 'request holds no event'],
    [
      'a batch that is none',
      { batch: { event: 'e' } },
      'failed to parse request: batch is not an array'
    ],
    ['a batch of text', { batch: 'x' }, 'failed to parse request: batch is not an array']
  ])('is missed in %s', async (_, envelope, detail) => {
    const { token } = await newProject()

    const { status, body } = await sendJson({ api_key: token, ...(envelope as JsonObject) })

    expect(status).toBe(400)
    expect(body).toEqual({ type: 'validation_error', code: 'invalid_input', detail, attr: 'batch' })
  })

  it('is one of more than 1,000,000 bytes', async () => {
    const { token } = await newProject()
    const large = (bytes: number) => ({
      event: 'large',
      distinct_id: 'a',
      properties: { text: 'é'.repeat(bytes / 2) }
    })

    const { status, body, events } = await sendJson({
      api_key: token,
      batch: [{ event: 'small', distinct_id: 'a' }, large(1_000_000)]
    })

    expect(status).toBe(200)
    expect(body.dropped).toEqual([
      { uuid: null, reason: 'maximum event size exceeded: 1000000 bytes' }
    ])
    expect(events.map(({ event }) => event)).toEqual(['small'])
  })

  it('is one that sets more of its person than any may have', async () => {
    const { token } = await newProject()
    const sized = (key: string, bytes: number) => ({
      event: '$set',
      distinct_id: 'ada',
      properties: { [key]: { a: 'x'.repeat(bytes - '{"a":""}'.length) } }
    })
    const batch = [
      sized('$set', 524_288),
      sized('$set', 524_289),
      sized('$set_once', 524_289),
      sized('other', 600_000)
    ]

    const { status, body } = await sendJson({ api_key: token, batch })

    const refused = {
      uuid: null,
      reason: 'maximum size of person properties exceeded: 524288 bytes'
    }
    expect([status, body]).toEqual([200, { status: 'Ok', dropped: [refused, refused] }])
  })

  const nested = (depth: number, open: string, close: string) =>
    `${open.repeat(depth)}1${close.repeat(depth)}`

  it.each([
    ['properties', (value: string) => `"distinct_id":"a","properties":{"x":${value}}`],
    ['$set beside its properties', (value: string) => `"distinct_id":"a","$set":{"x":${value}}`],
    ['its distinct id', (value: string) => `"distinct_id":${value}`],
    ['its offset', (value: string) => `"distinct_id":{"x":${value}},"offset":${value}`]
  ])('never breaks the door, however deep %s is nested', async (_, members) => {
    const { token } = await newProject()
    const deep = `{"event":"deep",${members(nested(200_000, '[', ']'))}}`

    const { status, body } = await send(
      `{"api_key":"${token}","batch":[{"event":"good","distinct_id":"a"},${deep}]}`
    )

    expect(status).toBe(200)
    expect(body.status).toBe('Ok')
  })

  it('is one nested deeper than 200', async () => {
    const { token } = await newProject()
    const event = (depth: number) =>
      `{"event":"${depth}","distinct_id":"a","properties":${nested(depth, '{"x":', '}')}}`

    const { status, body, events } = await send(
      `{"api_key":"${token}","batch":[${event(200)},${event(201)}]}`
    )

    expect(status).toBe(200)
    expect(body.dropped).toEqual([
      { uuid: null, reason: 'event properties are nested deeper than 200' }
    ])
    expect(events.map(({ event }) => event)).toEqual(['200'])
  })

  it('does not break the door when everything is nested', async () => {
    const { status, body } = await send(nested(1_000_000, '[', ']'))

    expect([status, body.code]).toEqual([401, 'authentication_failed'])
  })
})

describe('a distinct id', () => {
  it.each<[string, JsonObject, string]>([
    [
      'of the event before that of its properties',
      { distinct_id: 'root', properties: { distinct_id: 'inner' } },
      'root'
    ],
    ['$distinct_id', { distinct_id: null, $distinct_id: 'dollar' }, 'dollar'],
    ['of the properties', { distinct_id: null, properties: { distinct_id: 'inner' } }, 'inner'],
    ['a number', { distinct_id: 23 }, '23'],
    ['a fraction', { distinct_id: 1.5 }, '1.5'],
    ['zero', { distinct_id: 0 }, '0'],
    ['false', { distinct_id: false }, 'false'],
    ['a list', { distinct_id: ['a', 1] }, '["a",1]'],
    ['an object', { distinct_id: { a: 1 } }, '{"a":1}'],
    ['with a NUL', { distinct_id: 'a\0b' }, 'a\ufffdb'],
    ['with half a surrogate pair', { distinct_id: 'a\ud83db' }, 'a\ufffdb'],
    ['with a whole surrogate pair', { distinct_id: 'a🙂b' }, 'a🙂b'],
    ['with white space around', { distinct_id: ' a ' }, ' a '],
    ['of 200 characters', { distinct_id: 'x'.repeat(200) }, 'x'.repeat(200)],
    ['of more', { distinct_id: 'x'.repeat(201) }, 'x'.repeat(200)],
    [
      'of more characters outside the basic plane',
      { distinct_id: '🙂'.repeat(201) },
      '🙂'.repeat(200)
    ]
  ])('is kept as text: %s', async (_, event, expected) => {
    const project = await newProject()

    const { status, body, event: kept } = await capture(project, event)

    expect([status, body]).toEqual([200, OK])
    expect(kept?.distinct_id).toBe(expected)
  })
})

describe('properties', () => {
  it('have no half of a surrogate pair, which would be three characters when SQL looks it up', async () => {
    const halves = { a: '\ud83d', 'k\udc00': ['x\ud83d\ud83d', '\\ud83d', '\\\ud83d', '🙂"\n'] }
    const whole = { a: '\ufffd', 'k\ufffd': ['x\ufffd\ufffd', '\\ud83d', '\\\ufffd', '🙂"\n'] }

    const { event } = await capture(await newProject(), { properties: halves })

    expect(event?.properties).toMatchObject(whole)
  })
})

describe('a uuid', () => {
  it.each<[string, JsonObject]>([
    ['missing', {}],
    ['empty', { uuid: '' }],
    ['null', { uuid: null }]
  ])('is made when it is %s', async (_, event) => {
    const project = await newProject()

    const first = await capture(project, event)
    const second = await capture(project, event)

    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.event?.uuid).toMatch(UUID_V7)
    expect(second.event?.uuid).not.toBe(first.event?.uuid)
  })

  it('is kept in lower case', async () => {
    const project = await newProject()

    const { event } = await capture(project, { uuid: 'ABCDEF00-0000-4000-8000-00000000000F' })

    expect(event?.uuid).toBe('abcdef00-0000-4000-8000-00000000000f')
  })
})

describe('properties', () => {
  it('lose the token and the distinct id, and keep all else', async () => {
    const project = await newProject()

    const { event } = await capture(project, {
      properties: {
        token: project.token,
        distinct_id: 'ada',
        $lib: 'web',
        nested: { token: 'x' },
        none: null,
        list: [1, null]
      }
    })

    expect(event?.properties).toEqual({
      $lib: 'web',
      nested: { token: 'x' },
      none: null,
      list: [1, null]
    })
  })

  it('take in what an event sets beside them, which wins', async () => {
    const project = await newProject()

    const { event } = await capture(project, {
      $set: { a: 'outer', b: 'outer' },
      $set_once: { c: 'outer' },
      properties: { $set: { a: 'inner', d: 'inner' } }
    })

    expect(event?.properties).toEqual({
      $set: { a: 'outer', b: 'outer', d: 'inner' },
      $set_once: { c: 'outer' }
    })
  })

  it.each([{ properties: null }, {}])('may be missing: %o', async (event) => {
    const project = await newProject()

    const answer = await capture(project, event)

    expect([answer.status, answer.event?.properties]).toEqual([200, {}])
  })
})

describe('the name of an event', () => {
  it.each([
    ['a'.repeat(201), 'a'.repeat(200)],
    ['nul\0', 'nul\ufffd'],
    ['half\udc00', 'half\ufffd']
  ])('is cut and cleaned', async (name, expected) => {
    const project = await newProject()

    const { event } = await capture(project, { event: name })

    expect(event?.event).toBe(expected)
  })
})

describe('the time of an event', () => {
  const at = (event: CapturedEvent | undefined) => event && new Date(event.timestamp).toISOString()

  it.each<[string, JsonObject, string]>([
    ['nothing', {}, '2026-11-21T12:00:00.000Z'],
    ['null', { timestamp: null }, '2026-11-21T12:00:00.000Z'],
    ['nothing readable', { timestamp: 'yesterday' }, '2026-11-21T12:00:00.000Z'],
    ['empty text', { timestamp: '' }, '2026-11-21T12:00:00.000Z'],
    ['a day that is none', { timestamp: '2026-02-30T00:00:00Z' }, '2026-11-21T12:00:00.000Z'],
    ['UTC', { timestamp: '2026-11-21T11:00:00.123Z' }, '2026-11-21T11:00:00.123Z'],
    ['microseconds', { timestamp: '2026-11-21T11:00:00.123456Z' }, '2026-11-21T11:00:00.123Z'],
    ['hours of a zone', { timestamp: '2026-11-21T14:00:00+03' }, '2026-11-21T11:00:00.000Z'],
    ['a zone', { timestamp: '2026-11-21T05:30:00-05:30' }, '2026-11-21T11:00:00.000Z'],
    ['no zone', { timestamp: '2026-11-21T11:00:00' }, '2026-11-21T11:00:00.000Z'],
    ['a space', { timestamp: '2026-11-21 11:00:00' }, '2026-11-21T11:00:00.000Z'],
    ['a day', { timestamp: '2026-11-20' }, '2026-11-20T00:00:00.000Z'],
    ['a mail date', { timestamp: 'Fri, 20 Nov 2026 10:00:00 GMT' }, '2026-11-20T10:00:00.000Z'],
    ['seconds', { timestamp: '1795258800' }, '2026-11-21T11:00:00.000Z'],
    ['milliseconds', { timestamp: '1795258800123' }, '2026-11-21T11:00:00.123Z'],
    ['23 hours ahead', { timestamp: '2026-11-22T11:00:00Z' }, '2026-11-22T11:00:00.000Z'],
    [
      'more than 23 hours ahead',
      { timestamp: '2026-11-22T11:00:00.001Z' },
      '2026-11-21T12:00:00.000Z'
    ],
    ['the year 9999', { timestamp: '9999-12-31T00:00:00Z' }, '2026-11-21T12:00:00.000Z'],
    ['the year 0', { timestamp: '0000-01-01T00:00:00Z' }, '0000-01-01T00:00:00.000Z'],
    ['before the year 0', { timestamp: '0000-01-01T00:00:00+03' }, '1970-01-01T00:00:00.000Z'],
    ['an offset', { offset: 1500 }, '2026-11-21T11:59:58.500Z'],
    [
      'an offset that wins over the time',
      { offset: 1000, timestamp: '2026-11-20T00:00:00Z' },
      '2026-11-21T11:59:59.000Z'
    ],
    [
      'an offset of 0',
      { offset: 0, timestamp: '2026-11-20T00:00:00Z' },
      '2026-11-21T12:00:00.000Z'
    ],
    ['an offset into the future', { offset: -3_600_000 }, '2026-11-21T13:00:00.000Z'],
    ['an offset too far into the future', { offset: -90_000_000 }, '2026-11-21T12:00:00.000Z'],
    [
      'an offset of text',
      { offset: '1000', timestamp: '2026-11-21T11:00:00Z' },
      '2026-11-21T11:00:00.000Z'
    ]
  ])('is read from %s', async (_, event, expected) => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })

    const answer = await capture(project, event)

    expect([answer.status, at(answer.event)]).toEqual([200, expected])
  })

  const SENT_LATE = '2026-11-21T12:00:10Z'
  const MS = String(Date.parse(SENT_LATE))

  it.each<[string, JsonObject, JsonObject, string, string]>([
    ['the envelope', {}, { sent_at: SENT_LATE }, '', '10:59:50'],
    ['the envelope, with a zone', {}, { sent_at: '2026-11-21T15:00:10+03:00' }, '', '10:59:50'],
    ['the envelope, in milliseconds', {}, { sent_at: Date.parse(SENT_LATE) }, '', '10:59:50'],
    ['the event', { sent_at: SENT_LATE }, {}, '', '10:59:50'],
    ['the query', {}, {}, `?_=${MS}`, '10:59:50'],
    ['the query by name', {}, {}, `?sent_at=${MS}`, '10:59:50'],
    [
      'the event before the envelope',
      { sent_at: SENT_LATE },
      { sent_at: '2026-11-21T12:30:00Z' },
      '',
      '10:59:50'
    ],
    ['the envelope before the query', {}, { sent_at: SENT_LATE }, '?_=1795262400000', '10:59:50'],
    ['an earlier clock', {}, { sent_at: '2026-11-21T11:59:50Z' }, '', '11:00:10'],
    ['nothing readable', {}, { sent_at: 'now' }, '?_=x', '11:00:00'],
    [
      'nothing that counts',
      { properties: { $ignore_sent_at: true } },
      { sent_at: SENT_LATE },
      '',
      '11:00:00'
    ],
    [
      'one that counts',
      { properties: { $ignore_sent_at: 'true' } },
      { sent_at: SENT_LATE },
      '',
      '10:59:50'
    ]
  ])('is corrected by the clock that sent it: %s', async (_, event, envelope, query, expected) => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })

    const answer = await capture(
      project,
      { timestamp: '2026-11-21T11:00:00Z', ...event },
      envelope,
      `/batch/${query}`
    )

    expect([answer.status, at(answer.event)]).toEqual([200, `2026-11-21T${expected}.000Z`])
  })

  it('is the offset also where a clock was sent', async () => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })

    const { event } = await capture(
      project,
      { offset: 5000, timestamp: '2026-11-21T11:00:00Z' },
      { sent_at: SENT_LATE }
    )

    expect(at(event)).toBe('2026-11-21T11:59:55.000Z')
  })
})

describe('through the queue', () => {
  it('makes persons of what SDKs send', async () => {
    const project = await newProject()

    const { status } = await sendJson({
      api_key: project.token,
      batch: [
        { event: '$pageview', distinct_id: 'anon' },
        {
          event: '$identify',
          distinct_id: 'ada',
          properties: { $anon_distinct_id: 'anon', $set: { email: 'ada@example.com' } }
        }
      ]
    })
    await untilPersons(project, 1)

    expect(status).toBe(200)
    expect((await personsOf(project, 'distinct_id=anon')).results).toMatchObject([
      { name: 'ada@example.com', distinct_ids: expect.arrayContaining(['anon', 'ada']) }
    ])
  })

  it('stores a request once that is sent twice', async () => {
    const project = await newProject()
    const body = {
      api_key: project.token,
      batch: [{ uuid: '01a1f000-0000-7000-8000-000000000002', event: 'e', distinct_id: 'ada' }]
    }

    await sendJson(body)
    await sendJson(body)
    await sendJson({ api_key: project.token, event: 'last', distinct_id: 'bob' })
    await untilPersons(project, 2)

    expect(await eventsOf(project)).toBe(2)
  })

  it('keeps broken text out of the store', async () => {
    const project = await newProject()

    const { status } = await send(
      `{"api_key":"${project.token}","event":"e\\u0000\\ud800","distinct_id":"a\\u0000\\ud800","properties":{"x\\u0000\\ud800":"y\\u0000\\ud800","$set":{"email":"z\\u0000\\ud800","k\\u0000\\ud800":1}}}`
    )
    await untilPersons(project, 1)
    const { results } = await personsOf(project)
    const { text, status: csvStatus } = await project.call('GET', 'persons?format=csv')

    expect(status).toBe(200)
    expect(results[0].distinct_ids).toEqual(['a\ufffd\ufffd'])
    expect(csvStatus).toBe(200)
    expect(text).toContain('a\ufffd\ufffd')
    expect((await personsOf(project, 'distinct_id=a%EF%BF%BD%EF%BF%BD')).count).toBe(1)
  })

  const filler = 'x'.repeat(200_000)
  const spilled = async () =>
    (await env.BUCKET.list({ prefix: 'capture/' })).objects.map(({ key }) => key)

  it('takes a request that is too large for a message through the bucket, and removes it there', async () => {
    const project = await newProject()
    const message = vi.spyOn(env.CAPTURE_QUEUE, 'sendBatch')

    const { status, body, events } = await sendJson({
      api_key: project.token,
      batch: [
        {
          event: '$identify',
          distinct_id: 'large',
          properties: { filler, $set: { email: 'large@example.com' } }
        }
      ]
    })
    const [[messages]] = message.mock.calls as [[Iterable<{ body: unknown }>]]
    await untilPersons(project, 1)
    await vi.waitUntil(async () => (await spilled()).length === 0, {
      timeout: 20_000,
      interval: 100
    })

    expect([status, body, events]).toEqual([200, OK, []])
    expect([...messages]).toEqual([
      { body: { spill: expect.stringMatching(/^capture\/\d{4}-\d\d-\d\d\/[0-9a-f-]{36}\.json$/) } }
    ])
    expect((await personsOf(project, 'email=large@example.com')).count).toBe(1)
  })

  it('takes an event of nearly 1,000,000 bytes', async () => {
    const project = await newProject()

    const { status, body } = await sendJson({
      api_key: project.token,
      batch: [{ event: 'e', distinct_id: 'ada', properties: { text: '"é'.repeat(249_900) } }]
    })
    await untilPersons(project, 1)

    expect([status, body]).toEqual([200, OK])
    expect(await eventsOf(project)).toBe(1)
  })

  it('takes thousands of events in one request', async () => {
    const project = await newProject()
    const batch = Array.from({ length: 2_500 }, (_, i) => ({
      event: 'e',
      distinct_id: `p${i % 5}`,
      properties: { i }
    }))

    const { status, body } = await sendJson({ api_key: project.token, batch })
    await vi.waitUntil(async () => (await eventsOf(project)) === 2_500, {
      timeout: 20_000,
      interval: 100
    })

    expect([status, body]).toEqual([200, OK])
    expect((await personsOf(project)).count).toBe(5)
  })

  const TRANSIENT = {
    type: 'server_error',
    code: 'unavailable',
    detail: 'transient error, please retry',
    attr: null
  }
  const largeBatch = ({ token }: TestProject, events = 1) =>
    JSON.stringify({
      api_key: token,
      batch: Array.from({ length: events }, (_, i) => ({
        event: 'e',
        distinct_id: `p${i}`,
        properties: { text: 'x'.repeat(600_000) }
      }))
    })

  it('accepts nothing when the queue takes nothing, large or small', async () => {
    listenToLog()
    const project = await newProject()
    const bindings = { CAPTURE_QUEUE: failingQueue() }
    const small = await request(
      'POST',
      '/e/',
      {},
      JSON.stringify({ api_key: project.token, event: 'e', distinct_id: 'a' }),
      bindings
    )
    const large = await request('POST', '/e/', {}, largeBatch(project), bindings)

    expect([small.status, small.body]).toEqual([503, TRANSIENT])
    expect([large.status, large.body]).toEqual([503, TRANSIENT])
    expect([small, large].map(({ headers }) => headers.get('Retry-After'))).toEqual(['5', '5'])
  })

  it('accepts nothing when the bucket takes only a part', async () => {
    listenToLog()
    const project = await newProject()
    const [sent, sentBatch] = [
      vi.spyOn(env.CAPTURE_QUEUE, 'send'),
      vi.spyOn(env.CAPTURE_QUEUE, 'sendBatch')
    ]

    const { status, body, headers } = await request('POST', '/batch/', {}, largeBatch(project, 3), {
      BUCKET: failingBucket(3)
    })

    expect([status, body]).toEqual([503, TRANSIENT])
    expect(headers.get('Retry-After')).toBe('5')
    expect(sent).not.toHaveBeenCalled()
    expect(sentBatch).not.toHaveBeenCalled()
  })
})

async function eventsOf(project: TestProject) {
  const row = await env.DB.prepare('select count(*) as count from events where project_id = ?')
    .bind(project.id)
    .first()
  return row?.count
}

describe('feature flags', () => {
  const NONE = {
    errorsWhileComputingFlags: false,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/)
  }

  it.each([
    ['/flags/?v=2', { flags: {}, ...NONE }],
    ['/flags?v=2', { flags: {}, ...NONE }],
    ['/flags/', { featureFlags: {}, featureFlagPayloads: {}, ...NONE }],
    ['/flags/?v=1', { featureFlags: {}, featureFlagPayloads: {}, ...NONE }]
  ])('are none, in the shape of %s', async (path, expected) => {
    const { token } = await newProject()

    const { status, body, headers } = await request(
      'POST',
      path,
      {},
      JSON.stringify({ token, distinct_id: 'ada' })
    )

    expect(status).toBe(200)
    expect(body).toEqual(expected)
    expect(body.requestId).toBe(headers.get('X-Request-Id'))
  })

  it.each<[string, (text: string) => Promise<BodyInit> | BodyInit]>([
    ['gzip', gzip],
    ['a form', (text) => `data=${encodeURIComponent(base64Text(text))}`],
    ['base64', base64Text]
  ])('are asked for as %s', async (_, encode) => {
    const { token } = await newProject()

    const { status, body } = await request(
      'POST',
      '/flags/?v=2',
      {},
      await encode(JSON.stringify({ api_key: token }))
    )

    expect([status, body.flags]).toEqual([200, {}])
  })

  it.each<[string, Json, string]>([
    ['no token', { distinct_id: 'ada' }, 'event submitted without an api_key'],
    ['an unknown token', { token: 'phc_unknown' }, 'API key is not valid: unknown'],
    ['a personal key', { token: newApiKey() }, 'API key is not valid: personal_api_key'],
    ['a list', [], 'event submitted without an api_key']
  ])('are refused with %s', async (_, asked, detail) => {
    const { status, body } = await request('POST', '/flags/?v=2', {}, JSON.stringify(asked))

    expect(status).toBe(401)
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'authentication_failed',
      detail,
      attr: 'api_key'
    })
  })
})
