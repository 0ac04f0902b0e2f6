import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type LocalService, launchService, newStateDir } from '../../support/processes.ts'

/** The heap of an isolate on Cloudflare. The runtime ends when an isolate needs more. */
const PRODUCTION = { MINIFLARE_WORKERD_V8_FLAGS: '--max-heap-size=128' }

/** How often each request is sent at the same time. */
const AT_ONCE = 4

/** Largest bodies of the capture endpoints and of the API, with some room for what is around a list. */
const CAPTURE_BYTES = 9_990_000
const API_BYTES = 990_000

const launched = launchService(newStateDir(), { more: PRODUCTION })
let service: LocalService
beforeAll(async () => {
  service = await launched.ready
})
afterAll(async () => void (await launched.stop('SIGTERM')))

/** Returns a list that repeats some elements up to so many bytes. */
function listOf(bytes: number, elements: string[]): string {
  const some = elements.join(',')
  return `[${`${some},`.repeat(bytes / (some.length + 1) - 1)}${some}]`
}

const numbered = (count: number, elementOf: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => elementOf(n))

/** JSON of so many bytes, which takes many times as much memory when it is parsed. */
const BOMBS: [string, string, (bytes: number) => string][] = [
  ['empty objects', '/batch/', (bytes) => listOf(bytes, ['{}'])],
  ['empty lists', '/e/', (bytes) => listOf(bytes, ['[]'])],
  ['lists in lists', '/i/v0/e/', (bytes) => listOf(bytes, ['[[[]]]'])],
  ['short members', '/capture/', (bytes) => listOf(bytes, ['{"a":{}}'])],
  [
    'different names',
    '/track/',
    (bytes) =>
      listOf(
        bytes,
        numbered(bytes / 11, (n) => `{"${n.toString(36)}":1}`)
      )
  ],
  [
    'numbers as names',
    '/engage/',
    (bytes) =>
      listOf(
        bytes,
        numbered(1_000, (n) => `{"${1_000 + n}":1}`)
      )
  ],
  ['empty texts', '/i/v0/ai/batch/', (bytes) => listOf(bytes, ['""'])],
  ['deep lists', '/s/', (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`],
  ['deep objects', '/flags/?v=2', (bytes) => `${'{"":'.repeat(bytes / 5)}1${'}'.repeat(bytes / 5)}`]
]

/** Sends a request several times at once. Returns the different answers, as status and code. */
async function send(path: string, init: RequestInit): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const answer = await fetch(`${service.url}${path}`, { method: 'POST', ...init })
      const { code } = Answer.parse(await answer.json())
      return `${answer.status} ${code}`
    })
  )
  return [...new Set(answers)]
}

const Answer = z.object({ code: z.string().optional() })

/** Expects that the runtime still takes an event, and stores it. */
async function expectToCapture(): Promise<void> {
  const answer = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: service.token, event: 'seen', distinct_id: 'ada' })
  })

  expect(answer.status).toBe(200)
}

const REFUSED = /^(400 parse_error|413 request_too_large)$/

it.each(BOMBS)('refuses %s at %s, several times at once', async (_, path, textOf) => {
  const [answer, ...others] = await send(path, { body: gzipSync(textOf(CAPTURE_BYTES)) })

  expect(answer).toMatch(REFUSED)
  expect(others).toEqual([])
  await expectToCapture()
})

describe('many empty objects are refused', () => {
  const list = listOf(CAPTURE_BYTES, ['{}'])
  const v1 = {
    'Content-Type': 'application/json',
    'PostHog-Sdk-Info': 'posthog-node/5.70.0',
    'PostHog-Attempt': '1',
    'PostHog-Request-Id': 'one',
    'PostHog-Request-Timestamp': '2026-10-02T10:11:13Z'
  }
  const inEvent = () =>
    `{"api_key":"${service.token}","event":"seen","distinct_id":"ada","properties":{"x":${list}}}`

  it.each<[string, string, () => RequestInit]>([
    ['in the properties of an event', '/e/', () => ({ body: gzipSync(inEvent()) })],
    ['as plain text', '/e/', () => ({ body: list })],
    [
      'in a form',
      '/e/',
      () => ({ body: new URLSearchParams({ data: gzipSync(list).toString('base64') }) })
    ],
    ['in a recording', '/s/', () => ({ body: gzipSync(inEvent()) })],
    ['in a request for flags', '/decide/?v=3', () => ({ body: gzipSync(inEvent()) })],
    [
      'in a batch with results',
      '/i/v1/analytics/events',
      () => ({
        body: gzipSync(`{"batch":${list}}`),
        headers: { ...v1, Authorization: `Bearer ${service.token}`, 'Content-Encoding': 'gzip' }
      })
    ]
  ])('%s', async (_, path, initOf) => {
    expect(await send(path, initOf())).toEqual(['413 request_too_large'])
    await expectToCapture()
  })
})

it.each([
  ['PATCH', '/persons/1/', (list: string) => `{"properties":{"x":${list}}}`],
  ['POST', '/persons/bulk_delete/', (list: string) => `{"ids":${list}}`],
  ['POST', '/events/delete/', (list: string) => `{"events":${list}}`],
  ['POST', '/insights/trend/', (list: string) => `{"events":${list}}`],
  ['POST', '/insights/trend/', (list: string) => `{"query":${JSON.stringify(list)}}`],
  ['POST', '/subscriptions/', (list: string) => `{"title":${list}}`]
])('%s %s refuses bodies of many values', async (method, path, bodyOf) => {
  const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' }
  for (const element of ['{}', '1', '{"a":[]}']) {
    const body = bodyOf(listOf(API_BYTES, [element]))

    const answers = await send(`/api/projects/${service.projectId}${path}`, {
      method,
      body,
      headers
    })

    expect(answers).toEqual(['413 request_too_large'])
  }
  await expectToCapture()
})

it('survives requests as large as the limits allow', async () => {
  for (const element of ['{}', '{"a":[]}', '["",{"b":1}]']) {
    const list = listOf(1_300_000, [element])
    const [answer] = await send('/e/', {
      body: gzipSync(
        `{"api_key":"${service.token}","batch":[{"event":"seen","distinct_id":"ada","properties":{"x":${list}}}]}`
      )
    })

    expect(answer).toBe('400 invalid_input')
  }
  await expectToCapture()
})
