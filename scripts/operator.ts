import { randomBytes } from 'node:crypto'
import type { Bound } from '../src/db/client.ts'

/** Known only to this process: the runtime's port is open to every user of the machine. */
export const SECRET = randomBytes(32).toString('hex')

/**
 * A worker that runs a batch of statements on the D1 binding named in the path, or fires a cron of the worker bound as `SERVICE`.
 * A request needs `SECRET`.
 */
export const WORKER = `export default {
  async fetch(request, env) {
    if (request.headers.get('Authorization') !== env.SECRET) {
      return new Response('Forbidden', { status: 403 })
    }
    const name = new URL(request.url).pathname.slice(1)
    const body = await request.json()
    try {
      if (name === 'SERVICE') {
        const { outcome } = await env.SERVICE.scheduled({ ...body, scheduledTime: new Date(body.scheduledTime) })
        return new Response(outcome)
      }
      const statements = body.map(({ sql, params }) => env[name].prepare(sql).bind(...params))
      return Response.json(await env[name].batch(statements))
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  }
}`

/** Sends a request to `WORKER`. */
export type Dispatch = (
  url: string,
  request: { method: string; headers: { Authorization: string }; body: string }
) => Promise<{ ok: boolean; text(): Promise<string> }>

const post = (dispatch: Dispatch, binding: string, body: unknown) =>
  dispatch(`http://localhost/${binding}`, {
    method: 'POST',
    headers: { Authorization: SECRET },
    body: JSON.stringify(body)
  })

/** Fires a cron of the worker bound as `SERVICE`, and waits for it. @returns the outcome: `ok`, or the fault */
export async function runCron(
  dispatch: Dispatch,
  event: { cron: string; scheduledTime: Date }
): Promise<string> {
  return (await post(dispatch, 'SERVICE', event)).text()
}

/**
 * Returns a D1 database of a runtime that runs `WORKER`. A batch or a single statement is one
 * request. Miniflare's own bindings also make a request for each `prepare` and `bind`, which blocks
 * the whole process.
 */
export function openD1(dispatch: Dispatch, binding: string): D1Database {
  const batch = async (statements: Bound[]) => {
    const body = statements.map(({ sql, params }) => ({ sql, params }))
    const response = await post(dispatch, binding, body)
    const text = await response.text()
    if (!response.ok) {
      throw new Error(text)
    }
    return JSON.parse(text)
  }
  const statement = (sql: string, params: unknown[]) => {
    const all = async () => (await batch([{ sql, params }]))[0]
    return { sql, params, all, run: all, bind: (...values: unknown[]) => statement(sql, values) }
  }
  const session = { prepare: (sql: string) => statement(sql, []), batch, getBookmark: () => null }
  // Implements only the methods that sessions and `migrate` use.
  return { ...session, withSession: () => session } as unknown as D1Database
}
