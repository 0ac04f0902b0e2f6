import { env } from 'cloudflare:workers'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newApiKey } from '../../../src/access/key.ts'
import type { QueuedEvents } from '../../../src/capture/message.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import older from '../../fixtures/posthog-js-1.300.0.json'
import current from '../../fixtures/posthog-js-1.449.2.json'
import { failingDatabase, failingQueue } from '../../support/bindings.ts'
import { gzip } from '../../support/capture.ts'
import { contentsOf } from '../../support/contents.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings } from '../../support/recordings.ts'

const SITE = 'https://shop.example'
const UNKNOWN = 'phc_unknown'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

const configOf = (token: string) => ({
  token,
  supportedCompression: ['gzip-js', 'gzip'],
  analytics: { endpoint: '/i/v0/e/' },
  autocapture_opt_out: false,
  elementsChainAsString: true,
  defaultIdentifiedOnly: true,
  sessionRecording: {
    endpoint: '/s/',
    consoleLogRecordingEnabled: true,
    recorderVersion: 'v2',
    sampleRate: null,
    minimumDurationMilliseconds: null
  },
  hasFeatureFlags: true,
  surveys: false,
  productTours: false,
  capturePerformance: false,
  autocaptureExceptions: false,
  errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
  heatmaps: false,
  captureDeadClicks: false,
  siteApps: []
})

const base64 = (value: unknown) => btoa(JSON.stringify(value))

/** Holds back the messages of capture requests; `ingest` processes them. */
function holdQueue() {
  const messages: QueuedEvents[] = []
  vi.spyOn(env.CAPTURE_QUEUE, 'send').mockImplementation(async (message) => {
    messages.push(message as QueuedEvents)
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  })
  return { ingest: () => consume(messages) }
}

describe('the configuration of a browser SDK', () => {
  it('is JSON that may be cached for five minutes', async () => {
    const { token } = await newProject()

    const { status, headers, body } = await request('GET', `/array/${token}/config`)

    expect(status).toBe(200)
    expect(headers.get('Cache-Control')).toBe('public, max-age=300')
    expect(body).toEqual(configOf(token))
  })

  it('is also a script, which stores it under the token', async () => {
    const { token } = await newProject()

    const { status, headers, text } = await request('GET', `/array/${token}/config.js`)

    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(headers.get('Cache-Control')).toBe('public, max-age=300')
    const [, name, config] =
      /^\(window\._POSTHOG_REMOTE_CONFIG=[^)]+\)\["(\w+)"\]=(.*)\n$/.exec(text) ?? []
    expect(name).toBe(token)
    expect(JSON.parse(config ?? '')).toEqual({ config: configOf(token), siteApps: [] })
  })

  it('has the project’s settings in every form', async () => {
    const { token } = await newProject({ settings: { recording: false, heatmaps: true } })
    const asked = JSON.stringify({ token })

    const answers = [
      await request('GET', `/array/${token}/config`),
      await request('POST', '/flags/?v=2&config=true', {}, asked),
      await request('POST', '/decide/?v=3', {}, asked)
    ]
    const script = await request('GET', `/array/${token}/config.js`)

    for (const { body } of answers) {
      expect(body).toMatchObject({ sessionRecording: false, heatmaps: true })
    }
    expect(script.text).toContain('"sessionRecording":false')
  })

  it.each(['config', 'config/', 'config.js', 'config.js?_=1'])(
    'is refused for an unknown token: %s',
    async (path) => {
      const { status, headers, body } = await request('GET', `/array/${UNKNOWN}/${path}`, {
        Origin: SITE
      })

      expect(status).toBe(401)
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('Access-Control-Allow-Origin')).toBe(SITE)
      expect(body).toMatchObject({
        code: 'authentication_failed',
        detail: 'API key is not valid: unknown'
      })
    }
  )

  it('comes with the answer of /flags if `config=true` asks for it', async () => {
    const { token } = await newProject()

    const { body } = await request(
      'POST',
      '/flags/?v=2&config=true',
      {},
      `data=${encodeURIComponent(base64({ token }))}`
    )

    expect(body).toEqual({
      ...configOf(token),
      flags: {},
      errorsWhileComputingFlags: false,
      requestId: expect.any(String)
    })
  })

  it.each([
    ['/decide/', { featureFlags: [] }],
    ['/decide/?v=1', { featureFlags: [] }],
    ['/decide/?v=2', { featureFlags: {} }],
    ['/decide?v=3', { featureFlags: {}, featureFlagPayloads: {} }],
    ['/decide/?v=4', { flags: {} }]
  ])('comes with every answer of %s', async (path, flags) => {
    const { token } = await newProject()

    const { status, body } = await request('POST', path, {}, base64({ token }))

    expect(status).toBe(200)
    expect(body).toEqual({
      ...configOf(token),
      ...flags,
      config: { enable_collect_everything: true },
      errorsWhileComputingFlags: false,
      requestId: expect.any(String)
    })
  })
})

