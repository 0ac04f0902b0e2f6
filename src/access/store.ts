import { asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { v7 as uuidv7 } from 'uuid'
import { type ControlDb, findConflict } from '../db/client.ts'
import { apiKeys, projects, users } from '../db/schema.ts'
import { AppError, NotFoundError } from '../errors.ts'
import { hashKey, maskKey, newApiKey, newCaptureToken, newErasureSalt } from './key.ts'
import { type Project, type ProjectChange, WEEK_STARTS } from './project.ts'
import { pickSettings } from './settings.ts'
import type { User, UserChange } from './user.ts'

export type UserRow = typeof users.$inferSelect
export type ProjectRow = typeof projects.$inferSelect
export type KeyRow = typeof apiKeys.$inferSelect

/** @throws conflict when the e-mail is taken */
export async function createUser(db: ControlDb, input: User, now: Date): Promise<UserRow> {
  const uuid = uuidv7({ msecs: now.getTime() })
  const insert = db.insert(users).values({
    uuid,
    distinctId: input.distinct_id ?? uuid,
    firstName: input.first_name,
    lastName: input.last_name,
    email: input.email,
    isEmailVerified: input.is_email_verified,
    hedgehogConfig: input.hedgehog_config,
    roleAtOrganization: input.role_at_organization,
    createdAt: now.getTime()
  })
  return only(await unique(insert.returning(), 'email', input.email))
}

export const listUsers = (db: ControlDb): Promise<UserRow[]> =>
  db.select().from(users).orderBy(asc(users.id))

export async function findUser(db: ControlDb, id: number): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row
}

/** Finds the users among these ids who own a project, or have a key for it. */
export const findMembers = (
  db: ControlDb,
  { id, ownerId }: ProjectRow,
  userIds: number[]
): Promise<UserRow[]> =>
  db
    .select()
    .from(users)
    .where(
      sql`${users.id} in (select value from json_each(${JSON.stringify(userIds)}))
        and (${users.id} = ${ownerId} or exists (
          select 1 from ${apiKeys}
          where ${apiKeys.userId} = ${users.id} and ${apiKeys.revokedAt} is null
            and ${id} in (select value from json_each(${apiKeys.projectIds}))))`
    )
    .orderBy(asc(users.id))

/** @throws not_found, or conflict when the e-mail is taken */
export async function updateUser(db: ControlDb, id: number, change: UserChange): Promise<UserRow> {
  const set = defined({
    firstName: change.first_name,
    lastName: change.last_name,
    email: change.email,
    distinctId: change.distinct_id,
    isEmailVerified: change.is_email_verified,
    hedgehogConfig: change.hedgehog_config,
    roleAtOrganization: change.role_at_organization
  })
  // drizzle refuses an update that sets nothing; setting the same id again avoids that.
  const update = db.update(users).set({ id, ...set })
  const rows = await unique(update.where(eq(users.id, id)).returning(), 'email', change.email)
  return only(rows, `There is no user ${id}.`)
}

/** @throws does_not_exist for an unknown owner */
export async function createProject(
  db: ControlDb,
  input: Project,
  ownerId: number,
  now: Date
): Promise<ProjectRow> {
  await requireUser(db, ownerId)
  const rows = await db
    .insert(projects)
    .values({
      name: input.name,
      ownerId,
      captureToken: newCaptureToken(),
      timezone: input.timezone,
      weekStart: WEEK_STARTS.indexOf(input.week_start),
      testAccountFilters: input.test_account_filters,
      settings: defined(pickSettings(input)),
      recordingRetentionDays: input.recording_retention_days,
      database: input.database,
      held: sql`(select ${projects.held} from ${projects} where ${projects.held} = 'maintenance' limit 1)`,
      erasureSalt: newErasureSalt(),
      createdAt: now.getTime()
    })
    .returning()
  return only(rows)
}

export const listProjects = (db: ControlDb): Promise<ProjectRow[]> =>
  db.select().from(projects).orderBy(asc(projects.id))

/** Lists the names of the D1 bindings with projects' data. */
export async function listDatabases(db: ControlDb): Promise<string[]> {
  const rows = await db
    .selectDistinct({ name: projects.database })
    .from(projects)
    .orderBy(asc(projects.database))
  return rows.map(({ name }) => name)
}

