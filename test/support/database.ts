import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { toD1 } from '../../scripts/d1.ts'
import { migrate } from '../../scripts/migrate.ts'

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
  // Miniflare's own bindings also make a request for each `prepare` and `bind`, which blocks the whole process.
  const binding = toD1(async (statements) => {
    const body = JSON.stringify(statements)
    const response = await miniflare.dispatchFetch('http://localhost', { method: 'POST', body })
    if (!response.ok) {
      throw new Error(await response.text())
    }
    // The worker answers with the results of D1.
    return (await response.json()) as D1Result[]
  })
  await migrate(binding, join(import.meta.dirname, '../../migrations'))
  return { binding, end: () => miniflare.dispose() }
}
