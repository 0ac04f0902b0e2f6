import { getTableName } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import * as schema from '../../../src/db/schema.ts'

/**
 * The effect of a person's erasure on each table, or the content of a table that an erasure leaves alone. *If asked* means
 * with `delete_events` or `delete_recordings`. *Verified* means that the erasure is completed only after a search of the
 * table has found nothing of the person. The test below fails until a new table is listed here.
 */
const EFFECTS: Record<string, string> = {
  persons: 'deleted at once, verified',
  distinct_ids: 'deleted at once, verified',
  activity: 'property values removed at once, verified',
  person_versions: 'removed by the queue, verified',
  events: 'removed by the weekly run if asked, verified',
  segments: 'removed whole once one of their events is removed, verified',
  segment_columns: 'removed with their segment',
  late_events: 'removed with their segment',
  version_chunks: 'removed whole once one of their versions is removed, verified',
  version_columns: 'removed with their chunk',
  actor_chunks: 'ids of identities and persons: no distinct id, no property',
  moved_identities: 'ids of identities: no distinct id, no property',
  event_counts: 'corrected in each transaction that removes events',
  sessions:
    'rebuilt from the remaining events, or removed if none remain, by the weekly run if asked, verified',
  session_values: 'corrected with each session',
  session_shingles: 'corrected with each session',
  dead_letters: 'if asked, events in them removed by the weekly run, recordings by the queue',
  erasures: 'the task and its receipt: no distinct id, no property',
  event_removals: 'filters, which may name a person, until the deletion of events is completed',
  removed_events: 'uuids of events, so that they are not stored again',
  ledger_head: 'nothing about persons',
  suppressions: 'stay in force: the UUID of the person, no distinct id, no property',
  suppressed_ids: 'keyed hashes, so that new events and recordings are dropped',
  erased_identities: 'keyed hashes, so that late events do not bring the person back',
  deletion_runs: 'nothing about persons',
  cron_runs: 'nothing about persons',
  counters: 'counted down',
  sequences: 'nothing about persons',
  guard: 'always empty',
  event_names: 'nothing about persons',
  insights: 'saved by users',
  annotations: 'saved by users',
  cohorts: 'saved by users',
  cohort_members: 'deleted at once, verified',
  dashboards: 'saved by users',
  dashboard_tiles: 'saved by users',
  shares: 'links to insights and dashboards',
  subscriptions: 'saved by users',
  alerts: 'saved by users',
  subscription_deliveries:
    'recipients and times of the messages of subscriptions, and what alerts found, for 90 days',
  idempotency_keys: 'responses to the creation of subscriptions, for a day',
  query_runs: 'asynchronous questions of users, for ten minutes, without their answers',
  recordings: 'deleted at once if asked, verified; otherwise kept without a person',
  recording_parts: 'removed by the queue if asked, with their snapshots, verified',
  recording_views: 'removed by the queue if asked',
  users: 'about users of the service, not about persons',
  projects: 'nothing about persons',
  api_keys: 'nothing about persons',
  invitations: 'nothing about persons'
}

it('the effect of an erasure is listed for every table', () => {
  const tables = Object.values(schema)
    .filter((table) => table instanceof SQLiteTable)
    .map((table) => getTableName(table))

  expect(tables.sort()).toEqual(Object.keys(EFFECTS).sort())
})
