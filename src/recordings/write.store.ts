import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { countRows, eachChunk, expectRows, inJson } from '../db/rows.ts'
import { reopenSessions } from '../sessions/store.ts'
import { expectLastErasure } from '../tombstones/store.ts'
import type { Changes, Known, Recording } from './plan.ts'
import { findStored } from './store.ts'

export type Wanted = { sessionId: string; partId: string; distinctId: string }[]

/** Reads the stored rows of these sessions, parts and distinct ids. */
export async function readKnown(
  db: Db,
  projectId: number,
  wanted: Wanted
): Promise<Omit<Known, 'tombstones' | 'keptSince'>> {
  const sessionIds = [...new Set(wanted.map(({ sessionId }) => sessionId))]
  const distinctIds = [...new Set(wanted.map(({ distinctId }) => distinctId))]
  const [stored, [seen, identities, lastErasure]] = await Promise.all([
    findStored(db, projectId, sessionIds),
    readBatch(
      db,
      query<{ name: string }>(sql`
        select part.session_id || '/' || part.part_id as name
        from json_each(${JSON.stringify(wanted)}) as wanted cross join recording_parts as part
          on part.project_id = ${projectId} and part.session_id = wanted.value ->> 'sessionId'
             and part.part_id = wanted.value ->> 'partId'`),
      query<{ key: number; distinct_id: string }>(sql`
        select key, distinct_id from distinct_ids
        where project_id = ${projectId} and distinct_id in ${inJson(distinctIds)}`),
      query<{ value: number }>(sql`
        select value from counters where project_id = ${projectId} and name = 'last_erasure'`)
    )
  ])
  return {
    recordings: new Map(stored.map((row) => [row.sessionId, row])),
    seen: new Set(seen.map(({ name }) => name)),
    identities: new Map(identities.map((row) => [row.distinct_id, row.key])),
    lastErasure: lastErasure[0]?.value ?? 0
  }
}

/** The columns that a part may change in a stored recording, except the indexed columns. */
const SUMS = [
  'end_time',
  'first_part',
  'snapshot_source',
  'active_ms',
  'click_count',
  'keypress_count',
  'mouse_activity_count',
  'console_log_count',
  'console_warn_count',
  'console_error_count',
  'start_url',
  'urls',
  'parts',
  'bytes',
  'last_received_at'
]
const INDEXED = ['identity', 'start_time']

const toColumns = (recording: Recording) => ({
  session_id: recording.sessionId,
  identity: recording.identity,
  start_time: recording.startTime,
  end_time: recording.endTime,
  first_part: recording.firstPart,
  snapshot_source: recording.snapshotSource,
  active_ms: recording.activeMs,
  click_count: recording.clickCount,
  keypress_count: recording.keypressCount,
  mouse_activity_count: recording.mouseActivityCount,
  console_log_count: recording.consoleLogCount,
  console_warn_count: recording.consoleWarnCount,
  console_error_count: recording.consoleErrorCount,
  start_url: recording.startUrl,
  urls: recording.urls,
  parts: recording.parts,
  bytes: recording.bytes,
  last_received_at: recording.lastReceivedAt
})

/**
 * Writes a plan in one transaction, or writes nothing if the rows that the plan was made from have
 * changed since.
 * @param newToken makes the access token of a new recording
 * @throws ConflictError
 */
export async function writeChanges(
  db: Db,
  projectId: number,
  changes: Changes,
  { now, newToken }: { now: number; newToken: () => string }
): Promise<void> {
  const { parts, created, updated, newIdentities } = changes
  const [moved, grown] = [
    updated.filter(({ isMoved }) => isMoved),
    updated.filter(({ isMoved }) => !isMoved)
  ]
  await writeBatch(db, [
    ...expectUnchanged(projectId, updated),
    ...eachChunk(changes.usedIdentities, (keys, count) => [
      expectRows(
        count,
        sql`json_each(${keys}) as used cross join distinct_ids as identity
            on identity.key = used.value and identity.project_id = ${projectId}`
      )
    ]),
    ...(newIdentities.length > 0 ? [expectLastErasure(projectId, changes.lastErasure)] : []),
    ...eachChunk(newIdentities, (rows) => [
      sql`insert into distinct_ids (key, project_id, distinct_id, person_id)
          select value ->> 'key', ${projectId}, value ->> 'distinct_id', null from json_each(${rows})`
    ]),
    ...eachChunk(
      parts.map(({ sessionId, partId, summary: { startTime, endTime } }) => [
        sessionId,
        partId,
        startTime,
        endTime
      ]),
      (rows) => [
        sql`insert into recording_parts (project_id, session_id, part_id, start_time, end_time)
            select ${projectId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${rows})`
      ]
    ),
    ...insertRecordings(
      projectId,
      created.map((recording) => ({ ...toColumns(recording), access_token: newToken() })),
      now
    ),
    ...updateRecordings(projectId, moved, [...INDEXED, ...SUMS]),
    ...updateRecordings(projectId, grown, SUMS),
    ...countRows(projectId, 'recordings', created.length),
    ...reopenSessions(
      projectId,
      created.map(({ sessionId }) => sessionId)
    )
  ])
}

/**
 * Rolls the batch back as a conflict unless these recordings are unchanged since they were read.
 * Put it before all writes.
 */
const expectUnchanged = (projectId: number, recordings: Changes['updated']): SQL[] =>
  eachChunk(
    recordings.map(({ sessionId, revision }) => ({ sessionId, revision })),
    (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join recordings as recording
            on recording.project_id = ${projectId} and recording.session_id = read.value ->> 'sessionId'
               and recording.revision = read.value ->> 'revision'`
      )
    ]
  )

function insertRecordings(projectId: number, rows: object[], now: number): SQL[] {
  const columns = [...INDEXED, ...SUMS, 'session_id', 'access_token']
  return eachChunk(rows, (json) => [
    sql`insert into recordings (project_id, is_relinked, created_at, ${names(columns)})
        select ${projectId}, 0, ${now}, ${sql.join(columns.map(column), sql`, `)} from json_each(${json})`
  ])
}

const updateRecordings = (projectId: number, recordings: Recording[], columns: string[]): SQL[] =>
  eachChunk(recordings.map(toColumns), (json) => [
    sql`update recordings set revision = recordings.revision + 1,
          ${sql.join(
            columns.map((name) => sql`${sql.identifier(name)} = ${column(name)}`),
            sql`, `
          )}
        from json_each(${json}) as changed
        where recordings.project_id = ${projectId} and recordings.session_id = changed.value ->> 'session_id'`
  ])

const names = (columns: string[]): SQL =>
  sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `
  )

const column = (name: string): SQL => sql`value ->> ${name}`
