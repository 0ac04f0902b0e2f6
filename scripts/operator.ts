import { randomBytes } from 'node:crypto'

/** Known only to this process: the runtime's port is open to every user of the machine. */
export const SECRET = randomBytes(32).toString('hex')

/**
 * The source of a worker that fires crons of the worker bound as `SERVICE`, and calls the bucket bound as `BUCKET`. Requests
 * need `SECRET`.
 *
 * `POST /cron`: the body is the event. `POST /bucket`: the body is a line with a call, then the content to put. The answer
 * to `get` is the content, with the object's other fields in the header `Object`; other answers are the result as JSON.
 */
export const WORKER = `export default {
  async fetch(request, env) {
    if (request.headers.get('Authorization') !== env.SECRET) {
      return new Response('Forbidden', { status: 403 })
    }
    const answer = new URL(request.url).pathname === '/cron' ? fireCron : callBucket
    try {
      return await answer(request, env)
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  }
}

async function fireCron(request, { SERVICE }) {
  const { cron, scheduledTime } = await request.json()
  const { outcome } = await SERVICE.scheduled({ cron, scheduledTime: new Date(scheduledTime) })
  return new Response(outcome)
}

async function callBucket(request, { BUCKET }) {
  const body = await request.bytes()
  const end = body.indexOf(10)
  const { method, target, options } = JSON.parse(new TextDecoder().decode(body.subarray(0, end)))
  if (method === 'put') {
    return Response.json(describe(await BUCKET.put(target, body.subarray(end + 1), options)))
  }
  if (method === 'list') {
    const page = await BUCKET.list(options)
    return Response.json({ ...page, objects: page.objects.map(describe) })
  }
  const result = await BUCKET[method](target)
  return result?.body
    ? new Response(result.body, { headers: { Object: encodeURIComponent(JSON.stringify(describe(result))) } })
    : Response.json(describe(result))
}

const describe = (object) =>
  object ? { key: object.key, size: object.size, etag: object.etag, uploaded: object.uploaded } : null
`

/** Sends a request to `WORKER`. */
export type Dispatch = (
  url: string,
  request: { method: string; headers: Record<string, string>; body: string | Uint8Array }
) => Promise<{
  ok: boolean
  headers: { get(name: string): string | null }
  text(): Promise<string>
  arrayBuffer(): Promise<ArrayBuffer>
}>

/**
 * Sends a request with the secret to `WORKER`, each on a connection of its own. The runtime closes an idle connection after
 * some seconds. A long SQLite statement keeps this process from noticing that, and the next request on it would fail.
 * @param path `/cron` or `/bucket`
 */
export const callOperator = (dispatch: Dispatch, path: string, body: string | Uint8Array) =>
  dispatch(`http://localhost${path}`, {
    method: 'POST',
    headers: { Authorization: SECRET, Connection: 'close' },
    body
  })

/** Fires a cron of the worker bound as `SERVICE`, and waits for it. @returns the outcome: `ok`, or the fault */
export async function runCron(
  dispatch: Dispatch,
  event: { cron: string; scheduledTime: Date }
): Promise<string> {
  return (await callOperator(dispatch, '/cron', JSON.stringify(event))).text()
}
