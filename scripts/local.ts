import { createHash, createHmac } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { type ControlDb, isBusy, newUsage, openControl } from '../src/db/client.ts'
import { databaseOf } from '../src/db/databases.ts'
import type { Email } from '../src/email.ts'
import { openBucket } from './bucket.ts'
import { BUSY, retryWhileBusy } from './busy.ts'
import { type Config, readConfig } from './config.ts'
import { writeEmail } from './emails.ts'
import { root, stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { migrate } from './migrate.ts'
import { SECRET, WORKER } from './operator.ts'
import { overwriteErased } from './overwrite.ts'
import { openFiles } from './sqlite.ts'
import { expectUsable, readSecretsFile } from './state.ts'

/** The databases and the bucket of a local or deployed service, for the operator's commands. */
export type Service = {
  db: ControlDb
  env: Bindings
  /** Opens the bucket, which takes longer than opening the databases. */
  bucket(): Promise<R2Bucket>
  /** Names of the D1 bindings in which a project can be created. */
  databases: string[]
  secrets: Secrets
  /** Whether this is the deployed service, whose secrets are unknown here. */
  isDeployed: boolean
  /**
   * Writes an e-mail into a file instead of sending it, and returns the file's address. A command
   * cannot send e-mails of the deployed service.
   */
  writeEmail?(email: Email): string
  /** Overwrites deleted data in the files of local databases. */
  overwriteErased?(): void
  close(): Promise<void>
}

/**
 * Databases and variables. Queues are missing: a command does the work itself instead of sending a
 * message.
 */
export type Bindings = Pick<Env, 'DB' | 'RECORDING_RETENTION_DAYS' | 'COMPLETION_DAYS'>

/** The secrets that sign receipts. Those of the deployed service are absent: only the service itself has them. */
export type Secrets = { RECEIPT_SECRET?: string; RECEIPT_KEY?: string }

/** The simulator's class of the Durable Objects that hold local databases; also the name of their folder in `v3/d1`. */
const D1_CLASS = 'miniflare-D1DatabaseObject'

/** Gives access to the bucket of a state folder. */
type BucketAccess = { bucket(): Promise<R2Bucket>; close(): Promise<void> }

/**
 * Opens and migrates the databases in a state folder, whether or not the service is running on them.
 * @param bucket the bucket; opened in a runtime of its own unless given
 * @throws OperatorError when wrangler.toml is invalid, or the folder or a database cannot be used
 */
export async function openLocal(
  folder = stateDir,
  { bucket, close }: BucketAccess = bucketIn(folder)
): Promise<Service> {
  expectUsable(folder)
  const { vars, d1_databases: databases } = readConfig()
  const files = openFiles(databases.map((database) => fileOf(folder, database)))
  const bindings = databases.map(({ binding }, i) => [binding, files[i]?.binding])
  // The cast is safe: every database of wrangler.toml has a binding, and one of them is DB.
  const env = { ...vars, ...Object.fromEntries(bindings) } as Bindings
  const closeAll = async () => {
    for (const file of files) {
      file.close()
    }
    await close()
  }
  try {
    for (const { binding, migrations_dir } of databases) {
      await retryWhileBusy(() => migrate(databaseOf(env, binding), join(root, migrations_dir)))
    }
    return {
      db: openControl(env, newUsage()).db,
      env,
      bucket,
      databases: databases.map(({ binding }) => binding),
      secrets: readSecretsFile(folder),
      isDeployed: false,
      writeEmail: (email) => writeEmail(folder, email),
      overwriteErased: () => overwriteDeleted(folder),
      close: closeAll
    }
  } catch (error) {
    await closeAll()
    throw isBusy(error) ? new OperatorError(BUSY) : error
  }
}

/** Returns the buckets of wrangler.toml by binding, as options of a worker in the simulator. */
export const bucketsOf = (): Record<string, string> =>
  Object.fromEntries(
    readConfig().r2_buckets.map(({ binding, bucket_name }) => [binding, bucket_name])
  )

/** Opens the bucket in a runtime of its own, which is started when the bucket is needed. */
function bucketIn(folder: string): BucketAccess {
  let runtime: Promise<Miniflare> | undefined
  return {
    async bucket() {
      runtime ??= startSimulator(folder)
      const simulator = await runtime
      return openBucket((url, request) => simulator.dispatchFetch(url, request))
    },
    close: async () => void (await (await runtime)?.dispose())
  }
}

async function startSimulator(folder: string): Promise<Miniflare> {
  // Imported only here: it takes long to load, and few commands need it.
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare')
  return new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          name: 'operator',
          modules: true,
          script: WORKER,
          bindings: { SECRET },
          r2Buckets: bucketsOf()
        }
      ],
      resourcePersistencePath: join(folder, 'v3')
    })
  )
}

/** Returns the file of a local database; creates its folder. */
function fileOf(folder: string, database: Config['d1_databases'][number]): string {
  const path = join(folder, 'v3/d1', D1_CLASS)
  mkdirSync(path, { recursive: true })
  return join(path, `${objectIdOf(D1_CLASS, localIdOf(database))}.sqlite`)
}

/** Returns the id of the Durable Object that holds a local database. The database's file is named by it. */
function objectIdOf(className: string, name: string): string {
  const key = createHash('sha256').update(className).digest()
  const hash = (data: string | Buffer) =>
    createHmac('sha256', key).update(data).digest().subarray(0, 16)
  const id = hash(name)
  return Buffer.concat([id, hash(id)]).toString('hex')
}

/**
 * Overwrites deleted data, and says if links to e-mails were ended by that.
 * @throws OperatorError when that is impossible, for example on a full disk
 */
export function overwriteDeleted(folder: string): void {
  try {
    if (overwriteErased(folder)) {
      console.error(
        'All e-mails that were written to files are deleted: a chart in one may name an erased person. Links to them no longer open.'
      )
    }
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
