import { and, desc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { countSegmentsOf } from '../../columns/erase.store.ts'
import { uncountEvents } from '../../columns/slots/store.ts'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { expectRows, inJson } from '../../db/rows.ts'
import { eventRemovals, events, removedEvents } from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'
import type { Announced } from '../../ledger/entry.ts'
import type { Actor } from '../../persons/activity/entry.ts'
import { markStale } from '../../sessions/store.ts'
import { nextRunAfter } from '../engine/schedule.ts'
import type { RemovalEntry } from './entry.ts'
import type { Filters } from './filters.ts'

export type RemovalRow = typeof eventRemovals.$inferSelect

/**
 * Writes the task of a removal, unless it exists. `filters` is null if they are not known any more.
 * @returns whether the task is new
 */
export async function insertRemoval(
  db: Db,
  { id, project, events, digest, properties, requested_at: at }: Announced<RemovalEntry>,
  { filters, actor }: { filters: Filters | null; actor: Actor }
): Promise<boolean> {
  const rows = await db
    .insert(eventRemovals)
    .values({
      id,
      projectId: project,
      filters,
      properties,
      events,
      digest,
      requestedAt: at,
      requestedBy: actor ?? {},
      dueAt: nextRunAfter(at),
      progressAt: at
    })
    .onConflictDoNothing()
    .returning({ id: eventRemovals.id })
  return rows.length > 0
}

export async function findRemoval(
  db: Db,
  projectId: number,
  id: string
): Promise<RemovalRow | undefined> {
  const [row] = await db
    .select()
    .from(eventRemovals)
    .where(and(eq(eventRemovals.id, id), eq(eventRemovals.projectId, projectId)))
  return row
}

/** Lists a project's removals with ids below `before`, newest first. Counts all. */
export async function listRemovals(
  db: Db,
  projectId: number,
  page: { limit: number; offset: number; before?: string | undefined }
): Promise<{ rows: RemovalRow[]; count: number }> {
  const own = eq(eventRemovals.projectId, projectId)
  const before = page.before === undefined ? undefined : lt(eventRemovals.id, page.before)
  const [rows, count] = await Promise.all([
    db
      .select()
      .from(eventRemovals)
      .where(and(own, before))
      .orderBy(desc(eventRemovals.id))
      .limit(page.limit)
      .offset(page.offset),
    db.$count(eventRemovals, own)
  ])
  return { rows, count }
}

/** Repeats the condition of the index `event_removals_open`. */
const isOpen = isNull(eventRemovals.completedAt)

type Taken = { id: string; project_id: number }

export type Taking = {
  /**
   * The time for which the run is scheduled, ms UTC. Removals requested before this time are due,
   * as are removals whose `dueAt` has passed.
   */
  run: number
  /** Removals with progress since this time (ms UTC) are under way. */
  idleSince: number
  limit: number
  now: number
}

/**
 * Takes open removals that are due and not under way, at most `limit`, and notes progress at `now`.
 * Also takes a removal whose progress is in the future because the clock was set back. Sets `dueAt`
 * to `now` if a run takes a removal early, as `npm run purge:now` does, so that sweeps can resume
 * the removal.
 */
export const takeRemovals = (db: Db, { run, idleSince, limit, now }: Taking): Promise<Taken[]> => {
  const isDue = sql`(${eventRemovals.dueAt} <= ${now} or ${eventRemovals.requestedAt} < ${run})`
  const isIdle = sql`(${eventRemovals.progressAt} < ${idleSince} or ${eventRemovals.progressAt} > ${now})`
  const due = db
    .select({ id: eventRemovals.id })
    .from(eventRemovals)
    .where(and(isOpen, isDue, isIdle))
    .orderBy(eventRemovals.id)
    .limit(limit)
  return db
    .update(eventRemovals)
    .set({ dueAt: sql`min(${eventRemovals.dueAt}, ${now})`, progressAt: now })
    .where(sql`${eventRemovals.id} in ${due}`)
    .returning({ id: eventRemovals.id, project_id: eventRemovals.projectId })
}

/** Lists the open removals of all projects in the database. */
export const listOpenRemovals = (db: Db): Promise<RemovalRow[]> =>
  db.select().from(eventRemovals).where(isOpen).orderBy(eventRemovals.id)

/**
 * The next part of a removal's list: its uuids, 32 hexadecimal digits each, and the removal's
 * `position` once the part is removed.
 */
export type Part = { uuids: string[]; position: number; now: number }

/**
 * Removes a part of the listed events, or properties from these events; a trigger deletes the
 * segments that contain them. The same transaction counts the events and segments, and notes the
 * uuids of removed events: capture does not store these events again.
 * @throws ConflictError when the part was removed already, or the removal is completed
 */
export async function removePart(db: Db, removal: RemovalRow, part: Part): Promise<void> {
  const { id, projectId, position, properties } = removal
  const places = sql`select ${events.projectId}, ${events.eventId}, ${events.timestamp}, ${events.uuid}
    ${listed(removal, part.uuids)}`
  const add = (store: string, count: SQL) =>
    sql`${`$.${store}`}, coalesce(${eventRemovals.stores} ->> ${`$.${store}`}, 0) + ${count}`
  await writeBatch(db, [
    expectRows(
      1,
      sql`${eventRemovals} where ${eventRemovals.id} = ${id} and ${eventRemovals.projectId} = ${projectId}
        and ${eventRemovals.position} = ${position} and ${isOpen}`
    ),
    markStale(projectId, sql`select ${events.sessionId} ${listed(removal, part.uuids)}`),
    updateFrom(eventRemovals, {
      set: {
        stores: sql`json_set(${eventRemovals.stores},
          ${add('segments', countSegmentsOf(projectId, places))},
          ${add('events', sql`(select count(*) from (${places}))`)})`,
        position: part.position,
        error: null,
        progressAt: part.now
      },
      where: sql`${eventRemovals.id} = ${id}`
    }),
    ...(properties === null
      ? removeEvents(projectId, part.uuids, places)
      : [removeProperties(properties, places)])
  ])
}

/**
 * Returns a `from` clause for the listed events that are still stored and, if properties are to be
 * removed, still have one of them.
 */
function listed({ projectId, properties }: RemovalRow, uuids: string[]): SQL {
  const isMeant = properties === null ? sql`true` : hasOneOf(pathsTo(properties))
  return sql`from ${events} indexed by events_uuid where ${events.projectId} = ${projectId}
    and ${events.uuid} in (select unhex(value) from json_each(${JSON.stringify(uuids)})) and ${isMeant}`
}

const removeEvents = (projectId: number, uuids: string[], places: SQL): SQL[] => [
  sql`${insertSelect(
    removedEvents,
    { projectId, uuid: sql`unhex(value)` },
    sql`json_each(${JSON.stringify(uuids)}) where true`
  )} on conflict do nothing`,
  uncountEvents(projectId, places),
  sql`delete from ${events}
    where (${events.projectId}, ${events.eventId}, ${events.timestamp}, ${events.uuid}) in (${places})`
]

const removeProperties = (names: string[], places: SQL): SQL =>
  updateFrom(events, {
    set: {
      properties: sql`jsonb_remove(${events.properties}, ${sql.join(
        pathsTo(names).map((path) => sql`${path}`),
        sql`, `
      )})`,
      ...(names.includes('$session_id') && { sessionId: null }),
      ...(names.includes('$window_id') && { windowId: null })
    },
    where: sql`(${events.projectId}, ${events.eventId}, ${events.timestamp}, ${events.uuid}) in (${places})`
  })

/** Returns the JSON paths of properties: at the top, in `$set` and in `$set_once`. */
const pathsTo = (names: string[]): string[] =>
  names.flatMap((name) =>
    ['$', '$."$set"', '$."$set_once"'].map((at) => `${at}.${JSON.stringify(name)}`)
  )

const hasOneOf = (paths: string[]): SQL =>
  sql`exists (select 1 from json_each(${JSON.stringify(paths)}) path
    where json_type(${events.properties}, path.value) is not null)`

/** Counts the listed events that are left, or that still have one of the properties. */
export async function countListed(db: Db, removal: RemovalRow, uuids: string[]): Promise<number> {
  const [[counted]] = await readBatch(
    db,
    query<{ count: number }>(sql`select count(*) as count ${listed(removal, uuids)}`)
  )
  return counted?.count ?? 0
}

/** Notes why a removal could not go on. */
export const noteError = (db: Db, id: string, error: string, now: number) =>
  db
    .update(eventRemovals)
    .set({ error, progressAt: now })
    .where(and(eq(eventRemovals.id, id), isOpen))

/** Completes a removal with its receipt, and forgets its filters. @returns whether it was open */
export async function completeRemoval(
  db: Db,
  { id }: RemovalRow,
  receipt: Record<string, unknown>,
  now: number
): Promise<boolean> {
  const rows = await db
    .update(eventRemovals)
    .set({ receipt, filters: null, error: null, completedAt: now, progressAt: now })
    .where(and(eq(eventRemovals.id, id), isOpen))
    .returning({ id: eventRemovals.id })
  return rows.length > 0
}

/** Ends a removal that cannot be carried out. It gets no receipt. @returns whether it was open */
export async function giveUpRemoval(
  db: Db,
  { id }: RemovalRow,
  why: string,
  now: number
): Promise<boolean> {
  const rows = await db
    .update(eventRemovals)
    .set({ filters: null, error: why, completedAt: now, progressAt: now })
    .where(and(eq(eventRemovals.id, id), isOpen))
    .returning({ id: eventRemovals.id })
  return rows.length > 0
}

/** Returns the ids whose removals are open. */
export const findOpenRemovals = async (db: Db, ids: string[]): Promise<string[]> => {
  const rows = await db
    .select({ id: eventRemovals.id })
    .from(eventRemovals)
    .where(and(sql`${eventRemovals.id} in ${inJson(ids)}`, isOpen))
  return rows.map(({ id }) => id)
}
