import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Scope } from '../../access/open.ts'
import { toIso } from '../../calendar/clock.ts'
import { MINUTE } from '../../calendar/units.ts'
import { query, readBatch } from '../../db/batch.ts'
import {
  counters,
  distinctIds,
  persons,
  recordingParts,
  recordings,
  recordingViews
} from '../../db/schema.ts'
import { list } from '../../db/statements.ts'
import type { JsonObject } from '../../input/json.ts'
import { placeholderUuid } from '../../persons/placeholder.ts'
import { LISTED_DISTINCT_IDS } from '../../persons/schemas.ts'
import { personToJson } from '../../persons/store.ts'
import type { Activity } from '../activity.ts'
import type { RecordingJson, SourcesJson } from '../schemas.ts'
import { isLive } from '../store.ts'
import type { ORDERS } from './schemas.ts'

/** Time after its last part during which a recording counts as ongoing, ms. */
const ONGOING_MS = 5 * MINUTE

export const DURATION = sql`(${recordings.endTime} / 1000 - ${recordings.startTime} / 1000)`
export const ACTIVE_SECONDS = sql`(${recordings.activeMs} / 1000.0)`
export const INACTIVE_SECONDS = sql`max(0, (${DURATION} * 1000 - ${recordings.activeMs}) / 1000.0)`

/** The activity score, rounded to hundredths like PostHog's so that both are equal. */
export const ACTIVITY_SCORE = sql`coalesce(cast(
  (${recordings.activeMs} + 1000.0 * (${recordings.clickCount} + ${recordings.keypressCount} + ${recordings.consoleErrorCount})) * 10.0
  / nullif(${recordings.mouseActivityCount} + ${DURATION} + ${recordings.consoleErrorCount} + ${recordings.consoleLogCount}
           + ${recordings.consoleWarnCount}, 0)
  + 0.5 as integer) / 100.0, 0)`

/** The source, for a `from`, of recordings with their identity and person. */
export const RECORDINGS = sql`${recordings}
  left join ${distinctIds}
    on ${distinctIds.key} = ${recordings.identity} and ${distinctIds.projectId} = ${recordings.projectId}
  left join ${persons} on ${persons.id} = ${distinctIds.personId}`

const COLUMNS = list([
  recordings.sessionId,
  recordings.identity,
  recordings.startTime,
  recordings.endTime,
  recordings.clickCount,
  recordings.keypressCount,
  recordings.mouseActivityCount,
  recordings.consoleLogCount,
  recordings.consoleWarnCount,
  recordings.consoleErrorCount,
  recordings.activity,
  recordings.startUrl,
  recordings.snapshotSource,
  recordings.lastReceivedAt,
  sql`${DURATION} as duration`,
  sql`${ACTIVE_SECONDS} as active_seconds`,
  sql`${INACTIVE_SECONDS} as inactive_seconds`,
  sql`${ACTIVITY_SCORE} as activity_score`,
  distinctIds.distinctId,
  sql`${persons.id} as person_id`,
  persons.uuid,
  sql`${persons.createdAt} as created_at`,
  persons.properties,
  sql`(
    select json_group_array(distinct_id) from (
      select ${distinctIds.distinctId} as distinct_id from ${distinctIds} where ${distinctIds.personId} = ${persons.id}
      order by ${distinctIds.key} limit ${LISTED_DISTINCT_IDS})) as distinct_ids`,
  sql`(
    select json_group_array(json_array(user_id, email)) from (
      select ${recordingViews.userId} as user_id, ${recordingViews.email} as email from ${recordingViews}
      where ${recordingViews.projectId} = ${recordings.projectId} and ${recordingViews.sessionId} = ${recordings.sessionId}
      order by ${recordingViews.email} limit 1000)) as views`
])

export type ListedRecording = {
  session_id: string
  identity: number
  start_time: number
  end_time: number
  click_count: number
  keypress_count: number
  mouse_activity_count: number
  console_log_count: number
  console_warn_count: number
  console_error_count: number
  activity: string
  start_url: string | null
  snapshot_source: 'web' | 'mobile'
  last_received_at: number
  duration: number
  active_seconds: number
  inactive_seconds: number
  activity_score: number
  distinct_id: string | null
  person_id: number | null
  uuid: string
  created_at: number
  properties: string
  distinct_ids: string
  views: string
  order_value?: number
}

/** Reads a recording with its person and viewers; undefined if it does not exist or is deleted. */
export async function readRecording(
  { db, project }: Scope,
  sessionId: string
): Promise<ListedRecording | undefined> {
  const rows = query<ListedRecording>(sql`
    select ${COLUMNS} from ${RECORDINGS}
    where ${isLive(project.id, sessionId)}`)
  return (await readBatch(db, rows))[0][0]
}

/**
 * Finds whom a recording shows; undefined if it does not exist or is deleted. `uuid` is null without
 * a person.
 */
export async function findWatched(
  { db, project }: Scope,
  sessionId: string
): Promise<{ uuid: string | null } | undefined> {
  const rows = query<{ uuid: string | null }>(sql`
    select ${persons.uuid} from ${RECORDINGS} where ${isLive(project.id, sessionId)}`)
  return (await readBatch(db, rows))[0][0]
}

/** The counts of a recording, by their names in the API. */
export const COUNTS = {
  click_count: sql`${recordings.clickCount}`,
  keypress_count: sql`${recordings.keypressCount}`,
  mouse_activity_count: sql`${recordings.mouseActivityCount}`,
  console_log_count: sql`${recordings.consoleLogCount}`,
  console_warn_count: sql`${recordings.consoleWarnCount}`,
  console_error_count: sql`${recordings.consoleErrorCount}`
}