/** Lists the projects with their own retention of recordings, in days. */
export async function listRecordingRetentions(
  db: ControlDb
): Promise<{ id: number; days: number }[]> {
  const rows = await db
    .select({ id: projects.id, days: projects.recordingRetentionDays })
    .from(projects)
    .where(isNotNull(projects.recordingRetentionDays))
  return rows.flatMap(({ id, days }) => (days === null ? [] : { id, days }))
}

export async function updateProject(
  db: ControlDb,
  id: number,
  change: ProjectChange
): Promise<ProjectRow> {
  const set = defined({
    name: change.name,
    timezone: change.timezone,
    weekStart: change.week_start && WEEK_STARTS.indexOf(change.week_start),
    testAccountFilters: change.test_account_filters,
    recordingRetentionDays: change.recording_retention_days
  })
  const settings = JSON.stringify(pickSettings(change))
  const rows = await db
    .update(projects)
    .set({ ...set, settings: sql`json_patch(${projects.settings}, ${settings})` })
    .where(eq(projects.id, id))
    .returning()
  return only(rows, `There is no project ${id}.`)
}

export async function findProjectByToken(
  db: ControlDb,
  token: string
): Promise<ProjectRow | undefined> {
  const [row] = await db.select().from(projects).where(eq(projects.captureToken, token))
  return row
}

/** Finds the existing projects among these ids, sorted by id. */
export const findProjects = (db: ControlDb, ids: number[]): Promise<ProjectRow[]> =>
  db
    .select()
    .from(projects)
    .where(sql`${projects.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    .orderBy(asc(projects.id))

/** Whether a column with ids of projects has one of these. */
export const sharesProject = (column: SQLiteColumn, projectIds: number[]): SQL =>
  sql`exists (select 1 from json_each(${column}) as own
    join json_each(${JSON.stringify(projectIds)}) as asked on asked.value = own.value)`

export type NewKey = {
  label: string
  scopes: string[]
  projectIds: number[]
  userId: number
  /** The user whose key makes the key; without, a command makes it. */
  createdBy?: number
  expiresAt?: Date | undefined
}

/**
 * Creates a key. The database stores its hash: only the result contains the key itself.
 * @throws does_not_exist for an unknown user or project
 */
export async function createKey(
  db: ControlDb,
  input: NewKey,
  now: Date
): Promise<KeyRow & { key: string }> {
  await requireUser(db, input.userId)
  const known = await findProjects(db, input.projectIds)
  const missing = input.projectIds.find((id) => !known.some((project) => project.id === id))
  if (missing !== undefined) {
    throw new AppError('does_not_exist', `There is no project ${missing}.`, 'project')
  }

  const key = newApiKey()
  const rows = await db
    .insert(apiKeys)
    .values({
      userId: input.userId,
      label: input.label,
      hash: hashKey(key),
      mask: maskKey(key),
      scopes: input.scopes,
      projectIds: input.projectIds,
      createdBy: input.createdBy ?? null,
      createdAt: now.getTime(),
      expiresAt: input.expiresAt?.getTime() ?? null
    })
    .returning()
  return { ...only(rows), key }
}

export async function findKey(db: ControlDb, id: number): Promise<KeyRow | undefined> {
  const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, id))
  return row
}

export const listKeys = (db: ControlDb): Promise<KeyRow[]> =>
  db.select().from(apiKeys).orderBy(asc(apiKeys.id))

/** Revokes a key: its next request is refused. A second revocation keeps the time of the first. */
export async function revokeKey(db: ControlDb, id: number, now: Date): Promise<KeyRow> {
  const rows = await db
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${now.getTime()})` })
    .where(eq(apiKeys.id, id))
    .returning()
  return only(rows, `There is no key ${id}.`)
}

async function requireUser(db: ControlDb, id: number): Promise<void> {
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.id, id))
  if (!user) {
    throw new AppError('does_not_exist', `There is no user ${id}.`, 'user')
  }
}

/**
 * Returns the members that are not undefined, so that an update keeps fields that a change leaves
 * out.
 */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined)
  ) as ReturnType<typeof defined<T>>
}

/** @throws not_found when there is no row */
function only<T>(rows: T[], missing = 'The write returned no row.'): T {
  const [row] = rows
  if (!row) {
    throw new NotFoundError(missing)
  }
  return row
}

/** @throws conflict when another row has the value already */
async function unique<T>(query: Promise<T>, attr: string, value: unknown): Promise<T> {
  try {
    return await query
  } catch (error) {
    if (findConflict(error)) {
      throw new AppError('conflict', `${attr} '${value}' is taken.`, attr)
    }
    throw error
  }
}
