import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Open connections get this long to have their last request answered. */
const LAST_ANSWERS_MS = 1500
/** A connection on which nothing moves for this long after an answer has no request under way. */
const IDLE_MS = 250

/** How long a new connection waits for a service that is being started again, and how often it is tried. */
const CONNECT_MS = 60_000
const CONNECT_PAUSE_MS = 100

type Connection = { client: Socket; awaitsAnswer: boolean; movedAt: number }

/**
 * Owns the public port: connections are passed on, byte for byte, to the port that `upstream` tells, and wait until it
 * does. So the port is taken before the service starts, stays taken when it is started again, and can be closed while the
 * service still works off its queues.
 * @throws the error of listening: EADDRINUSE, EACCES
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
    /** Takes no new connection, and ends the open ones as soon as their last request is answered. */
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

/** Returns a connection to the service, undefined when there is none in time or the client has gone. */
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