/** Endpoints for features that the service lacks, and the answer that says that there are none. */
const NONE: [string, JsonObject][] = [
  ['/flags/definitions', { flags: [], group_type_mapping: {}, cohorts: {} }],
  ['/api/feature_flag/local_evaluation', { flags: [], group_type_mapping: {}, cohorts: {} }],
  ['/api/early_access_features', { earlyAccessFeatures: [] }],
  ['/api/surveys', { surveys: [] }],
  ['/api/web_experiments', { experiments: [] }],
  ['/api/product_tours', { product_tours: [] }]
]

describe.each(NONE)('GET %s', (path, none) => {
  it.each(['', '/'])('answers that there are none, with "%s" at the end', async (slash) => {
    const { token } = await newProject()

    const query = `token=${token}&send_cohorts&_=1795238124647`
    const { status, body } = await request('GET', `${path}${slash}?${query}`)

    expect([status, body]).toEqual([200, none])
  })

  it.each(['', `?token=${UNKNOWN}`, `?token=${newApiKey()}`])(
    'is refused without a known token: "%s"',
    async (query) => {
      expect((await request('GET', `${path}/${query}`)).status).toBe(401)
    }
  )

  it('may be read by a page of another site that sends cookies', async () => {
    const { token } = await newProject()
    const preflight = { 'Access-Control-Request-Method': 'GET' }

    const answers = [
      await request('GET', `${path}/?token=${token}`, { Origin: SITE }),
      await request('GET', `${path}/?token=${UNKNOWN}`, { Origin: SITE }),
      await request('OPTIONS', `${path}/`, { Origin: SITE, ...preflight })
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 401, 204])
    for (const { headers } of answers) {
      expect(headers.get('Access-Control-Allow-Origin')).toBe(SITE)
      expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
    }
  })
})

