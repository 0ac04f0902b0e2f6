import { once } from 'node:events'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

type Answer = { status: number; result?: unknown; error?: { code: number; message: string } }

const Named = z.object({ name: z.string() })
const NewQueue = z.object({ queue_name: z.string() })

/** As much of Cloudflare's API as a deployment calls: an empty account that keeps what is created in it. */
export async function startCloudflare() {
  const databases: { name: string; uuid: string }[] = []
  const queues: { queue_name: string; queue_id: string; producers: []; consumers: [] }[] = []
  const buckets: string[] = []
  const secrets: { name: string | undefined; type: string }[] = []
  const changes: { call: string; body: string }[] = []
  const settings = { accounts: ['Shop'], failing: '' }

  const ok = (result: unknown): Answer => ({ status: 200, result })
  const missing = (code: number): Answer => ({ status: 404, error: { code, message: 'not found' } })

  const answer = (call: string, name: string | null, body: string): Answer => {
    const id = call.split('/').at(-1) ?? ''
    if (settings.failing && call.includes(settings.failing)) {
      return { status: 400, error: { code: 7500, message: 'near "TABEL": syntax error' } }
    }
    const accounts = settings.accounts.map((account) => ({
      id: account.toLowerCase(),
      name: account
    }))
    if (call === 'GET accounts') {
      return ok(accounts)
    }
    if (call === 'GET memberships') {
      return ok(accounts.map((account) => ({ id: account.id, account })))
    }
    if (call === 'GET user') {
      return ok({ id: 'u', email: 'ops@example.com' })
    }
    if (call === 'GET user/tokens/verify') {
      return ok({ id: 't', status: 'active' })
    }
    if (call === 'POST d1/database') {
      databases.push({ name: Named.parse(JSON.parse(body)).name, uuid: crypto.randomUUID() })
      return ok(databases.at(-1))
    }
    if (call.startsWith('GET d1/database/') && !call.includes('time_travel')) {
      const found = databases.find((database) => database.name === id || database.uuid === id)
      return found
        ? ok({ ...found, version: 'production', num_tables: 0, file_size: 0 })
        : missing(7404)
    }
    if (call.includes('time_travel/bookmark')) {
      return ok({ bookmark: '00000042-feed' })
    }
    if (call.startsWith('POST d1/database/')) {
      return ok([{ results: [], success: true, meta: {} }])
    }
    if (call === 'POST queues') {
      const { queue_name } = NewQueue.parse(JSON.parse(body))
      queues.push({ queue_name, queue_id: `id-of-${queue_name}`, producers: [], consumers: [] })
      return ok(queues.at(-1))
    }
    if (call === 'GET queues') {
      return ok(queues.filter(({ queue_name }) => queue_name === name))
    }
    if (call.startsWith('POST queues/')) {
      return ok({})
    }
    if (call === 'POST r2/buckets') {
      buckets.push(Named.parse(JSON.parse(body)).name)
      return ok({})
    }
    if (call.startsWith('GET r2/buckets/')) {
      return buckets.includes(id) ? ok({ name: id, location: 'WEUR' }) : missing(10006)
    }
    if (call === 'GET workers/subdomain') {
      return ok({ subdomain: 'shop' })
    }
    if (call.endsWith('/assets-upload-session')) {
      return ok({ jwt: 'x', buckets: [] })
    }
    if (/^GET workers\/scripts\/[^/]+\/secrets$/.test(call)) {
      return secrets.length > 0 ? ok(secrets) : missing(10007)
    }
    if (call.startsWith('GET workers/services/') && secrets.length > 0) {
      return ok({
        id,
        default_environment: {
          environment: 'production',
          script: { last_deployed_from: 'wrangler' }
        }
      })
    }
    if (call.startsWith('GET workers/workers/')) {
      return ok({ id: 'w', subdomain: { enabled: true }, observability: {} })
    }
    for (const [, name] of body.matchAll(/"name":"(\w+)","type":"secret_text"/g)) {
      secrets.push({ name, type: 'secret_text' })
    }
    if (/^(PUT|POST|PATCH) workers\/scripts\//.test(call)) {
      return ok({
        id,
        deployment_id: 'd',
        startup_time_ms: 1,
        enabled: true,
        resources: { script: { etag: 'e' } }
      })
    }
    return missing(10007)
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('latin1')) {
      body += chunk
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const call = `${request.method} ${pathname.replace(/^\/(accounts\/[^/]+\/)?/, '')}`
    if (request.method !== 'GET') {
      changes.push({ call, body })
    }
    const { status, result = null, error } = answer(call, searchParams.get('name'), body)
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify({ success: !error, result, errors: error ? [error] : [], messages: [] })
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, changes, settings }
}
