import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv, stripVTControlCharacters } from 'node:util'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { type Db, isBusy, newUsage, openDb } from '../src/db/client.ts'
import { CONTROL, databaseOf } from '../src/db/databases.ts'
import { LedgerError } from '../src/ledger/entry.ts'
import { QueueNames } from '../src/queues/names.ts'
import { type Dispatch, openD1, SECRET, WORKER } from './operator.ts'
import { overwriteErased } from './overwrite.ts'
import { listRunning } from './running.ts'

export const root = join(import.meta.dirname, '..')

/** The default state folder, shared with `wrangler dev`. */
const USUAL_DIR = join(root, '.wrangler/state')

/** The state folder: databases, bucket, development key and log of the local service. */
export const stateDir = resolve(process.env.STATE_DIR ?? USUAL_DIR)

export const configPath = join(root, 'wrangler.toml')

export const wranglerBin = join(root, 'node_modules/wrangler/bin/wrangler.js')

process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
process.env.WRANGLER_SEND_METRICS = 'false'
// Local observability would store the URLs of all requests, including e-mail addresses in queries.
process.env.X_LOCAL_OBSERVABILITY = 'false'
process.env.WRANGLER_HIDE_BANNER = 'true'
// Services find each other's queues through the registry. One per state folder keeps them apart.
process.env.WRANGLER_REGISTRY_PATH = join(stateDir, 'registry')

/** The file with the secrets of the local service, in its state folder. */
export const SECRETS_FILE = 'secrets.env'

/** The databases and the bucket of a local or deployed service, for the operator's commands. */
export type Service = {
  db: Db
  env: Bindings
  /** Opened only on request: opening takes longer than for the databases. */
  bucket(): Promise<R2Bucket>
  /** Names of the D1 bindings in which a project can be created. */
  databases: string[]
  secrets: Secrets
  /** Whether this is the deployed service, whose secrets are unknown here. */
  isDeployed: boolean
  /** Overwrites what erasures have deleted in the files of local databases. */
  overwriteErased?(): void
  close(): Promise<void>
}

/**
 * Databases and variables. Queues are missing: a command does the work itself instead of sending a
 * message.
 */
export type Bindings = Pick<Env, 'DB' | 'RECORDING_RETENTION_DAYS' | 'COMPLETION_DAYS'>

/** The secrets that sign receipts; absent for the deployed service, which alone has them. */
export type Secrets = { RECEIPT_SECRET?: string; RECEIPT_KEY?: string }

/**
 * An error that the operator can fix, not a fault of the program. Printed without a stack trace.
 */
export class OperatorError extends Error {}

/** SQLite's codes for a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set<unknown>([11, 26])

/**
 * Describes an error for the operator. An error that the operator can fix, such as a missing file,
 * is only its message; a fault of the program includes its stack.
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error)
  }
  const isFileError = 'syscall' in error && 'path' in error
  return error instanceof OperatorError || error instanceof LedgerError || isFileError
    ? error.message
    : (error.stack ?? error.message)
}

export const BUSY = 'Another process keeps the local databases busy; try again.'

/** How long a command retries while the running service writes to the same files, ms. */
const BUSY_MS = 5000

/**
 * Repeats `run` until it succeeds, up to `busyMs`, as long as its errors are temporary, such as a
 * busy database.
 */
export async function retryWhileBusy<T>(
  run: () => Promise<T>,
  { busyMs = BUSY_MS, isTemporary = isBusy } = {}
): Promise<T> {
  for (const deadline = performance.now() + busyMs; ; await sleep(20 + Math.random() * 80)) {
    try {
      return await run()
    } catch (error) {
      if (!isTemporary(error) || performance.now() > deadline) {
        throw error
      }
    }
  }
}

const Binding = z.looseObject({ binding: z.string() })

const Settings = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  compatibility_date: z.string(),
  vars: z.looseObject({
    RECORDING_RETENTION_DAYS: z.string(),
    COMPLETION_DAYS: z.string(),
    QUEUE_NAMES: QueueNames
  }),
  d1_databases: z.array(
    Binding.extend({
      database_name: z.string(),
      database_id: z.string().optional(),
      preview_database_id: z.string().optional(),
      migrations_dir: z.string().default('migrations')
    })
  ),
  r2_buckets: z.array(
    Binding.extend({ bucket_name: z.string(), jurisdiction: z.string().optional() })
  ),
  queues: z.object({
    producers: z.array(Binding.extend({ queue: z.string() })),
    consumers: z.array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() }))
  }),
  secrets: z.object({ required: z.array(z.string()) }),
  triggers: z.object({ crons: z.array(z.string()) }).default({ crons: [] })
})

/**
 * The settings of wrangler.toml. The consumed queues must be exactly the queues in `QUEUE_NAMES`.
 */