const VALUES = {
  start_time: sql`${recordings.startTime}`,
  recording_duration: DURATION,
  duration: DURATION,
  active_seconds: sql`${recordings.activeMs}`,
  inactive_seconds: INACTIVE_SECONDS,
  ...COUNTS,
  activity_score: ACTIVITY_SCORE
} satisfies Record<Order['by'], SQL>

export type Order = { by: (typeof ORDERS)[number]; isAscending: boolean }

/** The sort value and the id of the last recording on the previous page. */
export const RecordingPosition = z.object({ value: z.number(), id: z.string() })
export type RecordingPosition = z.infer<typeof RecordingPosition>

type Page = { limit: number; offset: number; after: RecordingPosition | undefined }

type ListedRecordings = {
  /** The whole condition on `RECORDINGS`; undefined for all that are not deleted. */
  matching: SQL | undefined
  order: Order
  page: Page
  /** The number of matches, if a previous page has counted them. */
  knownCount: number | undefined
}

/**
 * Reads one page of recordings and, unless `knownCount` is given, the exact number of matches, in
 * one round trip.
 */
export async function listRecordings(
  { db, project }: Scope,
  { matching, order, page, knownCount }: ListedRecordings
): Promise<{ rows: ListedRecording[]; count: number }> {
  const { by, isAscending } = order
  const { limit, offset, after } = page
  const value = VALUES[by]
  const direction = isAscending ? sql`asc` : sql`desc`
  const compare = isAscending ? sql`>` : sql`<`
  const matches =
    matching ?? sql`${recordings.projectId} = ${project.id} and not ${recordings.deleted}`
  const isAfter = after
    ? sql`(${value}, ${recordings.sessionId}) ${compare} (${after.value}, ${after.id})`
    : sql`1`
  // Only the page's rows are read in full.
  const rows = query<ListedRecording>(sql`
    select ${COLUMNS}, page.value as order_value
    from (select ${recordings.sessionId}, ${value} as value from ${matching ? RECORDINGS : recordings}
          where ${matches} and ${isAfter}
          order by ${value} ${direction}, ${recordings.sessionId} ${direction} limit ${limit} offset ${offset}) as page
    cross join ${RECORDINGS}
    where ${recordings.projectId} = ${project.id} and ${recordings.sessionId} = page.session_id
    order by page.value ${direction}, ${recordings.sessionId} ${direction}`)
  const counted = query<{ count: number }>(
    matching
      ? sql`select count(*) as count from ${RECORDINGS} where ${matches}`
      : sql`select ${counters.value} as count from ${counters}
            where ${counters.projectId} = ${project.id} and ${counters.name} = 'recordings'`
  )
  const [listed, [count]] =
    knownCount === undefined
      ? await readBatch(db, rows, counted)
      : [(await readBatch(db, rows))[0], [{ count: knownCount }]]
  return { rows: listed, count: count?.count ?? 0 }
}

/** Converts a row to the recording that every endpoint shows to this user. */
export function recordingToJson(
  row: ListedRecording,
  projectId: number,
  userId: number,
  now: Date
): RecordingJson {
  const views: [number, string][] = JSON.parse(row.views)
  return {
    id: row.session_id,
    distinct_id: row.distinct_id ?? '',
    viewed: views.some(([id]) => id === userId),
    viewers: views.filter(([id]) => id !== userId).map(([, email]) => email),
    recording_duration: row.duration,
    active_seconds: row.active_seconds,
    inactive_seconds: row.inactive_seconds,
    start_time: toIso(row.start_time),
    end_time: toIso(row.end_time),
    click_count: row.click_count,
    keypress_count: row.keypress_count,
    mouse_activity_count: row.mouse_activity_count,
    console_log_count: row.console_log_count,
    console_warn_count: row.console_warn_count,
    console_error_count: row.console_error_count,
    activity: activityOf(row),
    start_url: row.start_url ?? '',
    person: personOf(row, projectId),
    storage: 'object_storage',
    snapshot_source: row.snapshot_source,
    ongoing: row.last_received_at >= now.getTime() - ONGOING_MS,
    activity_score: row.activity_score
  }
}

function activityOf({ activity }: ListedRecording): number[] {
  const { counts }: Activity = JSON.parse(activity)
  return counts
}

function personOf(row: ListedRecording, projectId: number): RecordingJson['person'] & JsonObject {
  const distinctId = row.distinct_id ?? ''
  if (row.person_id !== null) {
    const { uuid, created_at, properties } = row
    const person = personToJson({
      id: row.person_id,
      uuid,
      created_at,
      properties,
      distinct_ids: JSON.parse(row.distinct_ids)
    })
    return { ...person, distinct_ids: distinctId }
  }
  const uuid = placeholderUuid(projectId, row.distinct_id ?? row.identity)
  return {
    id: null,
    name: distinctId,
    distinct_ids: distinctId,
    properties: {},
    created_at: toIso(row.start_time),
    uuid
  }
}

/** Lists the parts of a recording, earliest first. */
export async function listSources(
  { db, project }: Scope,
  sessionId: string
): Promise<SourcesJson['sources']> {
  const parts = await db
    .select()
    .from(recordingParts)
    .where(and(eq(recordingParts.projectId, project.id), eq(recordingParts.sessionId, sessionId)))
    .orderBy(asc(recordingParts.startTime), asc(recordingParts.partId))
  return parts.map(({ partId, startTime, endTime }) => ({
    source: 'blob_v2',
    blob_key: partId,
    start_timestamp: toIso(startTime),
    end_timestamp: toIso(endTime)
  }))
}
