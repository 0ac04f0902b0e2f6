import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { closeServer, listen, readBody } from './requests.ts'

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** Number of requests so far, by path; only of paths that start with `/flaky`. */
type Counts = Map<string, number>

/**
 * Starts a local service that records requests. The path determines the answer:
 *
 * - `/received?at=/hook` returns the recorded requests whose URL starts with `/hook`.
 * - `/status/429?say=later&Retry-After=7` answers with this status, body and header.
 * - `/flaky/a?fail=2` answers 503 to the first two requests, then 200; `fail` defaults to 1.
 * - `MISBEHAVIOURS` lists the paths with faulty answers; all other paths answer `ok`.
 */
export async function startReceiver() {
  const received: Received[] = []
  const counts: Counts = new Map()
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const { pathname, searchParams } = new URL(url, 'http://receiver')
    if (pathname === '/received') {
      const matching = received.filter((one) => one.url.startsWith(searchParams.get('at') ?? ''))
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(matching))
    }
    const body = (await readBody(request)).toString()
    received.push({ method, url, headers, body })
    const status = /^\/status\/(\d{3})/.exec(pathname)?.[1]
    if (status) {
      return response
        .writeHead(Number(status), headersOf(searchParams))
        .end(searchParams.get('say') ?? '')
    }
    if (pathname.startsWith('/flaky')) {
      const before = counts.get(pathname) ?? 0
      counts.set(pathname, before + 1)
      return response.writeHead(before < Number(searchParams.get('fail') ?? 1) ? 503 : 200).end()
    }
    const found = MISBEHAVIOURS.find(({ prefix }) => pathname.startsWith(prefix))
    if (found) {
      return found.misbehave(response)
    }
    response.end('ok')
  })
  const host = await listen(server)
  return {
    host,
    url: `http://${host}`,
    received,
    close: () => closeServer(server)
  }
}

/** Sends an endless body, as fast as the client reads it. */
function sendEndlessly(response: ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536))) {}
  }
  response.on('drain', write)
  write()
}

/** Faulty answers by path prefix. No prefix starts with another one. */
const MISBEHAVIOURS: { prefix: string; misbehave: (response: ServerResponse) => void }[] = [
  { prefix: '/silent', misbehave: () => {} },
  { prefix: '/cut', misbehave: ({ req }) => req.socket.destroy() },
  { prefix: '/garbage', misbehave: ({ req }) => req.socket.end('what?\r\n\r\n') },
  {
    prefix: '/stalls',
    misbehave: (response) => response.writeHead(200, { 'Content-Length': '100' }).write('x')
  },
  { prefix: '/endless', misbehave: sendEndlessly }
]

/** Returns the response headers `Location` and `Retry-After`, if there are query parameters of these names. */
function headersOf(parameters: URLSearchParams): Record<string, string> {
  const names = ['Location', 'Retry-After'].filter((name) => parameters.has(name))
  return Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? '']))
}
