import { join } from 'node:path'
import { type Db, isBusy, newUsage, openDb } from '../src/db/client.ts'
import { CONTROL, databaseOf } from '../src/db/databases.ts'
import { BUSY, retryWhileBusy } from './busy.ts'
import { type Config, readConfig } from './config.ts'
import { root, stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { migrate } from './migrate.ts'
import { type Dispatch, openD1, SECRET, WORKER } from './operator.ts'
import { overwriteErased } from './overwrite.ts'
import { expectUsable, readSecretsFile } from './state.ts'

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

/** Returns the id that wrangler gives to a local database. */
const localIdOf = ({
  binding,
  database_id,
  preview_database_id
}: Config['d1_databases'][number]): string => preview_database_id ?? database_id ?? binding
