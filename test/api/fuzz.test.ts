import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Json } from '../../src/json.ts'
import { isObject } from '../../src/json.ts'
import recorded from '../fixtures/posthog-node-5.70.json'
import { newProject, request, type TestProject } from '../support/project.ts'
import { untilQuiet } from '../support/queue.ts'

afterAll(untilQuiet)

const SEED = Date.now()
const LONG = 240_000

/** Every line that the worker logs while a test runs. */
let lines: { level: string; message: string }[] = []

beforeEach(() => {
  lines = []
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)))
})

afterEach(() => {
  vi.restoreAllMocks()
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    '$set',
    '-1',
    '1e999',
    'x'.repeat(5_000),
    '😀'.repeat(300),
    '2026-11-21',
    '%00',
    '/',
    '?',
    '\r\n'
  )
)
const deep = fc.integer({ min: 1, max: 3_000 }).map((levels) => ({ raw: `${'['.repeat(levels)}${']'.repeat(levels)}` }))
const anything: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.constantFrom<Json>(null, true, false, 0, -1, 1e21, 2 ** 53, 5e-324, [], {}),
  fc.jsonValue().map((value) => value as Json)
)

/** Another value at a random place of a JSON document. */
function mutate(document: Json, path: number[], replacement: Json | undefined): Json {
  const [step, ...rest] = path
  if (step === undefined || typeof document !== 'object' || document === null) return replacement ?? null
  const entries = Object.entries(document)
  const chosen = entries[step % Math.max(1, entries.length)]
  if (!chosen) return replacement ?? null
  const [key, value] = chosen
  if (rest.length === 0 && replacement === undefined) entries.splice(entries.indexOf(chosen), 1)
  else chosen[1] = mutate(value, rest, replacement)
  if (Array.isArray(document)) return entries.map(([, inner]) => inner)
  return Object.fromEntries([
    ...entries.filter(([name]) => name !== key),
    ...(entries.includes(chosen) ? [chosen] : [])
  ])
}

const encodings = ['json', 'gzip', 'base64', 'form', 'gzip in form'] as const

async function encode(json: string, encoding: (typeof encodings)[number]): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(json)
  const zipped = async () =>
    new Uint8Array(
      await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
    )
  const base64 = (of: Uint8Array) => btoa(Array.from(of, (byte) => String.fromCharCode(byte)).join(''))
  const encoded = (of: string) => new TextEncoder().encode(of)
  switch (encoding) {
    case 'json':
      return bytes
    case 'gzip':
      return zipped()
    case 'base64':
      return encoded(base64(bytes))
    case 'form':
      return encoded(`data=${encodeURIComponent(base64(bytes))}`)
    case 'gzip in form':
      return encoded(`data=${base64(await zipped())}`)
  }
}

const captured = fc.record({
  path: fc.constantFrom('/batch/', '/e', '/i/v0/e/', '/capture', '/flags/?v=2', '/decide?v=3'),
  query: fc.option(text, { freq: 4 }),
  shape: fc.constantFrom('envelope', 'array', 'event'),
  from: fc.nat(180),
  mutations: fc.array(
    fc.record({ path: fc.array(fc.nat(60), { maxLength: 5 }), replacement: fc.option(anything, { nil: undefined }) }),
    { maxLength: 3 }
  ),
  deep: fc.option(deep, { freq: 20 }),
  encoding: fc.constantFrom(...encodings),
  damage: fc.option(fc.record({ at: fc.nat(4_000), byte: fc.nat(255), cut: fc.boolean() }), { freq: 3 }),
  contentType: fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', '')
})

type Captured = typeof captured extends fc.Arbitrary<infer T> ? T : never

const events = recorded.flatMap(({ body }) => body.batch as Json[])

