/*
 * All tables: the control tables, and the tables of projects' data. Each project's row names the
 * database with its data. Times are milliseconds since 1970, UTC.
 */

export * from './schema/annotations.ts'
export * from './schema/cohorts.ts'
export * from './schema/erasures.ts'
export * from './schema/events.ts'
export * from './schema/insights.ts'
export * from './schema/ledger.ts'
export * from './schema/numbers.ts'
export * from './schema/persons.ts'
export * from './schema/projects.ts'
export * from './schema/queries.ts'
export * from './schema/recordings.ts'
export * from './schema/removals.ts'
export * from './schema/segments.ts'
export * from './schema/sessions.ts'
export * from './schema/shares.ts'
export * from './schema/subscriptions.ts'
export * from './schema/suppressions.ts'