const Config = Settings.superRefine(({ vars, queues }, context) => {
  const named = Object.values(vars.QUEUE_NAMES)
  const consumed = queues.consumers.map(({ queue }) => queue)
  for (const queue of new Set(consumed).symmetricDifference(new Set(named))) {
    const message = named.includes(queue)
      ? `QUEUE_NAMES names the queue ${queue}, but no [[queues.consumers]] consumes it.`
      : `[[queues.consumers]] consumes the queue ${queue}, but QUEUE_NAMES does not name it.`
    context.addIssue({ code: 'custom', message })
  }
})
export type Config = z.infer<typeof Config>

/** Reads the secrets of the local service; none before its first start. */
export function readSecretsFile(folder = stateDir): Record<string, string> {
  const file = join(folder, SECRETS_FILE)
  const secrets = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) => (value ? [[name, value]] : []))
  )
}

/** Returns 256 random bits in hexadecimal. */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** Returns the port to listen on: `PORT`, or 8787. @throws OperatorError for an invalid port */
export function readPort(): number {
  const port = Number(process.env.PORT || 8787)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new OperatorError(`PORT must be a number from 0 to 65535; got ${process.env.PORT}.`)
  }
  return port
}

/** Reads wrangler.toml without loading wrangler, which takes seconds. @throws OperatorError for an invalid file */
export function readConfig(): Config {
  try {
    return Config.parse(parse(readFileSync(configPath, 'utf8')))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : error
    throw new OperatorError(`${configPath} cannot be read. ${reason}`)
  }
}

/**
 * Creates a state folder that other users cannot read.
 * @throws OperatorError when the folder is not writable
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    // The folder holds personal data, some of it in files that the simulator creates.
    chmodSync(folder, 0o700)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    const reason = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : code
    throw new OperatorError(
      `Data cannot be stored in ${folder} (${reason}). Choose another folder: put STATE_DIR=<folder> before the command.`
    )
  }
}

/**
 * Guards against a forgotten STATE_DIR.
 * @throws OperatorError when the default folder is empty, but a service of this clone runs on another folder
 */
function expectMeant(folder: string): void {
  if (folder !== USUAL_DIR || process.env.STATE_DIR || existsSync(join(folder, 'v3/d1'))) {
    return
  }
  const others = listRunning().filter((other) => other !== folder)
  if (others.length > 0) {
    throw new OperatorError(
      `There is no data in ${folder}, but a service is running on ${others.join(', ')}. Put STATE_DIR=${others[0]} before the command.`
    )
  }
}

/** A runtime that runs the worker of `databaseWorker`. */
type Runtime = {
  dispatch: Dispatch
  bucket: Service['bucket']
  close: Service['close']
}

/** Returns the options of a worker that reaches the databases and the buckets of wrangler.toml. */
export function databaseWorker() {
  const { d1_databases: databases, r2_buckets: buckets } = readConfig()
  return {
    modules: true as const,
    script: WORKER,
    bindings: { SECRET },
    d1Databases: Object.fromEntries(
      databases.map((database) => [database.binding, localIdOf(database)])
    ),
    r2Buckets: Object.fromEntries(buckets.map(({ binding, bucket_name }) => [binding, bucket_name]))
  }
}

/** @throws OperatorError when the state folder is not the one that is meant, not writable, or damaged */
export function expectUsable(folder: string): void {
  expectMeant(folder)
  makeFolder(folder)
  expectReadable(folder)
}

/**
 * Opens and migrates the databases in a state folder, whether or not the service is running on them.
 * @throws OperatorError when a database cannot be read
 */
export async function openLocal(folder = stateDir): Promise<Service> {
  expectUsable(folder)
  // Loaded late because loading takes long: a command that is refused does not wait for it.
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [{ name: readConfig().name, ...databaseWorker() }],
      resourcePersistencePath: join(folder, 'v3')
    })
  )
  return openIn(folder, {
    dispatch: (url, request) => miniflare.dispatchFetch(url, request),
    bucket: async () => (await miniflare.getBindings<{ BUCKET: R2Bucket }>()).BUCKET,
    close: () => miniflare.dispose()
  })
}

/**
 * Opens and migrates the databases in a state folder through a runtime, which is closed when that fails.
 * @throws OperatorError when a database cannot be read
 */
export async function openIn(
  folder: string,
  { dispatch, bucket, close }: Runtime
): Promise<Service> {
  const { vars, d1_databases: databases } = readConfig()
  const d1 = (name: string) => openD1(dispatch, name)
  const env: Bindings = {
    ...vars,
    DB: d1(CONTROL),
    ...Object.fromEntries(databases.map(({ binding }) => [binding, d1(binding)]))
  }
  try {
    for (const { binding, migrations_dir } of databases) {
      const run = () => migrate(databaseOf(env, binding), join(root, migrations_dir))
      await retryWhileBusy(run, { isTemporary: (error) => isBusy(error) || isLockedOut(error) })
    }
    return {
      db: openDb(env.DB, newUsage()).db,
      env,
      bucket,
      databases: databases.map(({ binding }) => binding),
      secrets: readSecretsFile(folder),
      isDeployed: false,
      overwriteErased: () => overwrite(folder),
      close
    }
  } catch (error) {
    await close()
    throw isLockedOut(error) ? new OperatorError(BUSY) : error
  }
}

