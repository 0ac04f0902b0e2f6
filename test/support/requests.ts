import type { IncomingMessage } from 'node:http'

/** The body of a request to a server of the tests, as text. */
export async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  request.on('error', () => {})
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
  }
  return body
}
