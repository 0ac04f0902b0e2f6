import type { Context } from 'hono'
import type { AppEnv } from './env.ts'

/** Streams texts as the body of a response, no faster than the client reads. */
export function streamTexts(c: Context<AppEnv>, texts: AsyncGenerator<string, void>): Response {
  if (c.req.method === 'HEAD') {
    return c.body(null)
  }
  const encoder = new TextEncoder()
  const { promise: streamed, resolve } = Promise.withResolvers<void>()
  // The request is logged when the stream has ended, however it ends.
  c.set('streamed', streamed)
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await texts.next()
        if (!done) {
          return controller.enqueue(encoder.encode(value))
        }
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      resolve()
    },
    async cancel() {
      await texts.return()
      resolve()
    }
  })
  return c.body(stream)
}
