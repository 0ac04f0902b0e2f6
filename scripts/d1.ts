import type { Bound } from '../src/db/client.ts'

/** Carries out a batch of statements on the D1 binding that the path names. */
export const WORKER = `export default {
  async fetch(request, env) {
    const database = env[new URL(request.url).pathname.slice(1)]
    const statements = await request.json()
    try {
      return Response.json(await database.batch(statements.map(({ sql, params }) => database.prepare(sql).bind(...params))))
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  }
}`

type Dispatch = (
  url: string,
  request: { method: string; body: string }
) => Promise<{ ok: boolean; text(): Promise<string> }>

/**
 * A D1 database of a runtime on which `WORKER` runs. A batch is one request, and a statement by itself as well; with the
 * bindings that miniflare hands out each `prepare` and each `bind` is one more, for which the whole process waits.
 */
export function openD1(dispatch: Dispatch, binding: string): D1Database {
  const batch = async (statements: Bound[]) => {
    const body = JSON.stringify(statements.map(({ sql, params }) => ({ sql, params })))
    const response = await dispatch(`http://localhost/${binding}`, { method: 'POST', body })
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
  // Only what a session is asked for here, and `migrate`.
  return { ...session, withSession: () => session } as unknown as D1Database
}
