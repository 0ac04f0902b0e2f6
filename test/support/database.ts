import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { openD1, WORKER } from '../../scripts/d1.ts'
import { migrate } from '../../scripts/local.ts'

/** A migrated D1 database for tests that run in plain Node, and the end of it. */
export async function startDatabase() {
  const worker = { name: 'none', modules: true, script: WORKER, d1Databases: { DB: 'test' } }
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker] }))
  const binding = openD1((url, request) => miniflare.dispatchFetch(url, request), 'DB')
  await migrate(binding, join(import.meta.dirname, '../../migrations'))
  return { binding, end: () => miniflare.dispose() }
}
