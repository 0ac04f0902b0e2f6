import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE } from '../src/calendar/units.ts'

/** Time to wait for the last answers on open connections, ms. */
const LAST_ANSWERS_MS = 1500
/** Idle time after an answer, ms, after which a connection counts as having no request in progress. */
const IDLE_MS = 250

/** How long a new connection waits for a restarting service, and the pause between attempts, ms. */
const CONNECT_MS = MINUTE
const CONNECT_PAUSE_MS = 100

type Connection = { client: Socket; awaitsAnswer: boolean; movedAt: number }

/**
 * Listens on the public port and forwards connections, byte for byte, to the port that `upstream`
 * resolves to; connections wait until it resolves. So the public port is taken before the service
 * starts, stays taken while the service restarts, and can be closed while the service drains its
 * queues.
 * @throws EADDRINUSE, EACCES
 */
export async function openFront(port: number, upstream: () => Promise<number>) {
  const connections = new Set<Connection>()

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, async (client) => {
    const connection = { client, awaitsAnswer: false, movedAt: performance.now() }
    connections.add(connection)
    client.on('error', () => client.destroy())
    client.on('close', () => connections.delete(connection))

    const worker = await connectTo(upstream, client)
    if (!worker) {
      client.destroy()
      return
    }
    worker.on('error', () => client.destroy())
    worker.on('close', () => client.destroySoon())
    client.on('close', () => worker.destroy())
    client.on('data', () =>
      Object.assign(connection, { awaitsAnswer: true, movedAt: performance.now() })
    )
    worker.on('data', () =>
      Object.assign(connection, { awaitsAnswer: false, movedAt: performance.now() })
    )
    client.pipe(worker).pipe(client)
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
     * Accepts no new connections, and closes each open connection once its last request is
     * answered.
     */
    async close(): Promise<void> {
      server.close()
      for (
        const deadline = performance.now() + LAST_ANSWERS_MS;
        connections.size > 0;
        await sleep(50)
      ) {
        const late = performance.now() > deadline
        for (const { client, awaitsAnswer, movedAt } of connections) {
          if (late || (!awaitsAnswer && performance.now() - movedAt > IDLE_MS)) {
            client.destroy()
          }
        }
      }
    }
  }
}

/** Connects to the service. @returns undefined when it takes too long or the client has disconnected */
async function connectTo(
  upstream: () => Promise<number>,
  client: Socket
): Promise<Socket | undefined> {
  const deadline = performance.now() + CONNECT_MS
  while (!client.destroyed && performance.now() < deadline) {
    const port = await Promise.race([upstream(), sleep(CONNECT_PAUSE_MS)])
    const worker = port && (await tryConnect(port))
    if (worker) {
      return worker
    }
    await sleep(CONNECT_PAUSE_MS)
  }
  return undefined
}

function tryConnect(port: number): Promise<Socket | undefined> {
  const worker = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  return new Promise((done) => {
    worker.once('connect', () => done(worker))
    worker.once('error', () => done(undefined))
  })
}
