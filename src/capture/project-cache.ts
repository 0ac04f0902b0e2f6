import { newUsage, openDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { type ProjectSettings, settingsOf } from '../projects/settings.ts'
import { findProjectByToken } from '../projects/store.ts'
import { measureDatabase } from './store.ts'

/** What capture has to know of a project: whose events these are, on which calendar, and how full its database is (0…1). */
export type CaptureProject = {
  id: number
  timezone: string
  settings: ProjectSettings
  fill: number
}

const TTL_MS = 30_000
const MAX_ENTRIES = 1_000

/**
 * Finds projects by capture token, remembering those found for 30 seconds: a token is public and a project hardly ever
 * changes. Unknown tokens are looked up each time, so that a new project's works at once.
 */
export function createProjectFinder() {
  const found = new Map<string, { project: CaptureProject; at: number }>()

  return async function findProject(
    env: Env,
    token: string,
    now: Date,
    usage: Usage
  ): Promise<CaptureProject | undefined> {
    const known = found.get(token)
    if (known && now.getTime() - known.at < TTL_MS) {
      return known.project
    }

    const row = await findProjectByToken(openDb(env.DB, usage).db, token)
    if (!row) {
      return undefined
    }
    const size = newUsage()
    await measureDatabase(openDb(databaseOf(env, row.database), size).db)
    const { id, timezone } = row
    const project = {
      id,
      timezone,
      settings: settingsOf(row),
      fill: size.sizeBytes / Number(env.DATABASE_MAX_BYTES)
    }
    if (found.size >= MAX_ENTRIES) {
      found.clear()
    }
    found.set(token, { project, at: now.getTime() })
    return project
  }
}
