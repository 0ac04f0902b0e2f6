import { createServer } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openAccount } from '../../../scripts/deploy/account.ts'
import { newStateDir } from '../../support/processes.ts'
import { closeServer, listen } from '../../support/requests.ts'

/** The API's answers by path: a status and a result. Other paths get a 500. */
const ANSWERS: Record<string, [status: number, result: unknown]> = {
  '/accounts/shop/r2/buckets/there': [200, { name: 'there' }],
  '/accounts/shop/r2/buckets/gone': [404, null],
  '/accounts/shop/queues?name=there': [200, [{ queue_name: 'there' }]],
  '/accounts/shop/queues?name=gone': [200, []],
  '/accounts/shop/r2/buckets/unclear': [200, undefined]
}

it("finds an account's resources with one request each, and asks wrangler if the answer is inconclusive", async () => {
  const asked: unknown[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push([headers.authorization, headers['cf-r2-jurisdiction']])
    const [status, result] = ANSWERS[url] ?? [500, null]
    response.writeHead(status).end(JSON.stringify({ result }))
  })
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', `http://${await listen(server)}`)
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'token')
  vi.stubEnv('HOME', newStateDir())
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await closeServer(server)
  })

  const account = await openAccount('shop')
  const has = (path: string, info = ['no-such-command']) =>
    account.has({ path, info, jurisdiction: 'eu' })

  expect(await has('r2/buckets/there')).toBe(true)
  expect(await has('r2/buckets/gone')).toBe(false)
  expect(await has('queues?name=there')).toBe(true)
  expect(await has('queues?name=gone')).toBe(false)
  expect(asked).toEqual(Array.from({ length: 4 }, () => ['Bearer token', 'eu']))
  expect(await has('d1/database/unknown', ['--version'])).toBe(true)
  expect(await Promise.all([has('d1/database/unknown'), has('r2/buckets/unclear')])).toEqual([
    false,
    false
  ])
})
