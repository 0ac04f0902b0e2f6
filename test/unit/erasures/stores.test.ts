import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import * as schema from '../../../src/db/schema.ts'
import { STORES } from '../../../src/erasures/stores.ts'
import { OBJECT_KINDS } from '../../../src/service/objects/kinds.ts'

/** Tables and prefixes of objects that no erasure of a person empties, and why. */
const NOT_EMPTIED: Record<string, string> = {
  // Who uses the service, and what these users have made. The search for mentions looks for persons in it.
  users: 'the users of the service',
  api_keys: 'the keys of users',
  invitations: 'hashes of the codes with which users get keys',
  projects: 'settings',
  insights: 'made by users',
  annotations: 'made by users',
  cohorts: 'made by users',
  dashboards: 'made by users',
  dashboard_tiles: 'made by users',
  shares: 'made by users',
  subscriptions: 'made by users',
  alerts: 'made by users',
  subscription_deliveries: 'made by users, and removed 90 days after their end',
  idempotency_keys: 'made by users, and removed after a day',
  query_runs: 'made by users, and removed after ten minutes',
  // What has to outlive the person.
  erasures: 'the tasks and their receipts, with hashes of distinct ids',
  erased_identities: 'keyed hashes of distinct ids',
  suppressions: 'UUIDs of persons',
  suppressed_ids: 'keyed hashes of distinct ids',
  event_removals: 'tasks, whose filters are forgotten at the end, and their receipts',
  removed_events: 'uuids of events',
  'access-log/': 'UUIDs of persons, and who has read about them, removed after 13 months',
  'ledger/entries/': 'keyed hashes of distinct ids',
  'ledger/removals/': 'uuids of events',
  // Names and numbers that belong to nobody.
  event_names: 'shared by all persons',
  event_counts: 'counts by name and time',
  actor_chunks: 'keys of identities, and ids of persons',
  moved_identities: 'keys of identities',
  counters: 'counts by project',
  sequences: 'the last ids',
  guard: 'always empty',
  ledger_head: 'the last entry of the ledger',
  deletion_runs: 'times',
  cron_runs: 'times',
  'ledger/keys/': 'public keys',
  'ledger/secrets/': 'fingerprints of secrets',
  'ledger/skipped/': 'keys of damaged objects of the ledger',
  'salts/': 'salts, each removed with its day',
  'marks/': 'places in the ledger',
  'sweeps/': 'places of sweeps'
}

/** Returns the names of all tables: those of the schema, and virtual ones, which only migrations have. */
function listTables(): string[] {
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))
  const migrations = join(import.meta.dirname, '../../../migrations')
  const virtual = readdirSync(migrations)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(join(migrations, file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/CREATE VIRTUAL TABLE `(\w+)`/g)])
    .map(([, name = '']) => name)
  return [...tables.map(getTableName), ...virtual]
}

it('every table and every kind of objects is in a store, or not emptied for a reason', () => {
  const held = Object.values(STORES)
    .flatMap(({ holds }) => holds)
    .map((one) => (typeof one === 'string' ? one : getTableName(one)))
  const all = [...listTables(), ...Object.keys(OBJECT_KINDS)]

  expect([...held, ...Object.keys(NOT_EMPTIED)].sort()).toEqual(all.sort())
})
