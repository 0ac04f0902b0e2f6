import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { openBucket } from '../../../scripts/bucket.ts'
import { callOperator, type Dispatch, WORKER } from '../../../scripts/operator.ts'

const { default: worker } = await import(`data:text/javascript,${encodeURIComponent(WORKER)}`)

it('refuses requests without the secret, and fires crons for requests with it', async () => {
  const fired: unknown[] = []
  const scheduled = async (event: unknown) => {
    fired.push(event)
    return { outcome: 'ok' }
  }
  const ask = async (headers: Record<string, string>, path = '/cron') => {
    const body = JSON.stringify({ cron: '0 5 * * SUN', scheduledTime: '2026-11-22T05:00:00.000Z' })
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
    return (await worker.fetch(request, { SECRET: 'secret', SERVICE: { scheduled } })).status
  }

  expect([await ask({}), await ask({ Authorization: 'other' })]).toEqual([403, 403])
  expect(await ask({}, '/bucket')).toBe(403)
  expect(fired).toEqual([])
  expect(await ask({ Authorization: 'secret' })).toBe(200)
  expect(fired).toEqual([
    { cron: '0 5 * * SUN', scheduledTime: new Date('2026-11-22T05:00:00.000Z') }
  ])
})

it('puts objects into the bucket and gets them for requests with the secret', async () => {
  const object = {
    key: 'receipts/ü',
    size: 7,
    etag: 'e1',
    uploaded: new Date('2026-11-22T05:00:00.000Z')
  }
  const described = { ...object, uploaded: '2026-11-22T05:00:00.000Z' }
  const puts: unknown[] = []
  const BUCKET = {
    put: async (key: string, content: Uint8Array, options: unknown) => {
      puts.push([key, new TextDecoder().decode(content), options])
      return { ...object, version: '1' }
    },
    get: async (key: string) => (key === object.key ? { ...object, body: 'one\ntwo' } : null)
  }
  const ask = async (call: object, content = ''): Promise<Response> => {
    const headers = { Authorization: 'secret' }
    const body = `${JSON.stringify(call)}\n${content}`
    const request = new Request('http://localhost/bucket', { method: 'POST', headers, body })
    return worker.fetch(request, { SECRET: 'secret', BUCKET })
  }

  const options = { httpMetadata: { contentType: 'text/plain' } }
  const put = await ask({ method: 'put', target: object.key, options }, 'one\ntwo')
  const got = await ask({ method: 'get', target: object.key })
  const missing = await ask({ method: 'get', target: 'receipts/none' })

  expect(puts).toEqual([[object.key, 'one\ntwo', options]])
  expect(await put.json()).toEqual(described)
  expect(JSON.parse(decodeURIComponent(got.headers.get('Object') ?? ''))).toEqual(described)
  expect(await got.text()).toBe('one\ntwo')
  expect([missing.headers.get('Object'), await missing.json()]).toEqual([null, null])
})

/** Starts a server, and returns a function that sends requests to it as the simulator does, by Node's `fetch`. */
async function openServer(onConnection: (count: number) => 'answer' | 'break') {
  let connections = 0
  const server = createServer((_, response) => {
    if (onConnection(connections) === 'break') {
      response.socket?.destroy()
    } else {
      response.end('null')
    }
  }).on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const dispatch: Dispatch = (_, request) =>
    fetch(`http://127.0.0.1:${port}/`, { ...request, body: new Blob([request.body as string]) })
  return { dispatch, count: () => connections }
}

it('opens a connection for each request, because an idle one may be closed by the runtime', async () => {
  const { dispatch, count } = await openServer(() => 'answer')

  for (let call = 0; call < 3; call += 1) {
    await (await callOperator(dispatch, '/bucket', '')).text()
  }

  expect(count()).toBe(3)
})

it('repeats a call to the bucket whose connection breaks, except a put', async () => {
  const { dispatch, count } = await openServer((connection) =>
    connection === 2 ? 'answer' : 'break'
  )
  const bucket = openBucket(dispatch)

  expect(await bucket.head('a')).toBeNull()
  await expect(bucket.put('a', 'x')).rejects.toThrow('fetch failed')
  expect(count()).toBe(3)
})
