import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync
} from 'node:fs'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseEnv } from 'node:util'
import { stateDir, USUAL_DIR } from './environment.ts'
import { OperatorError } from './faults.ts'
import { listRunning } from './running.ts'

/** The file with the secrets of the local service, in its state folder. */
export const SECRETS_FILE = 'secrets.env'

/**
 * Creates the state folder if it is missing, and checks that it can be used.
 * @throws OperatorError when STATE_DIR seems to be forgotten, the folder is not writable, or a database in it is damaged
 */
export function expectUsable(folder: string): void {
  expectIntendedFolder(folder)
  makeFolder(folder)
  expectReadable(folder)
}

/**
 * Creates a state folder that other users cannot read.
 * @throws OperatorError when the folder is not writable
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    // The simulator creates files with personal data and does not restrict access to them, so the folder does.
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
function expectIntendedFolder(folder: string): void {
  if (folder !== USUAL_DIR || process.env.STATE_DIR || existsSync(join(folder, 'v3/d1'))) {
    return
  }
  const others = listRunning()
    .map(({ stateDir }) => stateDir)
    .filter((other) => other !== folder)
  if (others.length > 0) {
    throw new OperatorError(
      `There is no data in ${folder}, but a service is running on ${others.join(', ')}. Put STATE_DIR=${others[0]} before the command.`
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
 * Whether a D1 database was truncated: its file is empty and has no write-ahead log, although the
 * development key, which is created later, exists.
 */
const isTruncated = (file: string, folder: string): boolean =>
  relative(folder, file).startsWith(join('v3', 'd1')) &&
  statSync(file).size === 0 &&
  !existsSync(`${file}-wal`) &&
  existsSync(join(folder, 'dev-key.json'))

/** SQLite's codes for a damaged file: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set<unknown>([11, 26])

/**
 * Checks that SQLite can read every database in the folder.
 * @throws OperatorError that names a damaged file; the runtime would report only an internal error
 */
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

/**
 * Whether the service of a state folder has used a RECEIPT_SECRET: then a database has its
 * fingerprint.
 */
export function hasUsedSecret(folder: string): boolean {
  return globSync('v3/d1/**/*.sqlite', { cwd: folder }).some((name) => {
    const database = new DatabaseSync(join(folder, name), { readOnly: true })
    try {
      return (
        database.prepare('select 1 from ledger_head where secret is not null').get() !== undefined
      )
    } catch {
      // The database has no such table yet, or is damaged, which the step that uses it reports.
      return false
    } finally {
      database.close()
    }
  })
}

/** Reads the secrets of the local service, without empty ones; returns {} before the first start. */
export function readSecretsFile(folder = stateDir): Record<string, string> {
  const file = join(folder, SECRETS_FILE)
  const secrets = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  return Object.fromEntries(
    Object.entries(secrets).flatMap(([name, value]) => (value ? [[name, value]] : []))
  )
}

/** Returns 256 random bits in hexadecimal. */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** Makes a secret for each name. */
export const newSecrets = (names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, newSecret()]))
