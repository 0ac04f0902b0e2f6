import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readConfig } from '../../../scripts/config.ts'
import { openAccount } from '../../../scripts/deploy/account.ts'
import { planDeployment } from '../../../scripts/deploy/plan.ts'
import { wrangler } from '../../../scripts/wrangler.ts'
import { newStateDir } from '../../support/processes.ts'
import { closeServer, listen, readBody } from '../../support/requests.ts'

/** The API's answers by path: a status and a result. Other paths get a 500. */
const ANSWERS: Record<string, [status: number, result: unknown]> = {
  '/accounts/shop/r2/buckets/there': [200, { name: 'there' }],
  '/accounts/shop/r2/buckets/gone': [404, null],
  '/accounts/shop/queues?name=there': [200, [{ queue_name: 'there' }]],
  '/accounts/shop/queues?name=gone': [200, []],
  '/accounts/shop/r2/buckets/unclear': [200, undefined],
  '/accounts/shop/d1/database': [200, { name: 'made', uuid: crypto.randomUUID() }],
  '/accounts/shop/queues': [200, { queue_name: 'made' }],
  '/accounts/shop/r2/buckets': [200, {}]
}

type Asked = {
  method: string | undefined
  url: string
  token: string | undefined
  jurisdiction: string | string[] | undefined
  body: unknown
}

/** Opens an account in a fake of Cloudflare's API. @returns it with the requests that the API gets */
async function newAccount() {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    const body = (await readBody(request)).toString()
    asked.push({
      method,
      url,
      token: headers.authorization,
      jurisdiction: headers['cf-r2-jurisdiction'],
      body: body && JSON.parse(body)
    })
    const [status, result] = ANSWERS[url] ?? [500, null]
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ success: status === 200, result, errors: [], messages: [] }))
  })
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', `http://${await listen(server)}`)
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'token')
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'shop')
  vi.stubEnv('HOME', newStateDir())
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await closeServer(server)
  })
  return { account: await openAccount('shop'), asked }
}

it("finds an account's resources with one request each, and asks wrangler if the answer is inconclusive", async () => {
  const { account, asked } = await newAccount()
  const creation = { path: '', body: {} }
  const has = (path: string, info = ['no-such-command']) =>
    account.has({ path, creation, info, jurisdiction: 'eu' })

  expect(await has('r2/buckets/there')).toBe(true)
  expect(await has('r2/buckets/gone')).toBe(false)
  expect(await has('queues?name=there')).toBe(true)
  expect(await has('queues?name=gone')).toBe(false)
  expect(asked.map(({ token, jurisdiction }) => [token, jurisdiction])).toEqual(
    Array.from({ length: 4 }, () => ['Bearer token', 'eu'])
  )
  expect(await has('d1/database/unknown', ['--version'])).toBe(true)
  expect(await Promise.all([has('d1/database/unknown'), has('r2/buckets/unclear')])).toEqual([
    false,
    false
  ])
})

it('creates resources with the requests that wrangler makes, and leaves a failure to wrangler', async () => {
  const config = readConfig()
  const { create } = planDeployment({
    ...config,
    r2_buckets: config.r2_buckets.map((bucket) => ({ ...bucket, jurisdiction: 'eu' }))
  })
  const { account, asked } = await newAccount()
  const kinds = create.filter(
    ({ run }, place) => create.findIndex((other) => other.run[0] === run[0]) === place
  )
  expect(kinds.map(({ run }) => run[0])).toEqual(['d1', 'queues', 'r2'])

  for (const { resource, run } of kinds) {
    expect(await account.create(resource)).toBe(true)
    const [ours] = asked.splice(0)
    expect(await wrangler(run)).toMatchObject({ code: 0 })
    expect(asked.splice(0).filter(({ method }) => method === 'POST')).toEqual([ours])
  }

  const refused = { path: 'no/such/path', creation: { path: 'no/such/path', body: {} }, info: [] }
  expect(await account.create(refused)).toBe(false)
})
