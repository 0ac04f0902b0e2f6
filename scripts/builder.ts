import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from './config.ts'
import { configPath } from './environment.ts'
import { OperatorError } from './faults.ts'
import { wrangler } from './wrangler.ts'

/*
 * Builds the worker into a folder, exactly as a deployment would: `worker.mjs` with the modules
 * that it imports, and the runtime options from wrangler.toml in `options.json`. It runs in its own
 * process so that the service does not keep wrangler in memory.
 */

const [folder = ''] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

/**
 * Placeholders, because no build contains a secret, even if there is a `.dev.vars`. The service
 * adds the real secrets.
 */
const placeholders = Object.fromEntries(
  readConfig().secrets.required.map((name) => [name, 'added by the service'])
)
Object.assign(process.env, placeholders)
process.env.WRANGLER_LOG = 'error'
const [{ code, stderr }, { unstable_getMiniflareWorkerOptions }] = await Promise.all([
  wrangler(['deploy', '--dry-run', '--config', configPath, '--outdir', folder]),
  import('wrangler')
])
if (code !== 0) {
  throw new OperatorError(stderr)
}
const { workerOptions } = unstable_getMiniflareWorkerOptions(configPath)
const bindings = Object.assign({}, workerOptions.bindings, placeholders)
writeFileSync(join(folder, 'options.json'), JSON.stringify({ ...workerOptions, bindings }))
