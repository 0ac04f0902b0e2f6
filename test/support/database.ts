import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { migrations } from '../../bench/support/runtime.ts'

/** A migrated D1 database for tests that run in plain Node, and the end of it. */
export async function startDatabase() {
  const worker = { name: 'none', modules: true, script: 'export default {}', d1Databases: { DB: 'test' } }
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker] }))
  const binding = await miniflare.getD1Database('DB')
  for (const { statements } of migrations) await binding.batch(statements.map((text) => binding.prepare(text)))
  return { binding, end: () => miniflare.dispose() }
}
