import { v5 as uuidv5 } from 'uuid'
import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { closed } from '../input/fields.ts'
import { ProjectSettings, settingsOf } from './settings.ts'
import type { KeyRow, ProjectRow, UserRow } from './store.ts'
import { USER_EXAMPLE, UserJson, userToJson } from './user.ts'

/** Namespaces of the uuids that clients expect and that have no meaning here. */
const PROJECTS = '3d0c3c0a-3c5b-4f0e-8f5e-7f2d6f0f7a11'
const OWNERS = 'b2f1b7d4-7a53-4f0c-9a43-0d7f7c7f1f5c'

const PROJECT_EXAMPLE = {
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
  created_at: '2026-10-02T10:11:12.345Z'
}

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
    created_at: z.iso.datetime()
  })
  .meta({ id: 'Project', examples: [PROJECT_EXAMPLE] })
export type ProjectJson = z.infer<typeof ProjectJson>

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

/** An example of a key that a browser got for an invitation. */
const KEY_EXAMPLE = {
  id: 4,
  label: 'Firefox on macOS',
  mask_value: 'phx_...a1B2',
  scopes: ['*'],
  scoped_teams: [1],
  projects: [PROJECT_EXAMPLE],
  user: USER_EXAMPLE,
  created_at: '2026-11-21T10:11:12.345Z',
  expires_at: '2026-12-21T10:11:12.345Z',
  last_used_at: null
}

export const OwnKeyJson = z
  .object({
    id: z.int(),
    label: z.string(),
    mask_value: z.string().meta({ description: 'The first and last four characters of the key.' }),
    scopes: z.array(z.string()),
    scoped_teams: z
      .array(z.int())
      .meta({ description: 'The ids of the projects that the key has access to.' }),
    projects: z.array(ProjectJson).meta({ description: 'The same projects, sorted by id.' }),
    user: UserJson.meta({ description: 'The user to whom the key belongs.' }),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().meta({ description: 'Null if it never expires.' }),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'To the hour; null if the key was never used.' })
  })
  .meta({ id: 'OwnKey', examples: [KEY_EXAMPLE] })

/** Returns a key as its holder sees it. */
export const ownKeyToJson = (
  key: KeyRow,
  user: UserRow,
  projects: ProjectRow[]
): z.infer<typeof OwnKeyJson> => ({
  id: key.id,
  label: key.label,
  mask_value: key.mask,
  scopes: key.scopes,
  scoped_teams: projects.map(({ id }) => id),
  projects: projects.map(projectToApi),
  user: userToJson(user),
  created_at: toIso(key.createdAt),
  expires_at: key.expiresAt === null ? null : toIso(key.expiresAt),
  last_used_at: key.lastUsedAt === null ? null : toIso(key.lastUsedAt)
})

export const RedeemJson = closed(
  z
    .object({
      code: z.string().max(200).meta({ description: 'The code in the link, after `#code=`.' }),
      label: z.string().trim().min(1).max(200).meta({
        description: 'The name of the new key: what it is for, such as the browser that gets it.'
      })
    })
    .meta({
      id: 'Redeem',
      examples: [{ code: 'HLQ6kfsNFJmfb2PClG4xo8J2pZ9dwTs3a', label: 'Firefox on macOS' }]
    })
)

export const RedeemedJson = z
  .object({ value: z.string().meta({ description: 'The key, which is shown only here.' }) })
  .meta({ id: 'Redeemed', examples: [{ value: 'phx_…' }] })
