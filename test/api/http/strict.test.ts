import { afterAll, describe, expect, it } from 'vitest'
import { createKey } from '../../../src/access/store.ts'
import { HARMLESS } from '../../../src/input/harmless.ts'
import { type Described, readDocument } from '../../support/document.ts'
import { db, newProject, published, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { UNKNOWN } from '../../support/routes.ts'

/** Whether an operation accepts any parameter: it is for SDKs, or a page to whose link other programs add parameters. */
const isLenient = ({ tags, operationId }: Described): boolean =>
  tags.includes('Capture') ||
  tags.includes('For SDKs') ||
  [
    'unsubscribe_page',
    'unsubscribe',
    'subscription_chart',
    'subscription_page',
    'home',
    'docs',
    'shared',
    'embedded'
  ].includes(operationId)

const { operations } = readDocument(published)
const strict = operations
  .filter((operation) => !isLenient(operation))
  .map((operation) => [`${operation.method} ${operation.template}`, operation] as const)

const parametersOf = ({ parameters }: Described) =>
  parameters.filter((parameter) => parameter.in === 'query')

const project = await newProject()
const stranger = await newProject()

afterAll(untilQuiet)

/** Returns a key for a request: a new one for the operation that revokes it. */
const keyFor = async ({ operationId }: Described): Promise<string> => {
  if (operationId !== 'personal_api_keys_current_destroy') {
    return project.key
  }
  const input = { label: 'test', scopes: ['*'], projectIds: [project.id], userId: project.user.id }
  return (await createKey(db, input, new Date())).key
}

const ask = async (operation: Described, query: string) => {
  const { method, template } = operation
  return request(
    method,
    `${template.replace('{project_id}', String(project.id)).replace(/\{\w+\}/, String(UNKNOWN))}?${query}`,
    { Authorization: `Bearer ${await keyFor(operation)}`, 'Content-Type': 'application/json' },
    method === 'POST' || method === 'PATCH' ? '{}' : undefined
  )
}

/** `email` → `ewmail` */
const misspell = (name: string): string => `${name.slice(0, 1)}w${name.slice(1)}`

it('there are strict and lenient operations', () => {
  expect(strict.length).toBeGreaterThan(40)
  expect(strict.length).toBeLessThan(operations.length)
})

describe.each(strict)('%s', (_, operation) => {
  it('refuses a parameter that it does not have', async () => {
    const { status, body } = await ask(operation, 'surely_unknown=1')

    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_input',
        detail: '"surely_unknown" is not a parameter of this operation.',
        attr: 'surely_unknown'
      }
    ])
  })

  it('suggests the parameter that was probably meant', async () => {
    for (const { name } of parametersOf(operation).filter(({ name }) => name.length > 2)) {
      const wrong = misspell(name)

      const { status, body } = await ask(operation, `${encodeURIComponent(wrong)}=1`)

      expect([status, body.attr]).toEqual([400, wrong])
      expect(body.detail).toContain(`"${wrong}" is not a parameter`)
      expect(body.detail).toContain(`did you mean "${name}"?`)
    }
  })

  it('refuses a second value of a parameter that is not a list', async () => {
    const single = parametersOf(operation).filter(({ schema }) => schema.type !== 'array')
    for (const { name } of single) {
      const written = encodeURIComponent(name)

      const { status, body } = await ask(operation, `${written}=1&${written}=2`)

      expect([status, body.attr]).toEqual([400, name])
      expect(body.detail).toContain('more than once')
    }
  })

  it('ignores parameters that clients add', async () => {
    const own = parametersOf(operation).map(({ name }) => name)
    const added = Object.keys(HARMLESS).filter((name) => !own.includes(name))
    const query = added.map((name) => `${name}=1&${name}=2`).join('&')

    const [bare, full] = [await ask(operation, ''), await ask(operation, query)]

    const outcome = ({ status, body }: typeof bare) => [status, body?.code, body?.attr]
    expect(outcome(full)).toEqual(outcome(bare))
  })

  it('refuses a format that it does not have', async () => {
    const { status, body } = await ask(operation, 'format=xml')

    expect([status, body.attr]).toEqual([400, 'format'])
  })

  it('refuses CSV unless it offers CSV, and accepts JSON', async () => {
    const hasCsv = parametersOf(operation).some(
      ({ name, schema }) => name === 'format' && schema.enum?.includes('csv')
    )
    const [csv, json] = [await ask(operation, 'format=csv'), await ask(operation, 'format=json')]

    expect(csv.status === 400 && csv.body.attr === 'format').toBe(!hasCsv)
    expect(json.body?.attr).not.toBe('format')
  })
})

describe('an unknown parameter', () => {
  it.each([
    [401, {}],
    [401, { Authorization: 'Bearer phx_unknown' }],
    [404, { Authorization: `Bearer ${stranger.key}` }]
  ])('does not replace a %i: headers %j', async (expected, headers: Record<string, string>) => {
    for (const path of ['persons/', 'subscriptions/']) {
      const { status } = await request(
        'GET',
        `/api/projects/${project.id}/${path}?unknown=1`,
        headers
      )

      expect(status).toBe(expected)
    }
  })

  it('is accepted by the endpoints of SDKs', async () => {
    const event = { api_key: project.token, event: 'seen', distinct_id: 'ada' }

    const { status } = await request('POST', '/e/?foo=1&foo=2', {}, JSON.stringify(event))

    expect(status).toBe(200)
  })

  it('is refused before the request has any effect', async () => {
    await project.ingest([{ distinct_id: 'bob', event: '$identify', properties: { $set: {} } }])
    const [bob] = (await project.call('GET', 'persons/?distinct_id=bob')).body.results

    const { status } = await project.call('DELETE', `persons/${bob.id}/?delete_event=true`)

    expect(status).toBe(400)
    expect((await project.call('GET', `persons/${bob.id}/`)).status).toBe(200)
  })
})
