import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { migrate } from '../../scripts/local.ts'

/** A migrated D1 database for tests that run in plain Node, and the end of it. */
export async function startDatabase() {
  const worker = { name: 'none', modules: true, script: 'export default {}', d1Databases: { DB: 'test' } }
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker] }))
  const binding = await miniflare.getD1Database('DB')
  await migrate(binding, join(import.meta.dirname, '../../migrations'))
  return { binding, end: () => miniflare.dispose() }
}
