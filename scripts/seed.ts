import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Db } from '../src/db/client.ts'
import { LedgerError } from '../src/ledger/entry.ts'
import { findCaller } from '../src/projects/caller.store.ts'
import { hashKey } from '../src/projects/key.ts'
import { Project } from '../src/projects/project.ts'
import {
  createKey,
  createProject,
  createUser,
  listProjects,
  listUsers,
  type ProjectRow
} from '../src/projects/store.ts'
import { User } from '../src/projects/user.ts'
import { readConfig } from './config.ts'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { openLocal, type Service } from './local.ts'
import { replayLocally } from './replay.ts'
import { newSecret, readSecretsFile, SECRETS_FILE } from './state.ts'

/** The only key stored in plain text. It opens only the databases in the same folder. */
const keyFile = join(stateDir, 'dev-key.json')

const secretsFile = join(stateDir, SECRETS_FILE)

const KeyFile = z.object({ key: z.string() })

/**
 * Migrates the databases, and finds or creates a project and a key for local use.
 * @param open opens the databases, which are closed afterwards
 * @param isStarting whether no service answers yet, so that the ledger of erasures can be applied
 */
export async function prepareProject({
  open = openLocal as () => Promise<Service>,
  isStarting = false
} = {}): Promise<{ project: ProjectRow; key: string }> {
  const service = await open()
  try {
    if (isStarting) {
      await applyLedger(service)
    }
    return await ensureProject(service.db, new Date())
  } finally {
    await service.close()
  }
}

/**
 * Erases again what a restored copy of the databases has brought back, before the service answers.
 * The service takes up the rest when it starts.
 */
async function applyLedger(service: Service): Promise<void> {
  try {
    await repeatDeletions(service)
  } catch (error) {
    if (!(error instanceof LedgerError)) {
      throw error
    }
    // A restored database stays held back: nobody gets its data.
    console.error(error.message)
  }
}

async function repeatDeletions(service: Service): Promise<void> {
  for (const { database, erased } of await replayLocally(service)) {
    if (erased > 0) {
      console.error(
        `The database ${database} is older than the ledger of erasures: ${erased} deletions are repeated.`
      )
    }
  }
}

/** Returns the project and the key of the last start; creates them if they are missing. */
async function ensureProject(db: Db, now: Date): Promise<{ project: ProjectRow; key: string }> {
  const kept = readKey() ?? ''
  const caller = await findCaller(db, { hash: await hashKey(kept), projectId: '@current' })
  if (caller?.project && caller.key.revokedAt === null) {
    return { project: caller.project, key: kept }
  }

  const project = (await listProjects(db))[0] ?? (await newProject(db, now))
  const { key } = await createKey(
    db,
    {
      label: 'Local development',
      scopes: ['*'],
      projectIds: [project.id],
      userId: project.ownerId
    },
    now
  )
  rmSync(keyFile, { force: true })
  writeFileSync(keyFile, `${JSON.stringify({ key })}\n`, { mode: 0o600 })
  return { project, key }
}

async function newProject(db: Db, now: Date): Promise<ProjectRow> {
  const owner =
    (await listUsers(db))[0] ??
    (await createUser(
      db,
      User.parse({ first_name: 'Local', last_name: 'Owner', email: 'owner@example.com' }),
      now
    ))
  return createProject(db, Project.parse({ name: 'Local project', recording: true }), owner.id, now)
}

/** Shortest secret, in characters; a shorter one was truncated. */
const MIN_SECRET = 32

/**
 * Returns the local service's secrets: those of the last start, or new ones. A state folder of an
 * earlier version has no RECEIPT_KEY yet and gets one.
 * @throws OperatorError when the file exists but lacks a secret
 */
export function readSecrets(): Record<string, string> {
  const names = readConfig().secrets.required
  if (!existsSync(secretsFile)) {
    writeSecrets(Object.fromEntries(names.map((name) => [name, newSecret()])))
  }
  const secrets = readSecretsFile()
  const missing = names.filter((name) => (secrets[name] ?? '').length < MIN_SECRET)
  if (missing.join() === 'RECEIPT_KEY' && !secrets.RECEIPT_KEY) {
    const completed = { ...secrets, RECEIPT_KEY: newSecret() }
    writeSecrets(completed)
    return completed
  }
  if (missing.length > 0) {
    throw new OperatorError(
      `${secretsFile} has no valid ${missing.join(', ')}: at least ${MIN_SECRET} characters. Restore the file from a copy, or delete the file to generate new secrets; distinct ids in earlier receipts can then no longer be checked.`
    )
  }
  return secrets
}

/** Writes the local service's secrets. */
export function writeSecrets(secrets: Record<string, string>): void {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
  const written = `${secretsFile}.new`
  writeFileSync(written, lines.join(''), { mode: 0o600 })
  renameSync(written, secretsFile)
}

function readKey(): string | undefined {
  try {
    return KeyFile.parse(JSON.parse(readFileSync(keyFile, 'utf8'))).key
  } catch {
    return undefined
  }
}
