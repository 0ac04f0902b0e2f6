import { brotliCompressSync, deflateSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newApiKey } from '../../../src/access/key.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { failingQueue } from '../../support/bindings.ts'
import { gzip, personsOf, send, untilPersons } from '../../support/capture.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const PATH = '/i/v1/analytics/events'
const NOW = new Date().toISOString()

const headersOf = (token: string): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'PostHog-Sdk-Info': 'posthog-node/5.70.0',
  'PostHog-Attempt': '1',
  'PostHog-Request-Id': 'request-1',
  'PostHog-Request-Timestamp': new Date().toISOString()
})

const newEvent = (event: JsonObject = {}): JsonObject & { uuid: string } => ({
  uuid: crypto.randomUUID(),
  event: 'seen',
  distinct_id: 'ada',
  timestamp: NOW,
  options: {},
  properties: {},
  ...event
})

const batchOf = (...batch: Json[]) => JSON.stringify({ created_at: NOW, batch })

/**
 * Sends a request as an SDK does, with these headers changed. Returns the answer and the queued
 * events.
 */
const sendV1 = (token: string, body: BodyInit, headers: Record<string, string> = {}) =>
  send(body, { path: PATH, headers: { ...headersOf(token), ...headers } })

const OK = { result: 'ok' }

describe('POST /i/v1/analytics/events', () => {
  it.each(['', '/'])('returns a result for each event, with "%s" at the end', async (slash) => {
    const { token } = await newProject()
    const [first, second] = [newEvent(), newEvent({ event: '' })]

    const { status, body, headers, events } = await send(batchOf(first, second), {
      path: `${PATH}${slash}`,
      headers: headersOf(token)
    })

    expect(status).toBe(200)
    expect(body).toEqual({
      results: {
        [first.uuid]: OK,
        [second.uuid]: { result: 'drop', details: 'missing_event_name' }
      }
    })
    expect(headers.get('PostHog-Request-Id')).toBe('request-1')
    expect(headers.get('Retry-After')).toBeNull()
    expect(events).toMatchObject([{ uuid: first.uuid, event: 'seen', distinct_id: 'ada' }])
  })

  it('creates persons like every other endpoint', async () => {
    const project = await newProject()
    const $set = { email: 'ada@example.com' }

    const { status } = await request(
      'POST',
      PATH,
      headersOf(project.token),
      batchOf(newEvent({ properties: { $set } }), newEvent({ event: 'left' }))
    )
    await untilPersons(project, 1)

    expect(status).toBe(200)
    expect((await personsOf(project)).results).toMatchObject([
      { distinct_ids: ['ada'], properties: $set }
    ])
  })

  it('moves an event’s options into its properties', async () => {
    const { token } = await newProject()
    const options = {
      process_person_profile: false,
      disable_skew_correction: true,
      product_tour_id: 'tour'
    }
    const event = newEvent({
      options,
      session_id: 's',
      window_id: 'w',
      properties: { plan: 'pro' }
    })

    const { events } = await sendV1(token, batchOf(event))

    expect(events[0]?.properties).toEqual({
      plan: 'pro',
      $lib: 'posthog-node',
      $lib_version: '5.70.0',
      $session_id: 's',
      $window_id: 'w',
      $process_person_profile: false,
      $ignore_sent_at: true,
      $product_tour_id: 'tour'
    })
  })

  it('keeps the session and window ids of the properties if those of the event are null', async () => {
    const { token } = await newProject()
    const properties = { $session_id: 's', $window_id: 'w' }
    const event = newEvent({ session_id: null, window_id: null, properties })

    const { events } = await sendV1(token, batchOf(event))

    expect(events[0]?.properties).toMatchObject(properties)
  })

  it.each([
    ['by default', false, -60 * 60_000],
    ['not when the SDK says so', true, 0]
  ])('corrects times by the client’s clock: %s', async (_, disable, off) => {
    const { token } = await newProject()
    const [ahead, now] = [Date.now() + 60 * 60_000, Date.now()]
    const timestamp = new Date(ahead).toISOString()
    const event = newEvent({ timestamp, options: { disable_skew_correction: disable } })

    const { events } = await sendV1(token, batchOf(event), {
      'PostHog-Request-Timestamp': timestamp
    })

    const difference = (events[0]?.timestamp ?? 0) - ahead
    expect(Math.abs(difference - off)).toBeLessThan(Date.now() - now + 1)
  })

  it('tells visitors without cookies apart', async () => {
    const { token } = await newProject()
    const event = newEvent({
      distinct_id: '$posthog_cookieless',
      options: { cookieless_mode: true, process_person_profile: false },
      properties: { $host: 'shop.example.com', $raw_user_agent: 'Firefox', $ip: '203.0.113.7' }
    })

    const { body, events } = await sendV1(token, batchOf(event))

    expect(body.results).toEqual({ [event.uuid]: OK })
    expect(events[0]?.distinct_id).toMatch(/^cookieless_[0-9a-f]{32}$/)
    expect(events[0]?.properties).not.toHaveProperty('$ip')
  })

  it.each<[string, JsonObject]>([
    ['missing_event_name', { event: '' }],
    ['missing_event_name', { event: null }],
    ['event_name_too_long', { event: 'x'.repeat(201) }],
    ['missing_distinct_id', { distinct_id: ' ' }],
    ['missing_distinct_id', { distinct_id: 7 }],
    ['distinct_id_too_large', { distinct_id: 'é'.repeat(101) }],
    ['invalid_event_timestamp', { timestamp: 'yesterday' }],
    ['invalid_event_timestamp', { timestamp: null }],
    ['malformed_event_properties', { properties: [1] }],
    ['invalid_options', { options: { process_person_profile: 'no' } }],
    ['invalid_options', { options: [1] }],
    ['$snapshot is not stored as an event', { event: '$snapshot' }],
    [
      '`distinct_id` may be `$posthog_cookieless` only in events with the property `$cookieless_mode: true`',
      { distinct_id: '$posthog_cookieless' }
    ]
  ])('drops only the invalid event, and says why: %s %j', async (details, fault) => {
    const { token } = await newProject()
    const [wrong, right] = [newEvent(fault), newEvent()]

    const mixed = await sendV1(token, batchOf(wrong, right))
    const alone = await sendV1(token, batchOf(wrong))

    const drop = { result: 'drop', details }
    expect(mixed.body.results).toEqual({ [wrong.uuid]: drop, [right.uuid]: OK })
    expect(mixed.events.map(({ uuid }) => uuid)).toEqual([right.uuid])
    expect([alone.status, alone.body.results]).toEqual([200, { [wrong.uuid]: drop }])
    expect(alone.events).toEqual([])
  })

  it('takes an empty list, as PHP encodes an empty object, for `properties` and `options`', async () => {
    const { token } = await newProject()
    const event = newEvent({ properties: [], options: [] })

    const { body, events } = await sendV1(token, batchOf(event))

    expect(body.results).toEqual({ [event.uuid]: OK })
    expect(events[0]?.properties).toEqual({
      $lib: expect.any(String),
      $lib_version: expect.any(String)
    })
  })

  it.each<[string, (text: string) => BodyInit | Promise<BodyInit>]>([
    ['gzip', gzip],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['identity', (text) => text]
  ])('reads a body in the encoding %s', async (encoding, encode) => {
    const { token } = await newProject()
    const event = newEvent()

    const { status, body } = await sendV1(token, await encode(batchOf(event)), {
      'Content-Encoding': encoding
    })

    expect([status, body.results]).toEqual([200, { [event.uuid]: OK }])
  })
})

