import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { migrate } from '../../scripts/migrate.ts'
import type { Bound } from '../../src/db/client.ts'

/** A worker that runs a batch of statements on its database. */
const WORKER = `export default {
  async fetch(request, { DB }) {
    const statements = await request.json()
    try {
      return Response.json(await DB.batch(statements.map(({ sql, params }) => DB.prepare(sql).bind(...params))))
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  }
}`

/** Opens a migrated D1 database for tests in plain Node; `end` closes it. */
export async function startDatabase() {
  const worker = { name: 'none', modules: true, script: WORKER, d1Databases: { DB: 'test' } }
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker] }))
  const binding = openD1(async (statements) => {
    const body = JSON.stringify(statements)
    const response = await miniflare.dispatchFetch('http://localhost', { method: 'POST', body })
    if (!response.ok) {
      throw new Error(await response.text())
    }
    return response.json()
  })
  await migrate(binding, join(import.meta.dirname, '../../migrations'))
  return { binding, end: () => miniflare.dispose() }
}

/**
 * Returns a database whose batches and single statements are one request each. Miniflare's own bindings also make a request for
 * each `prepare` and `bind`, which blocks the whole process.
 */
function openD1(send: (statements: Bound[]) => Promise<unknown>): D1Database {
  const batch = (statements: Bound[]) =>
    send(statements.map(({ sql, params }) => ({ sql, params }))) as Promise<D1Result[]>
  const statement = (sql: string, params: unknown[]) => {
    const all = async () => (await batch([{ sql, params }]))[0]
    return { sql, params, all, run: all, bind: (...values: unknown[]) => statement(sql, values) }
  }
  const session = { prepare: (sql: string) => statement(sql, []), batch, getBookmark: () => null }
  // Implements only the methods that sessions and `migrate` use.
  return { ...session, withSession: () => session } as unknown as D1Database
}
