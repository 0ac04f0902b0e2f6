import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string }

/** How often a path below `/flaky/` has been asked. */
type Counts = Map<string, number>

/**
 * Some other service, on a port of this machine, which also misbehaves; the path says how. `/received?at=/path` tells what
 * came to paths that begin so.
 */
export async function startReceiver() {
  const received: Received[] = []
  const counts: Counts = new Map()
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const { pathname, searchParams } = new URL(url, 'http://receiver')
    if (pathname === '/received') {
      const own = received.filter((one) => one.url.startsWith(searchParams.get('at') ?? ''))
      return response.setHeader('Content-Type', 'application/json').end(JSON.stringify(own))
    }
    let body = ''
    request.on('error', () => {})
    for await (const chunk of request.setEncoding('utf8')) {
      body += chunk
    }
    received.push({ method, url, headers, body })
    const status = /^\/status\/(\d{3})/.exec(pathname)?.[1]
    if (status) {
      return response
        .writeHead(Number(status), readHeaders(searchParams))
        .end(searchParams.get('say') ?? '')
    }
    if (pathname.startsWith('/flaky')) {
      const before = counts.get(pathname) ?? 0
      counts.set(pathname, before + 1)
      return response.writeHead(before < Number(searchParams.get('fail') ?? 1) ? 503 : 200).end()
    }
    if (pathname.startsWith('/silent')) {
      return
    }
    if (pathname.startsWith('/cut')) {
      return request.socket.destroy()
    }
    if (pathname.startsWith('/garbage')) {
      return request.socket.end('what?\r\n\r\n')
    }
    if (pathname.startsWith('/stalls')) {
      return void response.writeHead(200, { 'Content-Length': '100' }).write('x')
    }
    if (pathname.startsWith('/endless')) {
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      }
      response.on('drain', write)
      return write()
    }
    response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has no other kind of address.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    received,
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
}

function readHeaders(parameters: URLSearchParams): Record<string, string> {
  const names = ['Location', 'Retry-After'].filter((name) => parameters.has(name))
  return Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? '']))
}