/**
 * Whether the runtime failed to open a database because another process holds its lock. The runtime
 * reports only an internal error; `expectReadable` has already ruled out damaged files.
 */
const isLockedOut = (error: unknown): boolean =>
  error instanceof Error && /internal error; reference/.test(error.message)

/** Overwrites what erasures have deleted. @throws OperatorError when that is impossible, for example on a full disk */
export function overwrite(folder: string): void {
  try {
    overwriteErased(folder)
  } catch (error) {
    const fault = error instanceof Error ? error.message : error
    throw new OperatorError(
      `The data is deleted, but traces of it are still in the database files, which could not be rewritten: ${fault}. Run npm run purge:now again.`
    )
  }
}

/**
 * Whether a file holds users' data rather than short-lived state such as the counters of rate
 * limits.
 */
const isWorthKeeping = (name: string): boolean => /^v3\/(d1|r2)\//.test(name)

const damaged = (file: string, folder: string) =>
  new OperatorError(
    isWorthKeeping(relative(folder, file))
      ? `${file} is damaged. Restore it from a copy, or move ${folder} away to start with empty databases.`
      : `${file} is damaged. Delete it: it holds only short-lived state.`
  )

/**
 * Whether a D1 database was truncated: its file is empty although the development key, which is
 * created later, exists.
 */
const isTruncated = (file: string, folder: string): boolean =>
  relative(folder, file).startsWith(join('v3', 'd1')) &&
  statSync(file).size === 0 &&
  !existsSync(`${file}-wal`) &&
  existsSync(join(folder, 'dev-key.json'))

/** @throws OperatorError naming a damaged file; the runtime would only report an internal error */
function expectReadable(folder: string): void {
  for (const name of globSync('v3/**/*.sqlite', { cwd: folder })) {
    const file = join(folder, name)
    if (isTruncated(file, folder)) {
      throw damaged(file, folder)
    }
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      database.prepare('select count(*) from sqlite_schema').get()
    } catch (error) {
      // The step that uses the database reports other errors.
      if (error instanceof Error && 'errcode' in error && DAMAGED.has(error.errcode)) {
        throw damaged(file, folder)
      }
    } finally {
      database.close()
    }
  }
}

/** Returns the id that wrangler gives to a local database. */
const localIdOf = ({
  binding,
  database_id,
  preview_database_id
}: Config['d1_databases'][number]): string => preview_database_id ?? database_id ?? binding

/** Wrangler's own table, so that wrangler and these commands see each other's migrations. */
const MIGRATIONS = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)`

/** Applies missing migrations as `wrangler d1 migrations apply` does: each file in one transaction. */
export async function migrate(database: D1Database, folder: string): Promise<void> {
  await database.prepare(MIGRATIONS).run()
  const { results } = await database
    .prepare('select name from d1_migrations')
    .all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  for (const { file, statements } of readMigrations(folder).filter(
    ({ file }) => !applied.has(file)
  )) {
    const note = database.prepare('insert into d1_migrations (name) values (?)').bind(file)
    await database.batch([...statements.map((statement) => database.prepare(statement)), note])
  }
}

/** Reads the migrations of a folder, in order. */
export const readMigrations = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      file,
      statements: readFileSync(join(folder, file), 'utf8').split('--> statement-breakpoint')
    }))

/** Beginnings of the advice that wrangler prints below an error. */
const ADVICE = /^(If you think this is a bug|To continue without logging in|🪵)/u

/** Extracts the error from wrangler's output, in one line. */
export function findFault(output: string): string {
  const text = stripVTControlCharacters(output)
  const paragraphs = (/\[ERROR\] (.*)/s.exec(text)?.[1] ?? text)
    .split(/\n\s*\n/)
    .map((part) => part.trim())
  const advice = paragraphs.findIndex((part) => ADVICE.test(part))
  return paragraphs
    .slice(0, advice < 0 ? paragraphs.length : advice)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/**
 * Runs wrangler without prompts and waits until it ends. With `show`, its output also goes to the
 * terminal.
 */
export function wrangler(
  args: string[],
  { show = false, env }: { show?: boolean; env?: Record<string, string> } = {}
) {
  const child = spawn(process.execPath, [wranglerBin, ...args], {
    cwd: root,
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      output[name] += chunk
      if (show) {
        process[name].write(chunk)
      }
    })
  }
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done({ code, ...output }))
  })
}
