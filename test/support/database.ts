import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { migrate } from '../../scripts/local.ts'
import { openD1, SECRET, WORKER } from '../../scripts/operator.ts'

/** Opens a migrated D1 database for tests in plain Node; `end` closes it. */
export async function startDatabase() {
  const worker = {
    name: 'none',
    modules: true,
    script: WORKER,
    bindings: { SECRET },
    d1Databases: { DB: 'test' }
  }
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers: [worker] }))
  const binding = openD1((url, request) => miniflare.dispatchFetch(url, request), 'DB')
  await migrate(binding, join(import.meta.dirname, '../../migrations'))
  return { binding, end: () => miniflare.dispose() }
}
