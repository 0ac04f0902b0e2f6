import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { HOUR } from '../calendar/units.ts'
import { bindRead, type Read, template } from '../db/batch.ts'
import type { ControlDb } from '../db/client.ts'
import { rowToJson } from '../db/rows.ts'
import { apiKeys, projects, users } from '../db/schema.ts'
import type { KeyRow, ProjectRow, UserRow } from './store.ts'

/** The caller of a request: its key, and the user whose key it is. */
export type Caller = {
  key: KeyRow
  user: UserRow
  /** The requested project, if the key has access to it. */
  project: ProjectRow | undefined
}

/** The hash of a key, and the requested project's id, or `@current`. */
export type Requested = { hash: string; projectId: number | '@current' }

const hash = sql.placeholder('hash')
const projectId = sql.placeholder('projectId')
const now = sql.placeholder('now')

/** Joins a key's owner and, if the key has access to it, the requested project. */
const callerJoins = sql`${users} on ${users.id} = ${apiKeys.userId}
  left join ${projects} on ${projects.id} in (select value from json_each(${apiKeys.projectIds}))
    and iif(${projectId} = '@current', json_array_length(${apiKeys.projectIds}) = 1, ${projects.id} = ${projectId})`

const callerColumns = sql`${rowToJson(apiKeys)} as key, ${rowToJson(users)} as user`

const selectCaller = template<Requested>(sql`
  select ${callerColumns}, iif(${projects.id} is null, null, ${rowToJson(projects)}) as project
  from ${apiKeys} join ${callerJoins}
  where ${apiKeys.hash} = ${hash}`)

type Sought = { hash: string; projectId: number; now: number }

/**
 * Fails, and with it the batch, unless the key is valid and has access to the project: the text is
 * no JSON. Unlike a guard that inserts, it leaves a batch of reads without a write.
 */
const selectAdmitted = template<Sought>(sql`
  select ${callerColumns}, json(iif(
    ${projects.id} is not null and ${apiKeys.revokedAt} is null
      and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > ${now}),
    ${rowToJson(projects)}, 'refused')) as project
  from (select 1) left join ${apiKeys} on ${apiKeys.hash} = ${hash} left join ${callerJoins}`)

type CallerRow = { key: string; user: string; project: string | null }

const readCaller = (row: CallerRow): Caller => ({
  key: JSON.parse(row.key),
  user: JSON.parse(row.user),
  project: row.project === null ? undefined : JSON.parse(row.project)
})

/** Finds the key with its owner, and the project if the key has access to it. */
export async function findCaller(db: ControlDb, requested: Requested): Promise<Caller | undefined> {
  const [found] = await db.$client.run<CallerRow>([selectCaller(requested)])
  const [row] = found?.results ?? []
  return row && readCaller(row)
}

/**
 * Finds the caller and runs a read of the project in one round trip. The read runs only if the key
 * is valid and has access to the project. The scope is not checked here: check it before the rows
 * are sent.
 * @returns undefined when nothing was read: the key was refused, or the read failed
 */
export async function findCallerAndRead<Answer>(
  db: ControlDb,
  sought: Sought,
  { statements, toAnswer }: Read<Answer>
): Promise<{ caller: Caller; readAnswer: () => Answer } | undefined> {
  const batch = [selectAdmitted(sought), ...statements.map(bindRead)]
  try {
    const [found, ...results] = await db.$client.run<Record<string, unknown>>(batch)
    const [row] = (found?.results ?? []) as CallerRow[]
    return (
      row && {
        caller: readCaller(row),
        readAnswer: () => toAnswer(results.map((result) => result.results))
      }
    )
  } catch {
    return undefined
  }
}

/** Records the use of a key, at most once an hour. */
export const touchKey = (db: ControlDb, id: number, now: Date) =>
  db
    .update(apiKeys)
    .set({ lastUsedAt: now.getTime() })
    .where(
      and(
        eq(apiKeys.id, id),
        or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, now.getTime() - HOUR))
      )
    )