describe('POST /i/v1/analytics/events refuses', () => {
  const twin = newEvent()
  const zeros = new Uint8Array(10_000_001)

  it.each<[number, string, string | null, string, BodyInit, Record<string, string>]>([
    [400, 'required', 'PostHog-Sdk-Info', 'no SDK', batchOf(twin), { 'PostHog-Sdk-Info': '' }],
    [400, 'required', 'PostHog-Attempt', 'no attempt', batchOf(twin), { 'PostHog-Attempt': '' }],
    [400, 'required', 'PostHog-Request-Id', 'no id', batchOf(twin), { 'PostHog-Request-Id': '' }],
    [
      400,
      'required',
      'PostHog-Request-Timestamp',
      'no time',
      batchOf(twin),
      { 'PostHog-Request-Timestamp': '' }
    ],
    [
      400,
      'invalid_input',
      'PostHog-Request-Timestamp',
      'an invalid time',
      batchOf(twin),
      { 'PostHog-Request-Timestamp': 'now' }
    ],
    [
      400,
      'invalid_input',
      'PostHog-Attempt',
      'an invalid attempt',
      batchOf(twin),
      { 'PostHog-Attempt': '0' }
    ],
    [
      400,
      'invalid_input',
      'PostHog-Sdk-Info',
      'an invalid SDK',
      batchOf(twin),
      { 'PostHog-Sdk-Info': 'x' }
    ],
    [400, 'parse_error', null, 'invalid JSON', '{', {}],
    [400, 'parse_error', null, 'no body', '', {}],
    [400, 'parse_error', null, 'a broken encoding', 'x', { 'Content-Encoding': 'br' }],
    [400, 'invalid_input', 'batch', 'an empty batch', batchOf(), {}],
    [400, 'required', 'batch', 'no batch', `{"created_at":"${NOW}"}`, {}],
    [400, 'required', 'created_at', 'no created_at', JSON.stringify({ batch: [twin] }), {}],
    [
      400,
      'invalid_input',
      'created_at',
      'an invalid created_at',
      JSON.stringify({ created_at: 'today', batch: [twin] }),
      {}
    ],
    [400, 'required', 'batch__0__uuid', 'no uuid', batchOf({ event: 'seen' }), {}],
    [400, 'invalid_input', 'batch__1__uuid', 'an invalid uuid', batchOf(twin, { uuid: 'x' }), {}],
    [
      400,
      'invalid_input',
      'batch',
      'a uuid twice',
      batchOf(twin, { ...newEvent(), uuid: twin.uuid.toUpperCase() }),
      {}
    ],
    [413, 'request_too_large', null, 'a large body', zeros, {}],
    [
      413,
      'request_too_large',
      null,
      'a compressed large body',
      deflateSync(zeros),
      { 'Content-Encoding': 'deflate' }
    ],
    [
      415,
      'unsupported_media_type',
      null,
      'another encoding',
      batchOf(twin),
      { 'Content-Encoding': 'compress' }
    ],
    [
      415,
      'unsupported_media_type',
      null,
      'another type',
      batchOf(twin),
      { 'Content-Type': 'text/plain' }
    ]
  ])('%i %s %s: %s', async (expected, code, attr, _, body, headers) => {
    const { token } = await newProject()
    const all = Object.entries({ ...headersOf(token), ...headers })
    const given = Object.fromEntries(all.filter(([, value]) => value !== ''))

    const answer = await request('POST', PATH, given, body)

    expect(answer.status).toBe(expected)
    expect(answer.body).toMatchObject({
      code,
      attr,
      error: code,
      error_description: answer.body.detail,
      error_uri: 'https://analytics.test/docs'
    })
    expect(answer.headers.get('PostHog-Request-Id')).toBe(given['PostHog-Request-Id'] ?? null)
  })

  it.each([
    ['no token', undefined, 'event submitted without an api_key'],
    ['a token without a scheme', 'phc_x', 'event submitted without an api_key'],
    ['an unknown token', 'Bearer phc_unknown', 'API key is not valid: unknown'],
    [
      'a personal key',
      `Bearer ${newApiKey()}`,
      'API key is not valid: personal_api_key. Send events with the project’s capture token (phc_…), not with a personal API key (phx_…).'
    ]
  ])('%s, before the body is unpacked', async (_, authorization, detail) => {
    const { Authorization: __, ...headers } = headersOf('')
    const given = {
      ...headers,
      'Content-Encoding': 'br',
      ...(authorization && { Authorization: authorization })
    }

    const { status, body } = await request('POST', PATH, given, 'no brotli')

    expect(status).toBe(401)
    expect(body).toMatchObject({ code: 'authentication_failed', detail, error_description: detail })
  })

  it('events that the queue cannot accept now, so that the SDK sends them again', async () => {
    listenToLog()
    const { token } = await newProject()
    const bindings = { CAPTURE_QUEUE: failingQueue() }

    const { status, body, headers } = await request(
      'POST',
      PATH,
      headersOf(token),
      batchOf(newEvent()),
      bindings
    )

    expect([status, body.error]).toEqual([503, 'unavailable'])
    expect(headers.get('Retry-After')).toBe('5')
    expect(headers.get('PostHog-Request-Id')).toBe('request-1')
  })
})

describe('POST /i/v0/ai/batch', () => {
  it.each(['', '/'])('accepts events of AI models, with "%s" at the end', async (slash) => {
    const { token } = await newProject()
    const event = { event: '$ai_generation', distinct_id: 'ada', properties: { $ai_model: 'm' } }

    const { status, body, events } = await send(
      await gzip(JSON.stringify({ api_key: token, batch: [event] })),
      { path: `/i/v0/ai/batch${slash}`, headers: { 'Content-Encoding': 'gzip' } }
    )

    expect([status, body]).toEqual([200, { status: 'Ok' }])
    expect(events).toMatchObject([event])
  })
})
