import { v5 as uuidv5 } from 'uuid'
import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { naming } from '../errors.ts'
import { refusing } from '../input/fields.ts'
import type { Json } from '../input/json.ts'
import { EVENT_FILTER_TYPES } from '../properties/filter.ts'
import { readFilters } from '../properties/read-filters.ts'
import { Changeable, type ProjectChange, RetentionDays, Timezone, WEEK_STARTS } from './project.ts'
import { MAX_MINIMUM_DURATION, ProjectSettings, settingsOf } from './settings.ts'
import type { ProjectRow, UserRow } from './store.ts'
import { USER_EXAMPLE, UserJson, userToJson } from './user.ts'

/** Namespaces of the uuids that clients expect and that have no meaning here. */
const PROJECTS = '3d0c3c0a-3c5b-4f0e-8f5e-7f2d6f0f7a11'
const OWNERS = 'b2f1b7d4-7a53-4f0c-9a43-0d7f7c7f1f5c'

export const PROJECT_EXAMPLE = {
  id: 1,
  project_id: 1,
  uuid: uuidv5('1', PROJECTS),
  organization: uuidv5('1', OWNERS),
  name: 'Shop',
  api_token: 'phc_…',
  timezone: 'Europe/Berlin',
  week_start_day: 1,
  test_account_filters: [],
  is_demo: false,
  access_control: false,
  autocapture_opt_out: false,
  session_recording_opt_in: true,
  session_recording_sample_rate: '0.5',
  session_recording_minimum_duration_milliseconds: 2000,
  capture_console_log_opt_in: true,
  heatmaps_opt_in: false,
  autocapture_web_vitals_opt_in: false,
  autocapture_exceptions_opt_in: false,
  surveys_opt_in: false,
  location: 'country',
  recording_retention_days: null,
  created_at: '2026-10-02T10:11:12.345Z'
}

/** Fields of a project that clients send back, and that this request does not change. */
const READ_ONLY = [
  'id',
  'project_id',
  'uuid',
  'organization',
  'api_token',
  'is_demo',
  'access_control',
  'autocapture_opt_out',
  'surveys_opt_in',
  'created_at'
]

export const ProjectJson = z
  .object({
    id: z.int(),
    project_id: z
      .int()
      .meta({ description: 'The same as `id`: a project has a single environment.' }),
    uuid: z.guid(),
    organization: z
      .guid()
      .meta({ description: 'The same for all projects of an owner; there are no organizations.' }),
    name: z.string(),
    api_token: z.string().meta({ description: 'The capture token, with which SDKs send events.' }),
    timezone: z.string(),
    week_start_day: z
      .int()
      .meta({ description: 'The first day of the week: 0 is Sunday, 1 is Monday.' }),
    test_account_filters: z
      .array(z.unknown())
      .meta({ description: 'The property filters that `filter_test_accounts` adds to a query.' }),
    is_demo: z.boolean(),
    access_control: z.boolean(),
    autocapture_opt_out: z.boolean(),
    session_recording_opt_in: z.boolean().meta({ description: 'Whether visits are recorded.' }),
    session_recording_sample_rate: z
      .string()
      .nullable()
      .meta({ description: 'The share of visits that are recorded; null for all visits.' }),
    session_recording_minimum_duration_milliseconds: z.int().nullable().meta({
      description: 'Visits shorter than this are not recorded; null for no minimum.'
    }),
    capture_console_log_opt_in: z.boolean(),
    heatmaps_opt_in: z.boolean(),
    autocapture_web_vitals_opt_in: z.boolean(),
    autocapture_exceptions_opt_in: z.boolean(),
    surveys_opt_in: z.boolean(),
    location: ProjectSettings.shape.location.meta({
      description: 'How much is stored of where visitors are.'
    }),
    recording_retention_days: RetentionDays.meta({
      description: 'Days for which recordings are kept; null for the setting of the deployment.'
    }),
    created_at: z.iso.datetime()
  })
  .meta({ id: 'Project', examples: [PROJECT_EXAMPLE] })
export type ProjectJson = z.infer<typeof ProjectJson>

/** Share of visits that are recorded: PostHog sends it as a text. */
const SampleRate = z
  .union([z.number(), z.string().regex(/^\d(\.\d{1,9})?$/)], 'Must be a share from 0 to 1.')
  .transform(Number)
  .refine((share) => share >= 0 && share <= 1, 'Must be a share from 0 to 1.')

