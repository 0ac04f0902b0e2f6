import type { Schema } from '@cfworker/json-schema'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { isObject } from '../../../src/input/json.ts'
import browser from '../../fixtures/posthog-js-1.449.2.json'
import recorded from '../../fixtures/posthog-node-5.70.json'
import { gzip } from '../../support/capture.ts'
import { deep, seed, share } from '../../support/depth.ts'
import { type Described, readDocument } from '../../support/document.ts'
import { anything, createGenerator, text } from '../../support/generate.ts'
import { newProject, published, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const LONG = 240_000

/** Every line that the worker logs while a test runs. */
let lines: { level: string; message: string }[] = []

beforeEach(() => {
  lines = []
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  }
})

afterEach(() => {
  vi.restoreAllMocks()
})

const nested = fc
  .integer({ min: 1, max: 3_000 })
  .map((levels) => ({ raw: `${'['.repeat(levels)}${']'.repeat(levels)}` }))

/**
 * Returns a JSON document with the value at `path` replaced, or removed if there is no replacement. Each step of the path
 * chooses a member by its place, modulo the number of members. The path ends early at a value without members,
 * and an empty path means the whole document: in both cases a missing replacement counts as null.
 */
function mutate(document: Json, path: number[], replacement: Json | undefined): Json {
  const [step, ...rest] = path
  if (step === undefined || typeof document !== 'object' || document === null) {
    return replacement ?? null
  }
  const entries = Object.entries(document)
  const chosen = entries[step % Math.max(1, entries.length)]
  if (!chosen) {
    return replacement ?? null
  }
  const [, value] = chosen
  if (rest.length === 0 && replacement === undefined) {
    entries.splice(entries.indexOf(chosen), 1)
  } else {
    chosen[1] = mutate(value, rest, replacement)
  }
  if (Array.isArray(document)) {
    return entries.map(([, inner]) => inner)
  }
  return Object.fromEntries(entries)
}

const encodings = ['json', 'gzip', 'base64', 'form', 'gzip in form'] as const

async function encode(json: string, encoding: (typeof encodings)[number]): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(json)
  const base64 = (of: Uint8Array) =>
    btoa(Array.from(of, (byte) => String.fromCharCode(byte)).join(''))
  const encoded = (of: string) => new TextEncoder().encode(of)
  switch (encoding) {
    case 'json':
      return bytes
    case 'gzip':
      return gzip(json)
    case 'base64':
      return encoded(base64(bytes))
    case 'form':
      return encoded(`data=${encodeURIComponent(base64(bytes))}`)
    case 'gzip in form':
      // The `+` of base64 is not escaped: some clients send it so.
      return encoded(`data=${base64(await gzip(json))}`)
  }
}

const captured = fc.record({
  path: fc.constantFrom(
    '/batch/',
    '/e',
    '/i/v0/e/',
    '/capture',
    '/s/',
    '/flags/?v=2',
    '/decide?v=3'
  ),
  query: fc.option(text, { freq: 4 }),
  shape: fc.constantFrom('envelope', 'array', 'event'),
  from: fc.nat(180),
  mutations: fc.array(
    fc.record({
      path: fc.array(fc.nat(60), { maxLength: 5 }),
      replacement: fc.option(anything, { nil: undefined })
    }),
    { maxLength: 3 }
  ),
  nested: fc.option(nested, { freq: 2 }),
  encoding: fc.constantFrom(...encodings),
  damage: fc.option(fc.record({ at: fc.nat(4_000), byte: fc.nat(255), cut: fc.boolean() }), {
    freq: 3
  }),
  contentType: fc.constantFrom(
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    ''
  )
})

type Captured = typeof captured extends fc.Arbitrary<infer T> ? T : never

const events = recorded.flatMap(({ body }) => body.batch as Json[])
const snapshots = browser.flatMap(({ url, json }) => (url === '/s/' ? (json as Json[]) : []))

