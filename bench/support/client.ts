import { Agent, type RequestOptions, request } from 'node:http'

/** Connections stay open, as with SDKs and API clients. There are enough that no request waits for another's. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export type Answer = {
  status: number
  text: string
  bytes: number
  ms: number
  /** The id in the service's line of log about the request; empty for the bare routes. */
  requestId: string
}

/** Sends one HTTP request; `ms` lasts from sending to the last byte of the answer. */
export function send(url: URL, options: RequestOptions = {}, body?: Buffer): Promise<Answer> {
  return new Promise((done, fail) => {
    const started = performance.now()
    const message = request(url.href, { agent, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        const ms = performance.now() - started
        const body = Buffer.concat(chunks)
        const { length: bytes } = body
        done({
          status: response.statusCode ?? 0,
          text: body.toString(),
          bytes,
          ms,
          requestId: String(response.headers['x-request-id'] ?? '')
        })
      })
    })
    message.on('error', fail)
    message.end(body)
  })
}

/** Like `send`. @throws for any status but 2xx */
export async function sendOk(
  url: URL,
  options: RequestOptions = {},
  body?: Buffer
): Promise<Answer> {
  const answer = await send(url, options, body)
  if (answer.status >= 300) {
    throw new Error(`${url.pathname} answered ${answer.status}: ${answer.text}`)
  }
  return answer
}
