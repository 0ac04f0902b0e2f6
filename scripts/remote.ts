import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { newUsage, openControl } from '../src/db/client.ts'
import type { Config } from './config.ts'
import { readDeployment } from './deployment.ts'
import { OperatorError } from './faults.ts'
import type { Bindings, Service } from './local.ts'
import { findFault, wrangler } from './wrangler.ts'

/**
 * Opens the deployed databases and bucket through remote bindings, with wrangler's login.
 * @throws OperatorError when they cannot be reached
 */
export async function openRemote(): Promise<Service> {
  // Only the command's answer may go to standard output.
  process.env.WRANGLER_LOG = 'none'
  // Wrangler must not ask questions, because a script cannot answer them.
  process.env.CI = 'true'

  const config = readDeployment()
  const databases = await findDatabases(config)
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  const configPath = join(folder, 'wrangler.json')
  writeFileSync(
    configPath,
    JSON.stringify(withRemoteBindings({ ...config, d1_databases: databases }))
  )
  try {
    // Imported only here: importing wrangler takes longer than a whole local command.
    const { getPlatformProxy } = await import('wrangler')
    const proxy = await getPlatformProxy<Bindings & { BUCKET: R2Bucket }>({
      configPath,
      persist: false
    })
    return {
      db: openControl(proxy.env, newUsage()).db,
      env: proxy.env,
      bucket: async () => proxy.env.BUCKET,
      databases: config.d1_databases.map((database) => database.binding),
      secrets: {},
      isDeployed: true,
      async close() {
        await proxy.dispose()
        rmSync(folder, { recursive: true })
      }
    }
  } catch (error) {
    rmSync(folder, { recursive: true })
    const reason = error instanceof Error ? error.message : String(error)
    throw unreachable(reason.replace(/^Failed to start the remote proxy session\. /, ''))
  }
}

const unreachable = (reason: string) =>
  new OperatorError(`The deployed service cannot be reached. ${reason.replaceAll(/\s+/g, ' ')}`)

/** The part of the answer of `wrangler d1 info --json` that is used. */
const DatabaseInfo = z.object({ uuid: z.string() })

/**
 * Looks up the ids of the databases: remote bindings need them, and wrangler.toml does not contain
 * them.
 */
function findDatabases(config: Config) {
  return Promise.all(
    config.d1_databases.map(async (database) => {
      const { code, stdout, stderr } = await wrangler(
        ['d1', 'info', database.database_name, '--json'],
        {
          // At the level `none`, set above, wrangler would not print its answer.
          env: { WRANGLER_LOG: 'log' }
        }
      )
      if (code !== 0) {
        throw unreachable(findFault(`${stdout}${stderr}`))
      }
      return {
        ...database,
        database_id: DatabaseInfo.parse(JSON.parse(stdout)).uuid,
        // Wrangler would prefer this id to `database_id`.
        preview_database_id: undefined
      }
    })
  )
}

/** Returns a configuration in which the bindings lead to the deployed databases and buckets. */
const withRemoteBindings = (config: Config) => ({
  name: config.name,
  account_id: config.account_id,
  compatibility_date: config.compatibility_date,
  vars: config.vars,
  d1_databases: config.d1_databases.map((database) => ({ ...database, remote: true })),
  r2_buckets: config.r2_buckets.map((bucket) => ({
    ...bucket,
    preview_bucket_name: undefined,
    remote: true
  }))
})