describe('older endpoints', () => {
  it.each<[string, JsonObject]>([
    ['/engage', { $distinct_id: 'ada', $set: { plan: 'pro' } }],
    ['/engage/', { distinct_id: 'ada', $set_once: { plan: 'pro' } }],
    ['/engage/?_=1', { properties: { distinct_id: 'ada', $set: { plan: 'pro' } } }]
  ])('set properties of a person: %s', async (path, asked) => {
    const project = await newProject()
    const queue = holdQueue()

    const { status } = await request(
      'POST',
      path,
      {},
      `data=${base64([{ ...asked, $token: project.token }])}`
    )
    await queue.ingest()

    expect(status).toBe(200)
    const { persons, events } = await contentsOf(project.id)
    expect(persons).toMatchObject([{ distinct_ids: ['ada'], properties: { plan: 'pro' } }])
    expect(events).toMatchObject([{ event: '$identify', distinct_id: 'ada' }])
  })

  it('keep the name of an event that has one', async () => {
    const project = await newProject()
    const queue = holdQueue()

    await request(
      'POST',
      '/engage',
      {},
      JSON.stringify({ token: project.token, event: '$set', distinct_id: 'ada' })
    )
    await queue.ingest()

    expect((await contentsOf(project.id)).events).toMatchObject([{ event: '$set' }])
  })

  it.each(['/batch', '/e', '/i/v0/e', '/capture', '/track', '/i/v0/ai/batch'])(
    'accept an event without a name only on /engage, not on %s',
    async (path) => {
      const { token } = await newProject()

      const { status } = await request(
        'POST',
        path,
        {},
        JSON.stringify({ token, distinct_id: 'ada', $set: { a: 1 } })
      )

      expect(status).toBe(400)
    }
  )

  it.each(['/e/', '/track/', '/capture'])('take an event from the query: GET %s', async (path) => {
    const project = await newProject()
    const queue = holdQueue()
    const data = base64({ event: 'seen', properties: { token: project.token, distinct_id: 'ada' } })

    const { status, body } = await request(
      'GET',
      `${path}?data=${encodeURIComponent(data)}&ip=1&ver=1`
    )
    await queue.ingest()

    expect([status, body]).toEqual([200, { status: 'Ok' }])
    expect((await contentsOf(project.id)).events).toMatchObject([
      { event: 'seen', distinct_id: 'ada' }
    ])
  })

  it('refuse a query without data', async () => {
    const { status, body } = await request('GET', '/e/?ip=1')

    expect([status, body.detail]).toEqual([400, 'request missing data payload'])
  })
})

