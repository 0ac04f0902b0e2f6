import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Open connections get this long to have their last request answered. */
const LAST_ANSWERS_MS = 3000
/** A connection on which nothing moves for this long after an answer has no request under way. */
const IDLE_MS = 250

type Connection = { client: Socket; awaitsAnswer: boolean; movedAt: number }

/**
 * Owns the public port: connections are passed on, byte for byte, to the port that `upstream` tells, and wait until it
 * does. So the port is taken before the worker starts, and can be closed while the worker still works off its queues.
 * @throws the error of listening: EADDRINUSE, EACCES
 */
export async function openFront(port: number, upstream: Promise<number>) {
  const connections = new Set<Connection>()

  const server = createServer({ allowHalfOpen: true }, async (client) => {
    const connection = { client, awaitsAnswer: false, movedAt: Date.now() }
    connections.add(connection)
    client.on('error', () => client.destroy())
    client.on('close', () => connections.delete(connection))

    const worker = connect({ port: await upstream, host: '127.0.0.1', allowHalfOpen: true })
    worker.on('error', () => client.destroy())
    worker.on('close', () => client.destroySoon())
    client.on('close', () => worker.destroy())
    client.on('data', () => Object.assign(connection, { awaitsAnswer: true, movedAt: Date.now() }))
    worker.on('data', () => Object.assign(connection, { awaitsAnswer: false, movedAt: Date.now() }))
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
      for (const deadline = Date.now() + LAST_ANSWERS_MS; connections.size > 0; await sleep(50)) {
        const late = Date.now() > deadline
        for (const { client, awaitsAnswer, movedAt } of connections) {
          if (late || (!awaitsAnswer && Date.now() - movedAt > IDLE_MS)) {
            client.destroy()
          }
        }
      }
    }
  }
}