async function send(project: TestProject, sent: Captured) {
  const batch = events
    .slice(sent.from, sent.from + 3)
    .map((event) => (isObject(event) ? { ...event, token: project.token } : event))
  const shapes: Record<string, Json> = {
    envelope: { api_key: project.token, batch },
    array: batch,
    event: batch[0] ?? {}
  }
  const mutated = sent.mutations.reduce(
    (json, { path, replacement }) => mutate(json, path, replacement),
    shapes[sent.shape] ?? null
  )
  const json = sent.deep
    ? JSON.stringify(mutated).replace(/("properties":)\{/, `$1{"deep":${sent.deep.raw},`)
    : JSON.stringify(mutated)
  let bytes = await encode(json, sent.encoding)
  if (sent.damage) {
    const at = sent.damage.at % Math.max(1, bytes.length)
    if (sent.damage.cut) bytes = bytes.slice(0, at)
    else bytes[at] = sent.damage.byte
  }
  const separator = sent.path.includes('?') ? '&' : '?'
  const path =
    sent.query === null ? sent.path : `${sent.path}${separator}_=${encodeURIComponent(sent.query.toWellFormed())}`
  return request(
    'POST',
    path,
    sent.contentType ? { 'Content-Type': sent.contentType } : {},
    bytes as Uint8Array<ArrayBuffer>
  )
}

it(
  '5,000 mutations of recorded traffic are taken or refused with a reason, and what was taken is stored',
  async () => {
    const project = await newProject()
    const statuses = new Map<number, number>()
    for (const sent of fc.sample(captured, { numRuns: 5_000, seed: SEED })) {
      const { status, body } = await send(project, sent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (![200, 400, 401, 413].includes(status)) expect.fail(`seed ${SEED}: ${status} for ${JSON.stringify(sent)}`)
      if (status !== 200) expect(Object.keys(body)).toEqual(expect.arrayContaining(['type', 'code', 'detail', 'attr']))
    }
    await vi.waitUntil(async () => (await env.CAPTURE_QUEUE.metrics()).backlogCount === 0, {
      timeout: 60_000,
      interval: 200
    })

    expect(statuses.get(200)).toBeGreaterThan(500)
    expect(statuses.get(400)).toBeGreaterThan(500)
    expect(
      lines.filter(({ level, message }) => level === 'error' || message === 'capture message retried'),
      `seed ${SEED}`
    ).toEqual([])
  },
  LONG
)

const asked = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'),
  path: fc.oneof(
    { weight: 4, arbitrary: fc.constant('persons/') },
    fc.constantFrom(
      'persons',
      'persons/1',
      'persons/01a1fd2f-0727-7310-9add-385f87497f54/',
      'insights/trend/',
      'persons/1/split/'
    ),
    text.map((id) => `persons/${encodeURIComponent(id.toWellFormed())}/`),
    text.map((id) => encodeURIComponent(id.toWellFormed()))
  ),
  query: fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(
          'limit',
          'offset',
          'cursor',
          'search',
          'email',
          'distinct_id',
          'properties',
          'format',
          'properties[0][key]'
        ),
        text
      ),
      fc.oneof(
        text,
        fc.nat(2_000).map(String),
        anything.map((value) => JSON.stringify(value)),
        fc
          .record({
            key: text,
            value: anything,
            operator: fc.constantFrom('exact', 'regex', 'gt', 'icontains', 'is_date_after', 'semver_gt', 'between')
          })
          .map((filter) => JSON.stringify([filter])),
        fc.base64String()
      )
    ),
    { maxLength: 4 }
  ),
  accept: fc.constantFrom('application/json', 'text/csv', '*/*', 'text/html'),
  prefix: fc.constantFrom('mine', 'mine', 'mine', '@current', '0', '999999', '-1', 'x')
})

it(
  '5,000 odd requests to the API are answered or refused, never with a 500',
  async () => {
    const project = await newProject()
    await project.ingest([
      { distinct_id: 'ada', event: '$identify', properties: { $set: { email: 'ada@example.com', seen: '2026-01-01' } } }
    ])
    for (const { method, path, query, accept, prefix } of fc.sample(asked, { numRuns: 5_000, seed: SEED })) {
      const parameters = query.map(
        ([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`
      )
      const target = `/api/environments/${prefix === 'mine' ? project.id : prefix}/${path}?${parameters.join('&')}`
      const { status } = await request(method, target, { Authorization: `Bearer ${project.key}`, Accept: accept })
      if (status >= 500) expect.fail(`seed ${SEED}: ${status} for ${method} ${target}`)
    }

    expect(
      lines.filter(({ level }) => level === 'error'),
      `seed ${SEED}`
    ).toEqual([])
  },
  LONG
)
