import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Reads the body of a request to a test server. If the client cancels, as a closed page does, the promise never settles, because
 * nobody is left to answer.
 */
export const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', () => {})
  })

/** Lets a test server listen on a free port of this machine. @returns its host with the port */
export async function listen(server: Server): Promise<string> {
  // A client that reuses an idle connection while the server closes it would lose its request.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port always has this kind of address.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Closes a test server, and the connections to it. */
export function closeServer(server: Server): void {
  server.closeAllConnections()
  server.close()
}
