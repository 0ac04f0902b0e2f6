import type { IncomingMessage } from 'node:http'

/**
 * Returns the body of a request to a server of the tests. When the client gives the request up, as a page that is closed
 * does, the promise stays open: there is nobody left to answer.
 */
export const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', () => {})
  })
