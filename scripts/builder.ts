import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configPath, OperatorError, readConfig, wrangler } from './local.ts'

/*
 * Builds the worker into a folder, exactly as it is deployed: `worker.js`, and in `options.json` what wrangler.toml asks of
 * the runtime. A process of its own, so that the service does not keep wrangler in memory.
 */

const [folder = ''] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

// The service adds the real ones: a secret is in no file of a build.
for (const name of readConfig().secrets.required) {
  process.env[name] = 'added by the service'
}
process.env.WRANGLER_LOG = 'error'
const [{ code, stderr }, { unstable_getMiniflareWorkerOptions }] = await Promise.all([
  wrangler(['deploy', '--dry-run', '--config', configPath, '--outdir', folder]),
  import('wrangler')
])
if (code !== 0) {
  throw new OperatorError(stderr)
}
const { workerOptions } = unstable_getMiniflareWorkerOptions(configPath)
writeFileSync(join(folder, 'options.json'), JSON.stringify(workerOptions))
