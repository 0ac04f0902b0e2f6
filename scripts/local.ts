import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { getPlatformProxy, unstable_readConfig } from 'wrangler'
import { z } from 'zod'
import { type Db, newUsage, openDb } from '../src/db/client.ts'
import { databaseOf } from '../src/db/databases.ts'

export const root = join(import.meta.dirname, '..')

/** Databases, bucket, development key and log of the local service; the same folder that `wrangler dev` uses. */
export const stateDir = resolve(process.env.STATE_DIR ?? join(root, '.wrangler/state'))

export const configPath = join(root, 'wrangler.toml')

export const wranglerBin = join(root, 'node_modules/wrangler/bin/wrangler.js')

process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
process.env.WRANGLER_SEND_METRICS = 'false'
process.env.WRANGLER_HIDE_BANNER = 'true'
// Through the registry a message sent here reaches the queue of the running service: of this state, not of any other.
process.env.WRANGLER_REGISTRY_PATH = join(stateDir, 'registry')

/** What the commands need of a service, local or deployed. */
export type Service = {
  db: Db
  env: Env
  /** Names of the D1 bindings that a project can be put into. */
  databases: string[]
  close(): Promise<void>
}

/** A fault of the machine or the operator, not of the program: told in one line, without a stack trace. */
export class OperatorError extends Error {}

/** SQLite takes one writer at a time, and D1 does not wait for the other: nothing was written. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && (error.message.includes('SQLITE_BUSY') || isBusy(error.cause))
}

const Binding = z.looseObject({ binding: z.string() })

const Config = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  compatibility_date: z.string(),
  d1_databases: z.array(
    Binding.extend({ database_name: z.string(), migrations_dir: z.string().default('migrations') })
  ),
  r2_buckets: z.array(Binding.extend({ bucket_name: z.string(), jurisdiction: z.string().optional() })),
  queues: z.object({
    producers: z.array(Binding.extend({ queue: z.string() })),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() }))
  })
})
export type Config = z.infer<typeof Config>

export const readConfig = (): Config => Config.parse(unstable_readConfig({ config: configPath }))

/** Opens the local databases, migrated, whether the service runs on them or not. */
export async function openLocal(): Promise<Service> {
  const databases = readConfig().d1_databases
  for (let migrated = false; ; migrated = true) {
    const proxy = await getPlatformProxy<Env>({
      configPath,
      persist: { path: join(stateDir, 'v3') },
      remoteBindings: false
    })
    const pending = []
    for (const database of migrated ? [] : databases) {
      const binding = databaseOf(proxy.env, database.binding)
      if (await isBehind(binding, join(root, database.migrations_dir))) pending.push(database.binding)
    }
    if (pending.length === 0)
      return {
        db: openDb(proxy.env.DB, newUsage()).db,
        env: proxy.env,
        databases: databases.map((database) => database.binding),
        close: proxy.dispose
      }
    await proxy.dispose()
    for (const binding of pending) await migrate(binding)
  }
}

async function isBehind(database: D1Database, migrationsDir: string): Promise<boolean> {
  const files = readdirSync(migrationsDir).filter((file) => file.endsWith('.sql'))
  const [table] = (await database.prepare("select 1 from sqlite_master where name = 'd1_migrations'").all()).results
  if (!table) return files.length > 0
  const { results } = await database.prepare('select name from d1_migrations').all<{ name: string }>()
  return files.some((file) => !results.some((applied) => applied.name === file))
}

async function migrate(binding: string): Promise<void> {
  const args = ['d1', 'migrations', 'apply', binding, '--local', '--persist-to', stateDir, '--config', configPath]
  const { code, stdout, stderr } = await wrangler(args)
  if (code !== 0) throw new OperatorError(`The migrations of ${binding} failed:\n${`${stdout}${stderr}`.trim()}`)
}

/** Wrangler's advice below a fault. */
const ADVICE = /^(If you think this is a bug|To continue without logging in|🪵)/u

/** The fault that wrangler tells of, in one line. */
export function findFault(output: string): string {
  const text = stripVTControlCharacters(output)
  const paragraphs = (/\[ERROR\] (.*)/s.exec(text)?.[1] ?? text).split(/\n\s*\n/).map((part) => part.trim())
  const advice = paragraphs.findIndex((part) => ADVICE.test(part))
  return paragraphs
    .slice(0, advice < 0 ? paragraphs.length : advice)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Runs wrangler to its end; it asks nothing. With `show`, what it says goes to the terminal as well. */
export function wrangler(args: string[], { show = false, env }: { show?: boolean; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [wranglerBin, ...args], {
    cwd: root,
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      said[name] += chunk
      if (show) process[name].write(chunk)
    })
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done({ code, ...said }))
  })
}
