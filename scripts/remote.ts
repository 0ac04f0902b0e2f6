import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getPlatformProxy } from 'wrangler'
import { newUsage, openDb } from '../src/db/client.ts'
import { OperatorError, readConfig, type Service } from './local.ts'

/** Opens the deployed databases, bucket and queues through remote bindings, as wrangler is logged in. */
export async function openRemote(): Promise<Service> {
  // Standard output belongs to the answer, and a script cannot answer wrangler's questions.
  process.env.WRANGLER_LOG = 'none'
  process.env.CI = 'true'

  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  const configPath = join(folder, 'wrangler.json')
  const config = readConfig()
  writeFileSync(configPath, JSON.stringify(withRemoteBindings(config)))
  try {
    const proxy = await getPlatformProxy<Env>({ configPath, persist: false })
    return {
      db: openDb(proxy.env.DB, newUsage()).db,
      env: proxy.env,
      databases: config.d1_databases.map((database) => database.binding),
      async close() {
        await proxy.dispose()
        rmSync(folder, { recursive: true })
      }
    }
  } catch (error) {
    rmSync(folder, { recursive: true })
    const reason =
      error instanceof Error ? error.message.replace(/^Failed to start the remote proxy session\. /, '') : error
    throw new OperatorError(`The deployed service cannot be reached. ${String(reason).replaceAll(/\s+/g, ' ')}`)
  }
}

const withRemoteBindings = (config: ReturnType<typeof readConfig>) => ({
  name: config.name,
  account_id: config.account_id,
  compatibility_date: config.compatibility_date,
  d1_databases: config.d1_databases.map((database) => ({ ...database, remote: true })),
  r2_buckets: config.r2_buckets.map((bucket) => ({ ...bucket, remote: true })),
  queues: { producers: config.queues.producers.map((producer) => ({ ...producer, remote: true })) }
})
