import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { countSuppressed, expectSerial, SERIAL } from '../barred/suppressions/store.ts'
import type { Drops } from '../barred/suppressions/suppression.ts'
import { expectLastErasure } from '../barred/tombstones/store.ts'
import { query, readBatch, writeBatch } from '../db/batch.ts'
import { countRows, eachChunk, expectRows, inJson } from '../db/rows.ts'
import {
  counters,
  distinctIds,
  erasedIdentities,
  erasures,
  recordingParts,
  recordings
} from '../db/schema.ts'
import { type ColumnValues, insertSelect, updateFrom } from '../db/statements.ts'
import { reopenSessions } from '../sessions/store.ts'
import {
  type IncomingPart,
  type KnownRecordings,
  nameOfPart,
  type Recording,
  type RecordingChanges
} from './plan.ts'
import { findStored } from './store.ts'

export type WantedParts = { sessionId: string; partId: string; distinctId: string }[]

/**
 * Reads the stored rows of these sessions, parts and distinct ids, and the counters by which
 * `writeChanges` notices later erasures and suppressions.
 */
export async function readKnown(
  { db, project }: Scope,
  wanted: WantedParts
): Promise<Omit<KnownRecordings, 'tombstones' | 'keptSince'> & { suppressionSerial: number }> {
  const sessionIds = [...new Set(wanted.map(({ sessionId }) => sessionId))]
  const ids = [...new Set(wanted.map(({ distinctId }) => distinctId))]
  const [stored, [seen, identities, erased, counterRows]] = await Promise.all([
    findStored({ db, project }, sessionIds),
    readBatch(
      db,
      query<{ session_id: string; part_id: string }>(sql`
        select ${recordingParts.sessionId}, ${recordingParts.partId}
        from json_each(${JSON.stringify(wanted)}) as wanted cross join ${recordingParts}
          on ${recordingParts.projectId} = ${project.id} and ${recordingParts.sessionId} = wanted.value ->> 'sessionId'
             and ${recordingParts.partId} = wanted.value ->> 'partId'`),
      query<{ key: number; distinct_id: string }>(sql`
        select ${distinctIds.key}, ${distinctIds.distinctId} from ${distinctIds}
        where ${distinctIds.projectId} = ${project.id} and ${distinctIds.distinctId} in ${inJson(ids)}`),
      query<{ key: number }>(sql`
        select ${erasedIdentities.key} from json_each(${JSON.stringify(sessionIds)}) as wanted
          cross join ${recordings} on ${recordings.projectId} = ${project.id} and ${recordings.sessionId} = wanted.value
          cross join ${erasedIdentities} on ${erasedIdentities.key} = ${recordings.identity}`),
      query<{ name: string; value: number }>(sql`
        select ${counters.name}, ${counters.value} from ${counters}
        where ${counters.projectId} = ${project.id} and ${counters.name} in ('last_erasure', ${SERIAL})`)
    )
  ])
  return {
    recordings: new Map(stored.map((row) => [row.sessionId, row])),
    seen: new Set(
      seen.map(({ session_id: sessionId, part_id: partId }) => nameOfPart({ sessionId, partId }))
    ),
    identities: new Map(identities.map((row) => [row.distinct_id, row.key])),
    erasedIdentities: new Set(erased.map(({ key }) => key)),
    lastErasure: counterRows.find(({ name }) => name === 'last_erasure')?.value ?? 0,
    suppressionSerial: counterRows.find(({ name }) => name === SERIAL)?.value ?? 0
  }
}

/** The columns that a part may change in a stored recording and that are in no index. */
const UNINDEXED = [
  'endTime',
  'skew',
  'firstPart',
  'snapshotSource',
  'activeMs',
  'clickCount',
  'keypressCount',
  'mouseActivityCount',
  'consoleLogCount',
  'consoleWarnCount',
  'consoleErrorCount',
  'startUrl',
  'urls',
  'activity',
  'parts',
  'bytes',
  'lastReceivedAt'
] as const satisfies Column[]
/** Indexed columns that a part may change; left out of an update that changes neither. */
const INDEXED = ['identity', 'startTime'] as const satisfies Column[]

type Column = keyof Recording & keyof typeof recordings.$inferSelect

type Writing = {
  now: number
  newToken: () => string
  /** The suppressions' serial as it was read; the write fails after a change. */
  serial: number
  /** How many parts of the batch each suppression dropped. */
  dropped: Drops[]
}

/**
 * Writes a plan in one transaction, or writes nothing if the rows that the plan was made from have
 * changed since.
 * @throws ConflictError
 */
export async function writeChanges(
  { db, project }: Scope,
  changes: RecordingChanges,
  { now, newToken, serial, dropped }: Writing
): Promise<void> {
  const { parts, updated, newIdentities } = changes
  const created = changes.created.map((recording) => ({ ...recording, accessToken: newToken() }))
  const moved = updated.filter(({ isMoved }) => isMoved)
  const grown = updated.filter(({ isMoved }) => !isMoved)
  const createdIds = created.map(({ sessionId }) => sessionId)
  await writeBatch(db, [
    expectSerial(project.id, serial),
    ...countSuppressed(project.id, 'recordingParts', dropped),
    ...expectUnchanged(project.id, updated),
    ...expectIdentities(project.id, changes.expectedIdentities),
    ...expectKept(project.id, changes.usedTombstones),
    // `expectIdentities` notices if a stored identity has been erased since. A new identity has no
    // row yet, so any later erasure counts as a conflict.
    ...(newIdentities.length > 0 ? [expectLastErasure(project.id, changes.lastErasure)] : []),
    ...insertIdentities(project.id, newIdentities),
    ...moveParts(project.id, updated),
    ...insertParts(project.id, parts),
    ...insertRecordings(project.id, created, now),
    ...updateRecordings(project.id, moved, [...INDEXED, ...UNINDEXED]),
    ...updateRecordings(project.id, grown, UNINDEXED),
    ...countRows(project.id, 'recordings', created.length),
    // The steps of a session are stored only if it has a recording when it is closed.
    ...reopenSessions(project.id, createdIds)
  ])
}