describe('a page of another site', () => {
  const event = (token: string) =>
    JSON.stringify({ api_key: token, event: 'seen', distinct_id: 'ada' })
  const tooLarge = `"${'x'.repeat(10_000_001)}"`

  it.each<[number, string, string, string | undefined, Partial<Env>]>([
    [200, 'POST', '/e/', event('TOKEN'), {}],
    [200, 'POST', '/flags/?v=2', '{"token":"TOKEN"}', {}],
    [200, 'GET', '/array/TOKEN/config', undefined, {}],
    [200, 'GET', '/array/TOKEN/config.js', undefined, {}],
    [400, 'POST', '/s/', '[{"properties":{"token":"TOKEN"}}]', {}],
    [400, 'POST', '/i/v0/e/', '{', {}],
    [401, 'POST', '/batch/', event(UNKNOWN), {}],
    [404, 'POST', '/e/nowhere', '{}', {}],
    [404, 'GET', '/static/nothing.js', undefined, {}],
    [405, 'PUT', '/e/', '{}', {}],
    [413, 'POST', '/e/', tooLarge, {}],
    [
      500,
      'POST',
      '/e/',
      event('phc_new'),
      { DB: failingDatabase('D1_ERROR: near "selec": syntax error at offset 0: SQLITE_ERROR') }
    ],
    [503, 'POST', '/e/', event('TOKEN'), { CAPTURE_QUEUE: failingQueue() }]
  ])(
    'may read the answer of an SDK endpoint: %i to %s %s',
    async (expected, method, path, body, bindings) => {
      listenToLog()
      const { token } = await newProject()
      const fill = (text: string) => text.replace('TOKEN', token)

      const { status, headers } = await request(
        method,
        fill(path),
        { Origin: SITE },
        body && fill(body),
        bindings
      )

      expect(status).toBe(expected)
      expect(headers.get('Access-Control-Allow-Origin')).toBe(SITE)
      expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
      expect(headers.get('Access-Control-Expose-Headers')).toBe('Retry-After,X-Request-Id')
      expect(headers.get('Vary')).toBe('Origin')
      expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin')
    }
  )

  it.each(['/e/', '/flags/?v=2', '/s/', '/batch', '/nowhere'])(
    'is allowed to send JSON: OPTIONS %s',
    async (path) => {
      const { status, headers, text } = await request('OPTIONS', path, {
        Origin: SITE,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-of-the-customer'
      })

      expect([status, text]).toEqual([204, ''])
      expect(headers.get('Access-Control-Allow-Origin')).toBe(SITE)
      expect(headers.get('Access-Control-Allow-Credentials')).toBe('true')
      expect(headers.get('Access-Control-Allow-Methods')).toBe('GET,POST,OPTIONS')
      expect(headers.get('Access-Control-Allow-Headers')).toBe('content-type,x-of-the-customer')
      expect(headers.get('Access-Control-Max-Age')).toBe('86400')
      expect(headers.get('Vary')).toBe('Origin, Access-Control-Request-Headers')
    }
  )

  it('is not named in answers to clients that are not browsers', async () => {
    const { headers } = await request('POST', '/e/', {}, '{')

    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  it.each<[number, string, Record<string, string>]>([
    [200, 'persons/', {}],
    [200, 'persons/?format=csv', {}],
    [400, 'persons/?limit=0', {}],
    [401, 'persons/', { Authorization: 'Bearer phx_wrong' }],
    [404, 'persons/999999999/', {}]
  ])('may read the answer of the API: %i to %s', async (expected, path, headers) => {
    const project = await newProject()

    const answer = await project.call('GET', path, { Origin: SITE, ...headers })

    expect(answer.status).toBe(expected)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    const exposed = answer.headers.get('Access-Control-Expose-Headers')?.split(',')
    expect(exposed).toEqual(
      expect.arrayContaining(['Allow', 'Retry-After', 'X-Request-Id', 'x-d1-bookmark'])
    )
  })

  it('may call the API with a key', async () => {
    const { status, headers } = await request('OPTIONS', '/api/environments/1/persons/7/', {
      Origin: SITE,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type,if-match'
    })

    expect(status).toBe(204)
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Allow-Methods')).toBe(
      'GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS'
    )
    expect(headers.get('Access-Control-Allow-Headers')).toBe('authorization,content-type,if-match')
  })
})

it.each([
  ['GET', '/livez'],
  ['GET', '/nowhere'],
  ['GET', '/api/environments/1/persons'],
  ['POST', '/e/'],
  ['OPTIONS', '/e/']
])('a response is never treated as a page or framed: %s %s', async (method, path) => {
  const { headers } = await request(method, path)

  expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'")
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  expect(headers.get('X-Frame-Options')).toBe('DENY')
  expect(headers.get('Strict-Transport-Security')).toBe('max-age=15552000')
  expect(headers.get('Referrer-Policy')).toBe('no-referrer')
})

type Recorded = {
  t: number
  method: string
  url: string
  type?: string
  encoding?: string
  json?: unknown
}

/** Sends a recorded request at its recorded time, with the project's token in place of the recorded one. */
async function replay({ t, method, url, type, encoding, json }: Recorded, token: string) {
  vi.setSystemTime(t)
  const text = JSON.stringify(json)?.replaceAll('phc_testtoken123', token)
  const body =
    text && (encoding === 'gzip' ? await gzip(text) : `data=${encodeURIComponent(btoa(text))}`)
  const path = url.replace('phc_testtoken123', token)
  return request(method, path, { Origin: SITE, ...(type && { 'Content-Type': type }) }, body)
}

const STORIES: {
  version: string
  recorded: Recorded[]
  visitor: string
  flags: JsonObject
  /** The person's property `p`, unless the SDK unsets it. */
  p?: number
  /** Number of `$set` events. */
  sets: number
  recording: JsonObject
}[] = [
  {
    version: '1.449.2',
    recorded: current,
    visitor: '01a1fc87-dc0c-7fb8-b3b3-5823152c0da6',
    flags: {},
    sets: 2,
    recording: {
      click_count: 3,
      keypress_count: 5,
      mouse_activity_count: 19,
      console_log_count: 1,
      console_warn_count: 1,
      console_error_count: 1,
      active_seconds: 0.102,
      inactive_seconds: 17.898,
      recording_duration: 18,
      activity_score: 22.76,
      start_time: '2026-11-21T05:15:24.740Z',
      end_time: '2026-11-21T05:15:42.262Z',
      start_url: 'http://127.0.0.1:8101/start?utm_source=test&gclid=abc#frag',
      snapshot_source: 'web'
    }
  },
  {
    version: '1.300.0',
    recorded: older,
    visitor: '01a1fc8c-d189-73c3-89c4-ce8697a4628b',
    flags: { sessionRecording: { endpoint: '/s/' } },
    p: 1,
    sets: 1,
    recording: { click_count: 3, keypress_count: 5, console_error_count: 1, recording_duration: 18 }
  }
]

describe.each(STORIES)(
  'the recorded traffic of posthog-js $version',
  ({ recorded, visitor, flags, p, sets, recording }) => {
    it('creates the person and stores every event once, although every request arrives twice', async () => {
      const project = await newProject()
      const queue = holdQueue()
      const parts: unknown[] = []
      vi.spyOn(env.RECORDING_QUEUE, 'sendBatch').mockImplementation(async (messages) => {
        for (const { body } of messages) {
          parts.push(body)
        }
        return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
      })
      listenToLog()
      vi.useFakeTimers({ toFake: ['Date'] })

      const answers: { path: string; status: number; body: JsonObject }[] = []
      for (const sent of [...recorded, ...recorded]) {
        const { status, body } = await replay(sent, project.token)
        answers.push({ path: sent.url.replace(/\?.*/, ''), status, body })
      }
      await holdRecordings().deliver(parts)
      vi.useRealTimers()
      await queue.ingest()

      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      const bodiesOf = (...paths: string[]) =>
        answers.filter(({ path }) => paths.includes(path)).map(({ body }) => body)
      for (const body of bodiesOf('/e/', '/i/v0/e/')) {
        expect(body).toEqual({ status: 'Ok' })
      }
      for (const body of bodiesOf('/flags/')) {
        expect(body).toMatchObject({ flags: {}, ...flags })
      }
      expect(bodiesOf('/s/')).toEqual(Array(6).fill({ status: 'Ok' }))

      const { body } = await project.call('GET', 'session_recordings')
      expect(body).toMatchObject({ count: 1, results: [recording] })
      expect(body.results[0]).toMatchObject({ distinct_id: visitor, person: { name: 'a@b.c' } })

      const { persons, events, count } = await contentsOf(project.id)
      expect(count).toBe(1)
      expect(persons).toMatchObject([
        {
          distinct_ids: [visitor, 'alias_1', 'user_1'],
          is_identified: 1,
          properties: {
            email: 'a@b.c',
            q: 2,
            $browser: 'Chrome',
            utm_source: 'test',
            $initial_utm_source: 'test',
            $initial_gclid: 'abc'
          }
        }
      ])
      // posthog-js 1.449.2 unsets it again; 1.300.0 cannot.
      expect(persons[0]?.properties.p).toBe(p)
      // The only event that sets `plan` has no person profile.
      expect(persons[0]?.properties).not.toHaveProperty('plan')
      const told = events.map(
        ({ event, distinct_id }) =>
          `${event} by ${distinct_id === visitor ? 'visitor' : distinct_id}`
      )
      expect(told.sort()).toEqual([
        '$autocapture by user_1',
        '$autocapture by user_1',
        '$autocapture by user_1',
        '$autocapture by visitor',
        '$create_alias by user_1',
        '$groupidentify by user_1',
        '$identify by user_1',
        '$pageview by visitor',
        ...Array(sets).fill('$set by user_1'),
        'after_identify by user_1',
        'before_unload by user_1',
        'custom_event by visitor',
        'inst by visitor'
      ])
    })
  }
)
