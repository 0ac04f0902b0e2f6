import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { newUsage } from '../db/client.ts'
import { log } from '../log.ts'
import { noteRequest } from '../turns.ts'
import type { AppEnv } from './env.ts'

/** Sets time, id and usage, and logs one line per request, without personal data. */
export const startRequest = (clock: () => Date): MiddlewareHandler<AppEnv> =>
  async function startRequest(c, next) {
    noteRequest()
    const started = clock()
    c.set('now', started)
    c.set('requestId', crypto.randomUUID())
    c.set('usage', newUsage())

    await next()

    // `c.header` would copy the finished response.
    c.res.headers.set('X-Request-Id', c.get('requestId'))
    const line = {
      request_id: c.get('requestId'),
      method: c.req.method,
      // The pattern of the last matched route: the path itself may contain a secret.
      route: routePath(c, -1),
      status: c.res.status
    }
    const finish = () =>
      log('info', 'request', {
        ...line,
        ms: clock().getTime() - started.getTime(),
        project: c.get('projectId') ?? null,
        key: c.get('keyId') ?? null,
        longest_ms: c.get('usage').longestMs,
        rows_read: c.get('usage').rowsRead,
        rows_written: c.get('usage').rowsWritten
      })
    // A streamed response is still being sent when `next` returns.
    if (c.var.streamed) {
      c.executionCtx.waitUntil(c.var.streamed.then(finish))
    } else {
      finish()
    }
  }