/**
 * Rolls the batch back as a conflict unless these recordings are unchanged since they were read.
 * Put it before the statements that write recordings.
 */
const expectUnchanged = (projectId: number, updated: RecordingChanges['updated']): SQL[] =>
  eachChunk(
    updated.map(({ sessionId, revision }) => ({ sessionId, revision })),
    (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as read cross join ${recordings}
            on ${recordings.projectId} = ${projectId} and ${recordings.sessionId} = read.value ->> 'sessionId'
               and ${recordings.revision} = read.value ->> 'revision'`
      )
    ]
  )

/** Rolls the batch back as a conflict unless these identities still exist. */
const expectIdentities = (projectId: number, used: number[]): SQL[] =>
  eachChunk(used, (keys, count) => [
    expectRows(
      count,
      sql`json_each(${keys}) as used cross join ${distinctIds}
          on ${distinctIds.key} = used.value and ${distinctIds.projectId} = ${projectId}`
    )
  ])

/**
 * Rolls the batch back as a conflict unless the recordings of these erased identities are still
 * kept: an erasure may have been extended to recordings, or a tombstone moved to another key.
 */
const expectKept = (projectId: number, used: number[]): SQL[] =>
  eachChunk(used, (keys, count) => [
    expectRows(
      count,
      sql`json_each(${keys}) as used
          cross join ${erasedIdentities}
            on ${erasedIdentities.key} = used.value and ${erasedIdentities.projectId} = ${projectId}
          cross join ${erasures} on ${erasures.id} = ${erasedIdentities.erasureId}
            and not ${erasures.deleteRecordings}`
    )
  ])

const insertIdentities = (projectId: number, added: RecordingChanges['newIdentities']): SQL[] =>
  eachChunk(added, (rows) => [
    insertSelect(
      distinctIds,
      {
        key: sql`value ->> 'key'`,
        projectId,
        distinctId: sql`value ->> 'distinct_id'`,
        personId: null
      },
      sql`json_each(${rows})`
    )
  ])

/** Moves the stored parts of recordings whose correction has changed. */
const moveParts = (projectId: number, updated: RecordingChanges['updated']): SQL[] =>
  eachChunk(
    updated
      .filter(({ movedBy }) => movedBy !== 0)
      .map(({ sessionId, movedBy }) => ({ sessionId, movedBy })),
    (json) => [
      updateFrom(recordingParts, {
        set: {
          startTime: sql`${recordingParts.startTime} + moved.value ->> 'movedBy'`,
          endTime: sql`${recordingParts.endTime} + moved.value ->> 'movedBy'`
        },
        from: sql`json_each(${json}) as moved`,
        where: sql`${recordingParts.projectId} = ${projectId}
          and ${recordingParts.sessionId} = moved.value ->> 'sessionId'`
      })
    ]
  )

function insertParts(projectId: number, parts: IncomingPart[]): SQL[] {
  const added = parts.map(({ sessionId, partId, summary: { startTime, endTime } }) => [
    sessionId,
    partId,
    startTime,
    endTime
  ])
  return eachChunk(added, (rows) => [
    insertSelect(
      recordingParts,
      {
        projectId,
        sessionId: sql`value ->> 0`,
        partId: sql`value ->> 1`,
        startTime: sql`value ->> 2`,
        endTime: sql`value ->> 3`
      },
      sql`json_each(${rows})`
    )
  ])
}

const insertRecordings = (
  projectId: number,
  created: (Recording & { accessToken: string })[],
  now: number
): SQL[] =>
  eachChunk(created, (json) => [
    insertSelect(
      recordings,
      {
        projectId,
        isRelinked: 0,
        createdAt: now,
        ...valuesOf([...INDEXED, ...UNINDEXED, 'sessionId']),
        accessToken: sql`value ->> 'accessToken'`
      },
      sql`json_each(${json})`
    )
  ])

const updateRecordings = (
  projectId: number,
  updated: Recording[],
  columns: readonly Column[]
): SQL[] =>
  eachChunk(updated, (json) => [
    updateFrom(recordings, {
      set: { revision: sql`${recordings.revision} + 1`, ...valuesOf(columns) },
      from: sql`json_each(${json}) as changed`,
      where: sql`${recordings.projectId} = ${projectId}
        and ${recordings.sessionId} = changed.value ->> 'sessionId'`
    })
  ])

/** Reads each column from the member of its name in `value`, an object of `json_each`. */
const valuesOf = (columns: readonly Column[]): ColumnValues<typeof recordings> =>
  Object.fromEntries(columns.map((name) => [name, sql`value ->> ${name}`]))
