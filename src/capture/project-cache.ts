import { type ProjectSettings, settingsOf } from '../access/settings.ts'
import { findProjectByToken } from '../access/store.ts'
import { openControl, openDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { measureDatabase } from './store.ts'

/** The facts about a project that capture needs. */
export type CaptureProject = {
  id: number
  timezone: string
  settings: ProjectSettings
  /** How full the project's database is, from 0 to 1. */
  fill: number
}

/** How long a project is cached, ms. Changed settings take effect within that time. */
const TTL_MS = 30_000
/** Cached projects per isolate; a full cache is emptied. */
const MAX_ENTRIES = 1_000

/**
 * Returns a function that finds a project by its capture token and remembers it for 30 seconds.
 * Unknown tokens are looked up each time, so that the token of a new project works at once.
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

    const row = await findProjectByToken(openControl(env, usage).db, token)
    if (!row) {
      return undefined
    }
    // Any answer of D1 carries the size of its database, which openDb notes in the usage.
    await measureDatabase(openDb(databaseOf(env, row.database), usage).db)
    const { id, timezone } = row
    const project = {
      id,
      timezone,
      settings: settingsOf(row),
      fill: usage.sizeBytes / Number(env.DATABASE_MAX_BYTES)
    }
    if (found.size >= MAX_ENTRIES) {
      found.clear()
    }
    found.set(token, { project, at: now.getTime() })
    return project
  }
}
