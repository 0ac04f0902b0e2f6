import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { countSegmentsWith, countVersionChunksWith } from '../columns/search.ts'
import { BITS_BELOW_CHUNK } from '../columns/version-chunks.store.ts'
import type { Db } from '../db/client.ts'
import {
  activity,
  cohortMembers,
  deadLetters,
  distinctIds,
  events,
  lateEvents,
  persons,
  personVersions,
  recordingParts,
  recordings,
  recordingViews,
  segmentColumns,
  segments,
  sessionShingles,
  sessions,
  sessionValues,
  versionChunks,
  versionColumns
} from '../db/schema.ts'
import { DEAD_PREFIX } from '../dead-letters/park.ts'
import { hasValues } from '../persons/activity/store.ts'
import { MARKER_PREFIX, SPILL_PREFIX } from '../queues/waiting-objects.ts'
import { RECORDINGS_PREFIX } from '../recordings/part.ts'
import type { Extent } from './extent.ts'
import type { StoreName } from './names.ts'
import { isVersionOf } from './persons/identity.store.ts'

/** The stores whose rows the request itself removes, in the transaction that deletes the person. */
export type RemovedAtOnce = Extract<
  StoreName,
  'persons' | 'distinct_ids' | 'search_index' | 'cohort_members' | 'activity_values'
>

/**
 * Persons of a project, before or after their erasure. What is SQL stands in parentheses after
 * `in`.
 */
export type Owners = {
  projectId: number
  /** The persons' ids. */
  ids: SQL
  /** The rowids of their entries in the search index. */
  searchRows: SQL
  /** A `select` of the keys of their identities, as `key`. */
  keys: SQL
  /** The sessions of their recordings that are not purged. */
  sessionIds: SQL
}

/** Counts of rows or objects, by the name of the store. */
export type StoreCounts = Partial<Record<StoreName, number>>

type Store = {
  /** The tables and the prefixes of objects that hold it, or what is computed from it. */
  holds: readonly (SQLiteTable | string)[]
  /** What has to be deleted for the store to be emptied. */
  deletedWith: 'person' | 'events' | 'recordings'
  /** Returns what follows `from` to select the rows of persons. Objects have none. */
  rows?: (owners: Owners) => SQL
  /** Counts copies that still contain rows of identities, by searching them. */
  countCopies?: (db: Db, projectId: number, keys: ReadonlySet<number>) => Promise<number>
  /** Whether the next invocation purges what a verification has found. */
  isPurgedNext?: (left: StoreCounts) => boolean
}

/**
 * Everything that holds personal data, except what other data says about a person, which the search
 * for mentions finds. Dry runs, purges, verifications and receipts go through these stores.
 */
export const STORES: Record<StoreName, Store> = {
  persons: {
    holds: [persons],
    deletedWith: 'person',
    rows: ({ projectId, ids }) =>
      sql`${persons} where +${persons.projectId} = ${projectId} and ${persons.id} in (${ids})`
  },
  distinct_ids: {
    holds: [distinctIds],
    deletedWith: 'person',
    rows: ({ projectId, ids, keys }) =>
      sql`${distinctIds} where +${distinctIds.projectId} = ${projectId}
        and (${distinctIds.key} in (${keys}) or ${distinctIds.personId} in (${ids}))`
  },
  search_index: {
    holds: ['persons_search'],
    deletedWith: 'person',
    rows: ({ searchRows }) => sql`persons_search where rowid in (${searchRows})`
  },
  cohort_members: {
    holds: [cohortMembers],
    deletedWith: 'person',
    rows: ({ projectId, ids }) =>
      sql`${cohortMembers} where +${cohortMembers.projectId} = ${projectId} and ${cohortMembers.personId} in (${ids})`
  },
  person_versions: {
    holds: [personVersions],
    deletedWith: 'person',
    rows: ({ projectId, keys }) => versionsOf(projectId, keys)
  },
  version_chunks: {
    holds: [versionChunks, versionColumns],
    deletedWith: 'person',
    rows: ({ projectId, keys }) =>
      sql`${versionChunks} where ${versionChunks.projectId} = ${projectId} and ${versionChunks.chunk} in (
        select ${personVersions.id} >> ${BITS_BELOW_CHUNK} from ${versionsOf(projectId, keys)})`,
    countCopies: countVersionChunksWith
  },
  activity_values: {
    holds: [activity],
    deletedWith: 'person',
    rows: ({ projectId, ids }) =>
      sql`${activity} where ${activity.projectId} = ${projectId} and ${activity.scope} = 'Person'
        and ${activity.ownerId} in (${ids}) and ${hasValues}`
  },
  events: {
    holds: [events],
    deletedWith: 'events',
    rows: ({ keys }) => sql`(${keys}) as own cross join ${events} on ${events.identity} = own.key`,
    // Late events.
    isPurgedNext: () => true
  },
  segments: {
    holds: [segments, segmentColumns, lateEvents],
    deletedWith: 'events',
    countCopies: countSegmentsWith,
    // A segment that has an event goes with it; without an event, it would stay.
    isPurgedNext: ({ events = 0 }) => events > 0
  },
  sessions: {
    holds: [sessions, sessionValues, sessionShingles],
    deletedWith: 'events',
    // Every stale session of the project counts: it may still contain the persons' events.
    rows: ({ projectId }) =>
      sql`${sessions} where ${sessions.projectId} = ${projectId} and ${sessions.isStale}`,
    isPurgedNext: () => true
  },
  recordings: {
    holds: [recordings, recordingViews],
    deletedWith: 'recordings',
    rows: ({ projectId, keys }) =>
      sql`(${keys}) as own cross join ${recordings}
        on +${recordings.projectId} = ${projectId} and ${recordings.identity} = own.key
          and not ${recordings.deleted}`
  },
  recording_parts: {
    holds: [recordingParts, RECORDINGS_PREFIX],
    deletedWith: 'recordings',
    rows: ({ projectId, sessionIds }) =>
      sql`${recordingParts} where ${recordingParts.projectId} = ${projectId}
        and ${recordingParts.sessionId} in (${sessionIds})`
  },
  dead_letters: {
    holds: [deadLetters, DEAD_PREFIX],
    deletedWith: 'events'
  },
  queued_requests: {
    holds: [SPILL_PREFIX],
    deletedWith: 'person'
  },
  queued_recording_parts: {
    holds: [MARKER_PREFIX],
    deletedWith: 'person'
  }
}

const versionsOf = (projectId: number, keys: SQL): SQL =>
  sql`(${keys}) as own cross join ${personVersions}
    on ${isVersionOf(sql`own.key`)} and ${personVersions.projectId} = ${projectId}`

/** Whether a deletion of this extent empties a store. */
export function isEmptied(store: StoreName, { deleteEvents, deleteRecordings }: Extent): boolean {
  const isDeleted = { person: true, events: deleteEvents, recordings: deleteRecordings }
  return isDeleted[STORES[store].deletedWith]
}
