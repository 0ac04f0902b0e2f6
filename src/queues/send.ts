/** Maximum number of messages that a queue accepts in one request. */
export const MESSAGES_AT_ONCE = 100

export type Sender<Body> = {
  sendBatch(messages: { body: Body }[], options?: { delaySeconds: number }): Promise<unknown>
}

/**
 * Sends any number of messages, 100 per request. If a request fails, the messages of the requests
 * before it have been sent.
 * @param options `delaySeconds`: seconds until a consumer gets the messages, at most 86,400
 */
export async function sendAll<Body>(
  queue: Sender<Body>,
  bodies: Body[],
  options?: { delaySeconds: number }
): Promise<void> {
  for (let at = 0; at < bodies.length; at += MESSAGES_AT_ONCE) {
    const messages = bodies.slice(at, at + MESSAGES_AT_ONCE).map((body) => ({ body }))
    await queue.sendBatch(messages, options)
  }
}
