import { getTableName } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import * as schema from '../../../src/db/schema.ts'

/** The effect of a person's erasure on each table. A new table fails a test until it is listed here. */
const BECOMES: Record<string, string> = {
  persons: 'deleted at once',
  distinct_ids: 'deleted at once',
  activity: 'its values removed at once',
  person_versions: 'removed by the queue, verified',
  events: 'removed by the weekly run if asked, verified',
  segments: 'removed with the first of their events, verified',
  segment_columns: 'removed with their segment',
  late_events: 'removed with their segment',
  version_chunks: 'removed with the first of their versions, verified',
  version_columns: 'removed with their chunk',
  actor_chunks: 'ids of identities and persons: no distinct id, no property',
  moved_identities: 'ids of identities: no distinct id, no property',
  event_counts: 'corrected with each piece of events',
  sessions:
    'rebuilt from the events that are left, or removed, by the weekly run if asked, verified',
  session_values: 'corrected with each session',
  session_shingles: 'corrected with each session',
  dead_letters: 'their events are removed by the weekly run if asked',
  erasures: 'the task and its proof: no distinct id, no property',
  event_removals: 'the filters of a deletion of events, until it is completed',
  removed_events: 'uuids of events, so that they are not stored again',
  ledger_head: 'nothing about persons',
  suppressions: 'stays in force: the UUID of the person, no distinct id, no property',
  suppressed_ids: 'keyed hashes, so that what arrives is dropped',
  erased_identities: 'keyed hashes, so that late events do not bring the person back',
  deletion_runs: 'nothing about persons',
  cron_runs: 'nothing about persons',
  counters: 'counted down',
  sequences: 'nothing about persons',
  guard: 'always empty',
  event_names: 'nothing about persons',
  insights: 'what users have saved',
  dashboards: 'what users have saved',
  dashboard_tiles: 'what users have saved',
  shares: 'which insights and dashboards are shared',
  subscriptions: 'what users have saved',
  subscription_deliveries:
    'to whom users had something sent, and when, for 90 days, without its content',
  idempotency_keys: 'what users have saved, for a day',
  recordings: 'deleted at once if asked, otherwise kept without a person',
  recording_parts: 'removed by the queue if asked, with their snapshots, verified',
  recording_views: 'removed by the queue if asked, verified',
  users: 'about users of the service, not about persons',
  projects: 'nothing about persons',
  api_keys: 'nothing about persons'
}

it('the effect of an erasure is listed for every table', () => {
  const tables = Object.values(schema)
    .filter((table) => table instanceof SQLiteTable)
    .map((table) => getTableName(table))

  expect(tables.sort()).toEqual([...Object.keys(BECOMES)].sort())
})
