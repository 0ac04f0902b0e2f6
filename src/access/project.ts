import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import type { projects } from '../db/schema.ts'
import { SettingsChange, settingsOf } from './settings.ts'

export const WEEK_STARTS = ['sunday', 'monday'] as const

export const Timezone = z
  .string()
  .refine(isTimezone, { error: (issue) => `'${issue.input}' is not an IANA time zone.` })

/** Days for which recordings are kept; null for the deployment's setting. */
export const RetentionDays = z
  .int()
  .min(1, 'must be at least 1 day')
  .max(99_999, 'must be at most 99999 days')
  .nullable()

/**
 * Property filters that `filter_test_accounts` adds to a query. They are validated when they are
 * used.
 */
const TestAccountFilters = z.array(z.record(z.string(), z.unknown())).max(50)

/** The fields of a project that can change, but for its settings of capture. */
export const Changeable = z.object({
  name: z.string().trim().min(1).max(200),
  timezone: Timezone,
  week_start: z.enum(WEEK_STARTS),
  test_account_filters: TestAccountFilters,
  recording_retention_days: RetentionDays
})

export const Project = Changeable.extend({
  timezone: Timezone.default('UTC'),
  week_start: Changeable.shape.week_start.default('sunday'),
  test_account_filters: TestAccountFilters.default([]),
  recording_retention_days: RetentionDays.default(null),
  database: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .default('DB'),
  ...SettingsChange.shape
})
export type Project = z.infer<typeof Project>

/** A change of a project. Fields that are left out stay as they are; the database cannot change. */
export const ProjectChange = Changeable.partial().extend(SettingsChange.shape)
export type ProjectChange = z.infer<typeof ProjectChange>

export const projectToJson = (row: typeof projects.$inferSelect) => ({
  id: row.id,
  name: row.name,
  capture_token: row.captureToken,
  timezone: row.timezone,
  week_start: WEEK_STARTS[row.weekStart],
  test_account_filters: row.testAccountFilters,
  ...settingsOf(row),
  recording_retention_days: row.recordingRetentionDays,
  database: row.database,
  owner_id: row.ownerId,
  created_at: toIso(row.createdAt)
})

function isTimezone(name: string): boolean {
  try {
    // `Intl` also accepts offsets such as `+01:00`, which are no IANA time zones.
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name })) && !/^[+-]/.test(name)
  } catch {
    return false
  }
}
