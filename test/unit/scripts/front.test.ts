import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFront } from '../../../scripts/tcp-proxy.ts'

const service = createServer((request, answer) => answer.end(`${request.method} ${request.url}`))
let front: Awaited<ReturnType<typeof openFront>>

beforeAll(async () => {
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  front = await openFront(0, async () => port)
})

afterAll(async () => {
  await front.close()
  service.close()
})

/** Sends pieces of a request, each in a packet of its own, and returns the answer. */
async function send(...pieces: string[]): Promise<string> {
  const socket = connect({ port: front.port, host: '127.0.0.1' })
  socket.setNoDelay()
  const answer = text(socket)
  for (const piece of pieces) {
    await new Promise((done) => socket.write(piece, done))
  }
  return answer
}

const CLOSE = 'Connection: close\r\n\r\n'

it.each([
  ['a name', 'analytics.example'],
  ['a name with a port', 'localhost:8787'],
  ['an IPv4 address', '127.0.0.1:8787'],
  ['an IPv6 address', '[::1]:8787'],
  ['a name with an underscore and a final dot', 'my_service.internal.']
])('forwards a request to %s', async (_, host) => {
  expect(await send(`GET /path HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}`)).toContain('GET /path')
})

it('forwards a head that arrives in pieces, with the body behind it', async () => {
  const head = `POST /e HTTP/1.1\r\nContent-Length: 2\r\nhost: localhost\r\n${CLOSE}{}`

  expect(await send(...head)).toContain('POST /e')
})

it.each([
  ['evil;script-src'],
  ["evil'self'"],
  ['a b'],
  ['user@host'],
  ['a,b'],
  ['a/b'],
  ['host:99999'],
  ['[::g]'],
  ['-a'],
  ['%41'],
  ['é']
])('answers 400 to a Host that is none: %s', async (host) => {
  const answer = await send(`GET / HTTP/1.1\r\nHost: ${host}\r\n${CLOSE}`)

  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'parse_error' })
})

it('answers 400 to two Hosts, and to CONNECT', async () => {
  expect(await send(`GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n${CLOSE}`)).toMatch(/ 400 /)
  expect(await send('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n')).toMatch(
    / 400 /
  )
})
