import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE } from '../src/calendar/units.ts'
import { isHost, NOT_A_HOST } from '../src/http/host.ts'

/** Time to wait for the last answers on open connections, ms. */
const LAST_ANSWERS_MS = 1500
/** Time without data, ms, after which an answer that has begun counts as complete. */
const IDLE_MS = 250

/** How long a new connection waits for a restarting service, and the pause between attempts, ms. */
const CONNECT_MS = MINUTE
const CONNECT_PAUSE_MS = 100

/** Pause between looks at the connections that are still open while the front closes, ms. */
const CLOSE_PAUSE_MS = 50

/** Bytes of a head that are read before it is forwarded, larger than any that the runtime accepts. */
const MAX_HEAD = 65_536
const HEAD_END = '\r\n\r\n'

type Connection = { client: Socket; awaitsAnswer: boolean; lastDataAt: number }

/**
 * Listens on the public port and forwards connections, byte for byte, to the port that `upstream`
 * resolves to; connections wait until it resolves. So the public port is taken before the service
 * starts, stays taken while the service restarts, and can be closed while the service drains its
 * queues.
 *
 * A connection that begins with `CONNECT`, or without a valid `Host`, is answered here: the runtime
 * would answer 500 before the service sees the request.
 * @throws EADDRINUSE, EACCES
 */
export async function openFront(port: number, upstream: () => Promise<number>) {
  const connections = new Set<Connection>()

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (client) => {
    const connection = { client, awaitsAnswer: false, lastDataAt: performance.now() }
    connections.add(connection)
    client.on('error', () => client.destroy())
    client.on('close', () => connections.delete(connection))

    const head = await peekHead(client)
    if (head === undefined) {
      client.destroy()
      return
    }
    const fault = faultOf(head)
    if (fault !== undefined) {
      client.end(refusalOf(fault))
      return
    }
    const service = await connectTo(upstream, client)
    if (!service) {
      client.destroy()
      return
    }
    service.on('error', () => client.destroy())
    service.on('close', () => client.destroySoon())
    client.on('close', () => service.destroy())
    client.on('data', () =>
      Object.assign(connection, { awaitsAnswer: true, lastDataAt: performance.now() })
    )
    service.on('data', () =>
      Object.assign(connection, { awaitsAnswer: false, lastDataAt: performance.now() })
    )
    client.pipe(service).pipe(client)
  })

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') {
    throw new Error('The server listens on no port.')
  }

  return {
    port: address.port,
    /**
     * Accepts no new connections, and closes each open connection as soon as its client waits for no
     * answer, at the latest after 1.5 seconds.
     */
    async close(): Promise<void> {
      server.close()
      const deadline = performance.now() + LAST_ANSWERS_MS
      while (connections.size > 0) {
        const now = performance.now()
        for (const { client, awaitsAnswer, lastDataAt } of connections) {
          const isIdle = !awaitsAnswer && now - lastDataAt > IDLE_MS
          if (isIdle || now > deadline) {
            client.destroy()
          }
        }
        await sleep(CLOSE_PAUSE_MS)
      }
    }
  }
}

/**
 * Waits for the head of a connection's first request, which stays in the socket.
 * @returns undefined if the connection ends before
 */
function peekHead(client: Socket): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let head = Buffer.alloc(0)
  const take = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    if (head.includes(HEAD_END) || head.length >= MAX_HEAD) {
      client.off('data', take).pause()
      client.unshift(head)
      resolve(head.toString('latin1').split(HEAD_END, 1)[0])
    }
  }
  client.on('data', take).once('end', resolve).once('close', resolve).resume()
  return promise
}

/** Returns why the runtime would refuse a request with this head before the service sees it, or undefined. */
function faultOf(head: string): string | undefined {
  const [line = '', ...fields] = head.split('\r\n')
  if (line.startsWith('CONNECT ')) {
    return 'This server is not a proxy.'
  }
  const hosts = fields
    .filter((field) => /^host:/i.test(field))
    .map((field) => field.slice('host:'.length).trim())
  return hosts.length > 1 || !hosts.every(isHost) ? NOT_A_HOST : undefined
}

function refusalOf(detail: string): string {
  const body = JSON.stringify({ type: 'invalid_request', code: 'parse_error', detail, attr: null })
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body
  ].join('\r\n')
}

/** Connects to the service. @returns undefined if this takes too long, or the client disconnects meanwhile */
async function connectTo(
  upstream: () => Promise<number>,
  client: Socket
): Promise<Socket | undefined> {
  const deadline = performance.now() + CONNECT_MS
  while (!client.destroyed && performance.now() < deadline) {
    const port = await Promise.race([upstream(), sleep(CONNECT_PAUSE_MS)])
    const service = port && (await tryConnect(port))
    if (service) {
      return service
    }
    await sleep(CONNECT_PAUSE_MS)
  }
  return undefined
}

function tryConnect(port: number): Promise<Socket | undefined> {
  const service = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  return new Promise((done) => {
    service.once('connect', () => done(service))
    service.once('error', () => done(undefined))
  })
}