/** The settings that the API changes. Fields that are left out stay as they are. */
export const ProjectInput = refusing(
  z
    .object({
      name: Changeable.shape.name,
      timezone: Timezone.meta({ description: 'An IANA time zone: the clock of all numbers.' }),
      week_start_day: z.union([z.literal(0), z.literal(1)]).meta({
        description: 'The first day of the week: 0 is Sunday, 1 is Monday.'
      }),
      test_account_filters: Changeable.shape.test_account_filters.meta({
        description: 'The property filters that `filter_test_accounts` adds to a query.'
      }),
      session_recording_opt_in: z.boolean(),
      session_recording_sample_rate: SampleRate.nullable().meta({
        description: 'The share of visits that are recorded, 0 to 1; null for all visits.'
      }),
      session_recording_minimum_duration_milliseconds: z
        .int()
        .min(0)
        .max(1_000 * MAX_MINIMUM_DURATION)
        .nullable()
        .meta({ description: 'Visits shorter than this are not recorded; null for no minimum.' }),
      capture_console_log_opt_in: z.boolean(),
      heatmaps_opt_in: z.boolean(),
      autocapture_web_vitals_opt_in: z.boolean(),
      autocapture_exceptions_opt_in: z.boolean(),
      location: ProjectSettings.shape.location,
      recording_retention_days: RetentionDays
    })
    .partial()
    .meta({
      id: 'ProjectInput',
      examples: [{ timezone: 'Europe/Berlin', session_recording_sample_rate: '0.5' }]
    }),
  {},
  READ_ONLY,
  'This is no setting of a project here.'
)

/**
 * Returns the change of a project, with the names of the product.
 * @throws invalid_input, attr `test_account_filters`, for filters that cannot be read
 */
export function toProjectChange(
  input: z.output<typeof ProjectInput>,
  { timezone }: ProjectRow,
  now: Date
): ProjectChange {
  const {
    week_start_day: day,
    session_recording_sample_rate: sample,
    session_recording_minimum_duration_milliseconds: minimum,
    test_account_filters: filters
  } = input
  if (filters) {
    const zone = input.timezone ?? timezone
    naming('test_account_filters', () =>
      // The cast is safe: the filters were parsed from JSON.
      readFilters(filters as Json, { timezone: zone, now, types: EVENT_FILTER_TYPES })
    )
  }
  return {
    name: input.name,
    timezone: input.timezone,
    week_start: day === undefined ? undefined : WEEK_STARTS[day],
    test_account_filters: filters,
    recording_retention_days: input.recording_retention_days,
    recording: input.session_recording_opt_in,
    recording_sample: sample === null ? 1 : sample,
    recording_minimum_duration: minimum === undefined ? undefined : (minimum ?? 0) / 1_000,
    console_capture: input.capture_console_log_opt_in,
    heatmaps: input.heatmaps_opt_in,
    web_vitals: input.autocapture_web_vitals_opt_in,
    exceptions: input.autocapture_exceptions_opt_in,
    location: input.location
  }
}

/** Returns a project as the API shows it, with the field names of PostHog. */
export function projectToApi(row: ProjectRow): ProjectJson {
  const settings = settingsOf(row)
  const { recording_sample: sample, recording_minimum_duration: seconds } = settings
  return {
    id: row.id,
    project_id: row.id,
    uuid: uuidv5(String(row.id), PROJECTS),
    organization: uuidv5(String(row.ownerId), OWNERS),
    name: row.name,
    api_token: row.captureToken,
    timezone: row.timezone,
    week_start_day: row.weekStart,
    test_account_filters: row.testAccountFilters,
    is_demo: false,
    access_control: false,
    autocapture_opt_out: false,
    session_recording_opt_in: settings.recording,
    session_recording_sample_rate: sample === 1 ? null : String(sample),
    session_recording_minimum_duration_milliseconds:
      seconds === 0 ? null : Math.round(seconds * 1000),
    capture_console_log_opt_in: settings.console_capture,
    heatmaps_opt_in: settings.heatmaps,
    autocapture_web_vitals_opt_in: settings.web_vitals,
    autocapture_exceptions_opt_in: settings.exceptions,
    surveys_opt_in: false,
    location: settings.location,
    recording_retention_days: row.recordingRetentionDays,
    created_at: toIso(row.createdAt)
  }
}

export const CallerJson = z
  .object({
    ...UserJson.shape,
    date_joined: z.iso.datetime(),
    is_staff: z.boolean(),
    team: ProjectJson.nullable().meta({
      description: 'The first project that the key has access to; null if there is none.'
    })
  })
  .meta({
    id: 'Caller',
    examples: [
      {
        ...USER_EXAMPLE,
        date_joined: '2026-10-02T10:11:12.345Z',
        is_staff: false,
        team: PROJECT_EXAMPLE
      }
    ]
  })

/** Returns the owner of a key, with the first project that the key has access to. */
export const callerToJson = (
  user: UserRow,
  team: ProjectRow | undefined
): z.infer<typeof CallerJson> => ({
  ...userToJson(user),
  date_joined: toIso(user.createdAt),
  is_staff: false,
  team: team ? projectToApi(team) : null
})
