import type { IncomingMessage } from 'node:http'

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
