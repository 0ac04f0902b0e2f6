import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SCOPES } from '../../../src/access/scopes.ts'
import { createApp } from '../../../src/app.ts'
import { createDocument } from '../../../src/http/document.ts'
import { createRouter } from '../../../src/http/env.ts'
import type { Json } from '../../../src/input/json.ts'
import { OPERATORS } from '../../../src/properties/filter.ts'
import { readFilters } from '../../../src/properties/read-filters.ts'
import { createChecker, Document, errorsOf } from '../../support/document.ts'

const contract = join(import.meta.dirname, '../../../docs/openapi.json')

const newApp = () =>
  createApp(
    () => new Date(),
    () => ({ consuming: 0, retrying: 0 })
  )
const publish = async (path = '/openapi.json', bindings: Partial<Env> = {}) =>
  (await newApp().request(path, {}, bindings)).text()

const text = await publish()
const published = JSON.parse(text)
const { paths, components } = Document.parse(published)
const { check } = createChecker(published)
const wrongWith = (schema: string | Schema, value: unknown) =>
  errorsOf(
    typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : schema,
    components.schemas,
    value
  )
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path}`,
    ...operation
  }))
)

it('groups the operations as the README does', () => {
  const readme = readFileSync(join(contract, '../../README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, name]) => name)

  expect(
    z
      .object({ tags: z.array(z.object({ name: z.string() })) })
      .parse(published)
      .tags.map(({ name }) => name)
  ).toEqual(rows)
})

it('ends its introduction with the ignored parameters and fields', () => {
  const [last] = published.info.description.split('\n\n').slice(-1)

  expect(last).toMatch(/^\| Ignored \| Reason \|/)
})

it('lists schemas by name, in whatever order their modules are loaded', () => {
  const names = Object.keys(components.schemas)

  expect(names).toEqual(names.toSorted())
})

/** Rules of the linter that do not apply, and why. */
const EXCEPTIONS = {
  // The owner has not chosen a license yet.
  'info-license': 'off',
  // PostHog's paths end with a slash.
  'no-path-trailing-slash': 'off',
  // The link to a recording only redirects.
  'operation-2xx-response': 'off',
  // /docs refuses nothing.
  'operation-4xx-response': 'off'
} as const

describe.each([
  ['3.1', '/openapi.json', {}],
  // Its parameters of JSON have no schema for their text, so nothing refers to that of property filters.
  ['3.0', '/openapi-3.0.json', { 'no-unused-components': 'off' }]
] as const)('the document in OpenAPI %s', (version, path, exceptions) => {
  it('is valid', async () => {
    const validator = new Validator()

    const result = await validator.validate(JSON.parse(await publish(path)))

    expect(result).toEqual({ valid: true })
    expect(validator.version).toBe(version)
  })

  it('satisfies a linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { ...EXCEPTIONS, ...exceptions }
    })

    const problems = await lintFromString({
      source: await publish(path),
      absoluteRef: path,
      config
    })

    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  })

  it('would not satisfy the linter without the summary of an operation', async () => {
    const { paths, ...document } = JSON.parse(await publish(path))
    const { summary: _, ...operation } = paths['/livez'].get
    const source = JSON.stringify({ ...document, paths: { '/livez': { get: operation } } })
    const config = await createConfig({ extends: ['recommended-strict'], rules: EXCEPTIONS })

    const problems = await lintFromString({ source, absoluteRef: path, config })

    expect(problems.map(({ ruleId }) => ruleId)).toContain('operation-summary')
  })
})

describe('/openapi-3.0.json', () => {
  it('has schemas that their examples fulfil, including examples with nulls', async () => {
    const document = JSON.parse(await publish('/openapi-3.0.json'))
    const { DeletionTask, InsightFields } = document.components.schemas
    expect(DeletionTask.example.receipt).toBeNull()
    InsightFields.example = { ...InsightFields.example, interval: null }
    const config = await createConfig({ rules: { 'no-invalid-schema-examples': 'error' } })

    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: '/openapi-3.0.json',
      config
    })

    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  })

  it('has the operations of the other document, with nullable values', async () => {
    const old = JSON.parse(await publish('/openapi-3.0.json'))

    const idsOf = (document: typeof old) =>
      Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId)
      )
    expect(idsOf(old)).toEqual(idsOf(published))
    expect(old.components.schemas.Subscription.properties.until_date).toMatchObject({
      type: 'string',
      nullable: true
    })
  })
})

describe('operations whose body may be empty', () => {
  const preferring = (document: typeof published) =>
    Object.values(Document.parse(document).paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters }) => parameters.some(({ name }) => name === 'Prefer'))

  it('are these ten, and their texts say how to ask for an empty body', () => {
    const found = preferring(published)

    expect(found.map(({ operationId }) => operationId)).toEqual([
      'persons_activity',
      'persons_delete_property',
      'persons_split',
      'persons_properties_timeline',
      'insights_trend',
      'session_recordings_ai_filters',
      'session_recordings_ai_regex',
      'sessions_property_definitions',
      'sessions_values',
      'session_recordings_similar'
    ])
    for (const { responses } of found) {
      expect(responses['200']?.description).toMatch(/Empty with `Prefer: return=minimal`\.$/)
    }
  })

  it('say that the body is empty in a deployment that sets EMPTY_BODIES', async () => {
    const found = preferring(
      JSON.parse(await publish('/openapi.json', { EMPTY_BODIES: 'documented' }))
    )

    expect(found.length).toBe(10)
    for (const { responses } of found) {
      expect(responses['200']?.description).toMatch(
        /Empty in this deployment, unless the request has `Prefer: return=representation`\.$/
      )
    }
  })
})

describe('/openapi.json', () => {
  it('is the same every time', async () => {
    expect(await publish()).toBe(text)
  })

  it('is docs/openapi.json: `npm run openapi` writes it after a change', () => {
    expect(JSON.parse(readFileSync(contract, 'utf8'))).toEqual(published)
  })

  it('cannot contain a route without a description', () => {
    const router = createRouter().get('/new', (c) => c.text('new'))

    expect(() => createDocument(router.routes, {}, [])).toThrow('GET /new is not described.')
  })

  it('has every route of the API once', () => {
    const routes = newApp().routes.filter(
      ({ method, path }) => method !== 'ALL' && !/^\/api\/projects(\/|$)/.test(path)
    )
    const named = routes.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))

    expect(new Set(Object.keys(paths).map((path) => path.replace(/(?<=.)\/$/, '')))).toEqual(
      new Set(named)
    )
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  })

  it('names only scopes that keys can have', () => {
    const named = operations.flatMap(({ security }) =>
      security.flatMap(({ apiKey = [] }) => apiKey)
    )

    expect(named.length).toBeGreaterThan(1)
    expect(SCOPES).toEqual(expect.arrayContaining(named))
  })

  it('lists all filters of persons', () => {
    const list = operations.find(
      ({ route }) => route === 'GET /api/environments/{project_id}/persons/'
    )

    expect(list).toMatchObject({
      operationId: 'persons_list',
      security: [{ apiKey: ['person:read'] }]
    })
    expect(list?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).toEqual([
      'path project_id',
      'query limit',
      'query offset',
      'query cursor',
      'query format',
      'query bom',
      'query distinct_id',
      'query email',
      'query search',
      'query cohort',
      'query properties'
    ])
    expect(Object.keys(list?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '429',
      '500',
      '503'
    ])
    expect(Object.keys(list?.responses['200']?.content ?? {})).toEqual([
      'application/json',
      'text/csv'
    ])
  })

  it('explains every operator of property filters', () => {
    const [{ description = '' } = {}] = operations.flatMap(({ parameters }) =>
      parameters.filter(({ name }) => name === 'properties')
    )
    const named = [...description.matchAll(/`(\w+)`/g)].map(([, name = '']) =>
      name.replace(/^_/, 'semver_')
    )

    expect(named).toEqual(expect.arrayContaining([...OPERATORS]))
  })
})

describe.each(operations)('$route', ({ parameters, requestBody, responses }) => {
  const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
    Object.values(part?.content ?? {})
  )

  it('describes each of its parameters', () => {
    expect(parameters.filter(({ description }) => description === '')).toEqual([])
  })

  it('has `items` only in lists', () => {
    const others = parameters.filter(({ schema }) => schema.items && schema.type !== 'array')

    expect(others).toEqual([])
  })

  it('has an example of a body and of a successful answer', () => {
    const { 200: ok, 201: created } = responses
    const shown = [requestBody, ok ?? created].map((part) => part?.content?.['application/json'])
    const named = shown.flatMap((content) => content?.schema.$ref?.split('/').at(-1) ?? [])
    const bare = shown.filter(
      (content) => content && !content.schema.$ref && Object.keys(content.examples).length === 0
    )
    const lacking = named.filter((name) => components.schemas[name]?.examples === undefined)

    // `OpenApi` is a document such as this one; `Recording` has an example of the fields of `SharedRecording`.
    expect(lacking.filter((name) => !['OpenApi', 'SharedRecording'].includes(name))).toEqual([])
    expect(bare).toEqual([])
  })

  it('has examples that fulfil its schemas', () => {
    const wrong = contents.flatMap(({ schema, examples }) =>
      Object.values(examples).flatMap(({ value }) => wrongWith(schema, value))
    )

    expect(wrong).toEqual([])
  })
})

describe.each(Object.entries(components.schemas))('the schema %s', (_, schema) => {
  it('has examples that fulfil it', () => {
    const { examples = [] } = z.object({ examples: z.array(z.unknown()).optional() }).parse(schema)

    expect(examples.flatMap((example) => wrongWith(schema, example))).toEqual([])
  })
})

describe('the schemas of a subscription that is created or changed', () => {
  it('describe each field', () => {
    const { SubscriptionInput, SubscriptionChange } = components.schemas
    const fields = [SubscriptionInput, SubscriptionChange].flatMap((schema) =>
      Object.entries(schema?.properties ?? {})
    )
    const isBare = (field: Schema | boolean) => typeof field === 'boolean' || !field.description

    expect(fields.length).toBeGreaterThan(20)
    expect(fields.filter(([, field]) => isBare(field))).toEqual([])
  })
})

describe('the schema of property filters', () => {
  const isRead = (filters: Json) => {
    try {
      return Boolean(readFilters(filters, { timezone: 'UTC', now: new Date(0) }))
    } catch {
      return false
    }
  }
  const filter = { key: 'plan', value: 'pro' }

  it.each<Json>([
    filter,
    [],
    [filter],
    [{ ...filter, operator: 'icontains', type: 'person' }],
    [{ key: 'plan', value: ['pro', 5, true], operator: 'is_not' }],
    [{ key: 'plan', operator: 'is_set' }],
    [{ key: 'plan', operator: 'is_not_set', value: null }],
    { type: 'OR', values: [] },
    { type: 'OR', values: [filter, { type: 'AND', values: [filter, { values: [filter] }] }] },
    [{ type: 'OR', values: [filter] }, filter]
  ])('allows valid filters: %j', (filters) => {
    expect([isRead(filters), wrongWith('PropertyFilters', filters)]).toEqual([true, []])
  })

  it.each(['event', 'person', 'session', 'cohort', 'recording', 'event_metadata'])(
    'allows filters of the type %s, which some operations take',
    (type) => {
      expect(wrongWith('PropertyFilters', [{ ...filter, type }])).toEqual([])
    }
  )

  it.each<Json>([
    null,
    'plan',
    [['plan']],
    { value: 'pro' },
    [{ ...filter, key: '' }],
    [{ ...filter, key: 'k'.repeat(401) }],
    [{ ...filter, key: 1 }],
    [{ ...filter, operator: 'like' }],
    [{ ...filter, type: 'group' }],
    [{ ...filter, value: { a: 1 } }],
    [{ ...filter, value: [['pro']] }],
    [{ ...filter, value: new Array(1_001).fill('pro') }],
    [{ ...filter, value: 'v'.repeat(10_001) }],
    { type: 'NOR', values: [] },
    { type: 'OR', values: filter }
  ])('refuses invalid filters: %j', (filters) => {
    expect([isRead(filters), wrongWith('PropertyFilters', filters).length > 0]).toEqual([
      false,
      true
    ])
  })
})

describe('the schema of capture requests', () => {
  it.each(['posthog-node-5.70', 'posthog-js-1.300.0', 'posthog-js-1.449.2'])(
    'allows the requests of %s',
    (sdk) => {
      const file = join(import.meta.dirname, `../../fixtures/${sdk}.json`)
      const recorded = z
        .array(
          z
            .object({ path: z.string(), body: z.unknown() })
            .or(z.object({ url: z.string(), json: z.unknown().optional() }))
        )
        .parse(JSON.parse(readFileSync(file, 'utf8')))
      const requests = recorded.map((one) =>
        'path' in one ? one : { path: one.url, body: one.json }
      )
      const sent = requests.filter(({ path }) => /^\/(batch|e|i\/v0\/e)\//.test(path))

      expect(sent.length).toBeGreaterThan(0)
      expect(sent.flatMap(({ body }) => wrongWith('Capture', body))).toEqual([])
      const recordings = requests.filter(({ path }) => path.startsWith('/s/'))
      expect(recordings).toHaveLength(sdk.startsWith('posthog-js') ? 3 : 0)
      expect(recordings.flatMap(({ body }) => wrongWith('Snapshots', body))).toEqual([])
    }
  )
})

describe('the check of every answer', () => {
  const json = new Headers({ 'Content-Type': 'application/json' })
  const person = {
    id: 1,
    name: 'ada',
    distinct_ids: ['ada'],
    properties: {},
    created_at: '2026-11-21T12:00:00Z',
    uuid: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
  }
  const page = { count: 1, next: null, previous: null, results: [person] }
  const error = { type: 'validation_error', code: 'invalid_input', detail: 'Wrong.', attr: null }

  it.each([
    ['/api/environments/1/persons/', 200, page],
    ['/api/projects/@current/persons', 200, page],
    ['/api/environments/1/persons/7', 200, person],
    ['/api/environments/1/persons/', 400, error],
    ['/nowhere', 404, { ...error, type: 'invalid_request', code: 'not_found' }]
  ])('accepts a documented answer: %s %i', (path, status, body) => {
    expect(check('GET', path, { status, headers: json, body })).toEqual([])
  })

  it.each([
    ['a field that is missing', 200, { next: null, previous: null, results: [] }],
    ['a field too many', 200, { ...page, total: 1 }],
    [
      'a field too many deep inside',
      200,
      { ...page, results: [{ ...person, is_identified: true }] }
    ],
    ['a field of a wrong type', 200, { ...page, results: [{ ...person, id: '1' }] }],
    ['an invalid date-time', 200, { ...page, results: [{ ...person, created_at: 'yesterday' }] }],
    ['a status that is not documented', 418, error],
    ['a code that does not belong to the status', 400, { ...error, code: 'not_found' }],
    ['an error without its envelope', 400, { error: 'Wrong.' }],
    ['a body of null', 200, null]
  ])('fails %s', (_, status, body) => {
    expect(
      check('GET', '/api/environments/1/persons', { status, headers: json, body })
    ).not.toEqual([])
  })

  it('fails an undocumented content type', () => {
    const headers = new Headers({ 'Content-Type': 'text/html; charset=utf-8' })

    expect(
      check('GET', '/api/environments/1/persons', { status: 200, headers, body: null })
    ).not.toEqual([])
  })

  it.each([
    ['GET', '/api/environments/1/persons', 200],
    ['PATCH', '/api/environments/1/persons/7', 200],
    ['DELETE', '/api/environments/1/persons/7', 404],
    ['POST', '/api/environments/1/insights/trend', 400]
  ])('fails an undocumented empty body: %s %s %i', (method, path, status) => {
    const faults = check(method, path, { status, headers: new Headers(), body: null })

    expect(faults).toEqual([
      expect.stringMatching(`does not document an empty body with the status ${status}.$`)
    ])
  })

  it.each([
    ['DELETE', '/api/environments/1/persons/7', 204],
    ['POST', '/api/environments/1/insights/trend', 200]
  ])('accepts an empty body that is documented or preferred: %s %s %i', (method, path, status) => {
    expect(check(method, path, { status, headers: new Headers(), body: null })).toEqual([])
  })

  it('fails an error without its envelope on an unknown path', () => {
    expect(
      check('GET', '/nowhere', { status: 404, headers: json, body: { error: 'Wrong.' } })
    ).not.toEqual([])
  })
})
