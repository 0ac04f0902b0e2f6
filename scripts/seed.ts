import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Db } from '../src/db/client.ts'
import { hashKey } from '../src/projects/key.ts'
import { Project } from '../src/projects/project.ts'
import {
  callerQuery,
  createKey,
  createProject,
  createUser,
  listProjects,
  listUsers,
  type ProjectRow,
  readCaller
} from '../src/projects/store.ts'
import { User } from '../src/projects/user.ts'
import { newSecret, readConfig, stateDir } from './local.ts'

/** The only key that is ever kept in the clear: it opens nothing but the databases beside it. */
const keyFile = join(stateDir, 'dev-key.json')

const secretsFile = join(stateDir, 'secrets.env')

const KeyFile = z.object({ key: z.string() })

/** The project to develop with and a key to it: those of the last start, or new ones where they are missing. */
export async function ensureProject(
  db: Db,
  now: Date
): Promise<{ project: ProjectRow; key: string }> {
  const kept = readKey() ?? ''
  const query = callerQuery({ hash: await hashKey(kept), asked: '@current', isStrict: false })
  const [found] = await db.$client.run<Record<string, unknown>>([query])
  const caller = readCaller(found?.results ?? [])
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
  return createProject(db, Project.parse({ name: 'Local project' }), owner.id, now)
}

/** The file with the local service's secrets: those of the last start, or new ones. */
export async function ensureSecrets(): Promise<string> {
  if (!existsSync(secretsFile)) {
    const lines = readConfig().secrets.required.map((name) => `${name}=${newSecret()}\n`)
    writeFileSync(secretsFile, lines.join(''), { mode: 0o600 })
  }
  return secretsFile
}

function readKey(): string | undefined {
  try {
    return KeyFile.parse(JSON.parse(readFileSync(keyFile, 'utf8'))).key
  } catch {
    return undefined
  }
}
