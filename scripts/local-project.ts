import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { findCaller } from '../src/access/caller.store.ts'
import { createInvitation } from '../src/access/invitations/store.ts'
import { hashKey } from '../src/access/key.ts'
import { Project } from '../src/access/project.ts'
import {
  createKey,
  createProject,
  createUser,
  listProjects,
  listUsers,
  type ProjectRow
} from '../src/access/store.ts'
import { User } from '../src/access/user.ts'
import type { ControlDb } from '../src/db/client.ts'
import { LedgerError } from '../src/ledger/entry.ts'
import { WrongSecretError } from '../src/ledger/secret.ts'
import { stateDir } from './environment.ts'
import { openLocal, type Service } from './local.ts'
import { replayLocally } from './replay.ts'

/** The file with the only API key stored in plain text. The key is valid only for the databases in the same folder. */
const keyFile = join(stateDir, 'dev-key.json')

const KeyFile = z.object({ key: z.string() })

type LocalProject = { project: ProjectRow; key: string }

/** Migrates the databases, and finds or creates a project and a key for local use. */
export async function prepareProject(): Promise<LocalProject> {
  const service = await openLocal()
  try {
    return await ensureProject(service.db, new Date())
  } finally {
    await service.close()
  }
}

/**
 * Does what `prepareProject` does for a service that is starting and answers nobody yet: applies the ledger of erasures
 * first.
 * @param open opens the databases, which are closed afterwards
 * @returns also the code of a new invitation of the project's owner to the console
 */
export async function startProject(
  open = openLocal as () => Promise<Service>
): Promise<LocalProject & { code: string }> {
  const service = await open()
  try {
    await applyLedger(service)
    const now = new Date()
    const { project, key } = await ensureProject(service.db, now)
    const invited = { userId: project.ownerId, scopes: ['*'], projectIds: [project.id] }
    const { code } = await createInvitation(service.db, invited, now)
    return { project, key, code }
  } finally {
    await service.close()
  }
}

/**
 * Erases again the data that a restored copy of the databases has brought back, before the service answers. Nothing is
 * queued here: the service takes up the remaining work when it starts.
 */
async function applyLedger(service: Service): Promise<void> {
  try {
    await repeatDeletions(service)
  } catch (error) {
    if (!(error instanceof LedgerError || error instanceof WrongSecretError)) {
      throw error
    }
    // The service starts all the same: a restored database stays held back, so nobody gets its data.
    console.error(error.message)
  }
}

async function repeatDeletions(service: Service): Promise<void> {
  for (const { database, erased } of await replayLocally(service)) {
    if (erased > 0) {
      console.error(
        `The database ${database} was older than the ledger of erasures. Deletions repeated: ${erased}.`
      )
    }
  }
}

/**
 * Returns the project and the key of the last start. If the key is lost or revoked, creates a key for the first project, and
 * the project too if there is none.
 */
async function ensureProject(db: ControlDb, now: Date): Promise<LocalProject> {
  const kept = await findKept(db)
  if (kept) {
    return kept
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

async function newProject(db: ControlDb, now: Date): Promise<ProjectRow> {
  const owner =
    (await listUsers(db))[0] ??
    (await createUser(
      db,
      User.parse({ first_name: 'Local', last_name: 'Owner', email: 'owner@example.com' }),
      now
    ))
  return createProject(db, Project.parse({ name: 'Local project', recording: true }), owner.id, now)
}

/** Returns the project and the key of the last start; undefined if the key is lost or revoked. */
async function findKept(db: ControlDb): Promise<LocalProject | undefined> {
  const key = readKey()
  if (key === undefined) {
    return undefined
  }
  const caller = await findCaller(db, { hash: hashKey(key), projectId: '@current' })
  if (!caller?.project || caller.key.revokedAt !== null) {
    return undefined
  }
  return { project: caller.project, key }
}

function readKey(): string | undefined {
  try {
    return KeyFile.parse(JSON.parse(readFileSync(keyFile, 'utf8'))).key
  } catch {
    return undefined
  }
}