async function send(project: TestProject, sent: Captured) {
  const some = sent.path === '/s/' ? snapshots : events.slice(sent.from, sent.from + 3)
  const batch = some.map((event) => (isObject(event) ? { ...event, token: project.token } : event))
  const shapes: Record<string, Json> = {
    envelope: { api_key: project.token, batch },
    array: batch,
    event: batch[0] ?? {}
  }
  const mutated = sent.mutations.reduce(
    (json, { path, replacement }) => mutate(json, path, replacement),
    shapes[sent.shape] ?? null
  )
  const json = sent.nested
    ? JSON.stringify(mutated).replace(/("properties":)\{/, `$1{"nested":${sent.nested.raw},`)
    : JSON.stringify(mutated)
  let bytes = await encode(json, sent.encoding)
  if (sent.damage) {
    const at = sent.damage.at % Math.max(1, bytes.length)
    if (sent.damage.cut) {
      bytes = bytes.slice(0, at)
    } else {
      bytes[at] = sent.damage.byte
    }
  }
  const separator = sent.path.includes('?') ? '&' : '?'
  const path =
    sent.query === null
      ? sent.path
      : `${sent.path}${separator}_=${encodeURIComponent(sent.query.toWellFormed())}`
  return request(
    'POST',
    path,
    sent.contentType ? { 'Content-Type': sent.contentType } : {},
    bytes as Uint8Array<ArrayBuffer>
  )
}

it(
  'mutated recorded traffic is accepted and processed without an error, or refused with a reason',
  async () => {
    const project = await newProject()
    const statuses = new Map<number, number>()
    for (const sent of fc.sample(captured, deep(5_000))) {
      const { status, body } = await send(project, sent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (![200, 400, 401, 413].includes(status)) {
        expect.fail(`seed ${seed}: ${status} for ${JSON.stringify(sent)}`)
      }
      if (status !== 200) {
        expect(Object.keys(body), `seed ${seed}: ${JSON.stringify(sent)}`).toEqual(
          expect.arrayContaining(['type', 'code', 'detail', 'attr'])
        )
      }
    }
    await untilQuiet()

    expect(statuses.get(200)).toBeGreaterThan(500 * share)
    expect(statuses.get(400)).toBeGreaterThan(500 * share)
    expect(
      lines.filter(
        ({ level, message }) => level === 'error' || message === 'queue message retried'
      ),
      `seed ${seed}`
    ).toEqual([])
  },
  LONG
)

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']

const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/**
 * Generates requests to one operation, with valid values, values at and just beyond a bound, and
 * any other values.
 */
function requestsTo(
  { template, method, parameters, requestBody }: Described,
  project: TestProject,
  valuesFor: (schema: Schema) => fc.Arbitrary<Json>
) {
  const mine = fc.constantFrom<Json>(project.id, '@current')
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, schema }) => {
      const values = name === 'project_id' ? mostly(mine, valuesFor(schema)) : valuesFor(schema)
      return values.map((value) => [`{${name}}`, asText(value)] as const)
    })
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) =>
      fc
        .tuple(
          mostly(fc.constant(name), fc.constantFrom(`${name}[]`, `${name}[0][key]`)),
          valuesFor(schema)
        )
        .map(([as, value]) =>
          (Array.isArray(value) ? value : [value]).map((one) => [as, asText(one)] as const)
        )
    )
  const [content] = Object.values(requestBody?.content ?? {})
  const json = valuesFor(content?.schema ?? {}).map((value) => JSON.stringify(value))
  const brokenJson = fc.oneof(
    text,
    nested.map(({ raw }) => raw),
    json.map((whole) => whole.slice(0, -1))
  )
  return fc.record({
    template: fc.constant(template),
    prefix: fc.constantFrom('/environments/', '/projects/'),
    slash: fc.constantFrom('', '/'),
    method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
    path: fc.tuple(...path),
    query: fc.array(
      fc.oneof(
        ...query,
        fc.tuple(text, text).map((pair) => [pair])
      ),
      { maxLength: 5 }
    ),
    body: content ? mostly(json, brokenJson) : mostly(fc.constant(''), json),
    headers: fc.record(
      {
        Authorization: mostly(
          fc.constant(`Bearer ${project.key}`),
          fc.constantFrom('', 'Bearer', 'Bearer phx_x', 'Basic eDp5')
        ),
        Accept: fc.constantFrom('application/json', 'text/csv', '*/*', 'text/html'),
        'Content-Type': mostly(
          fc.constant('application/json'),
          fc.constantFrom('', 'text/plain', 'text/csv', 'x')
        ),
        Prefer: fc.constantFrom('return=minimal', 'return=representation', ','),
        'x-d1-bookmark': fc.constantFrom(
          '',
          'DB.0',
          'DB.00000042-feed',
          'DB_TWO.00000001-00000002-0',
          'x'
        ),
        'Idempotency-Key': fc.constantFrom('', 'once', 'x'.repeat(5_000))
      },
      { requiredKeys: ['Authorization', 'Content-Type'] }
    )
  })
}

type Asked = ReturnType<typeof requestsTo> extends fc.Arbitrary<infer T> ? T : never

/**
 * Sends a request.
 * @throws if the answer is not documented; answers to HEAD requests are not checked
 */
function ask({ template, prefix, slash, method, path, query, body, headers }: Asked) {
  const inUrl = (part: string) => encodeURIComponent(part.toWellFormed())
  const parameters = query.flat().map(([name, value]) => `${inUrl(name)}=${inUrl(value)}`)
  const target = path.reduce(
    (url, [name, value]) => url.replace(name, () => inUrl(value)),
    template
  )
  const url = `${target.replace('/environments/', prefix).replace(/\/$/, '')}${slash}?${parameters.join('&')}`
  const sent = body !== '' && !['GET', 'HEAD'].includes(method) ? body : undefined
  return request(method, url, headers, sent)
}

it(
  'odd requests to the operations of /openapi.json get a documented answer, never a 500',
  async () => {
    const project = await newProject()
    const people = Array.from({ length: 40 }, (_, n) => ({
      distinct_id: `user-${n}`,
      event: '$identify',
      properties: { $set: { email: `user-${n}@example.com`, seen: '2026-01-01', seats: n } }
    }))
    await project.ingest(people)
    const { results } = (await project.call('GET', 'persons/')).body
    const names = people.flatMap(({ distinct_id, event, properties }) => [
      distinct_id,
      event,
      ...Object.keys(properties.$set)
    ])
    const known = [
      project.token,
      ...names,
      ...results.flatMap(({ id, uuid }: { id: number; uuid: string }) => [id, uuid])
    ]
    const { operations, schemas } = readDocument(published)
    const valuesFor = createGenerator(schemas, known)
    const requests = operations.map((operation) => ({
      weight: 1 + operation.parameters.length + (operation.requestBody ? 5 : 0),
      arbitrary: requestsTo(operation, project, valuesFor)
    }))
    const tryOut = async (asked: Asked) => {
      const { status } = await ask(asked)
      expect(status, JSON.stringify(asked)).toBeLessThan(500)
    }

    // Requests the path of each operation at least once; then random operations, preferably those with many inputs.
    const first = fc.tuple(...requests.map(({ arbitrary }) => arbitrary))
    const rest = fc.oneof(...requests)
    await fc.assert(
      fc.asyncProperty(first, async (each) => {
        for (const asked of each) {
          await tryOut(asked)
        }
      }),
      deep(10)
    )
    await fc.assert(fc.asyncProperty(rest, tryOut), deep(4_500))

    expect(
      lines.filter(({ level }) => level === 'error'),
      `seed ${seed}`
    ).toEqual([])
  },
  LONG
)
