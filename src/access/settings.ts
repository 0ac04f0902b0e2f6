import * as z from 'zod'

/** Largest value of `recording_minimum_duration`, seconds; the limit is PostHog's. */
export const MAX_MINIMUM_DURATION = 30

/**
 * How much a project stores of where its visitors are; `city` includes the region and the time
 * zone.
 */
const LOCATIONS = ['off', 'country', 'city'] as const

/**
 * Settings of capture. All but `location` are sent to browser SDKs in their remote configuration.
 */
export const ProjectSettings = z.object({
  recording: z.boolean(),
  /** Share of visits that are recorded, 0…1. */
  recording_sample: z
    .number()
    .min(0, 'must be a share from 0 to 1')
    .max(1, 'must be a share from 0 to 1'),
  /** Seconds that a visit must last to be recorded. */
  recording_minimum_duration: z
    .number()
    .min(0, 'must not be negative')
    .max(MAX_MINIMUM_DURATION, `must be at most ${MAX_MINIMUM_DURATION} seconds`),
  /** Whether recordings contain the page's console messages. */
  console_capture: z.boolean(),
  /** Whether clicks and mouse moves are sent for heatmaps. */
  heatmaps: z.boolean(),
  /** Whether loading times are sent. */
  web_vitals: z.boolean(),
  /** Whether uncaught errors are sent. */
  exceptions: z.boolean(),
  location: z.enum(LOCATIONS)
})
export type ProjectSettings = z.infer<typeof ProjectSettings>

/** A change of settings. Settings that are left out stay as they are. */
export const SettingsChange = ProjectSettings.partial()
export type SettingsChange = z.infer<typeof SettingsChange>

/** The defaults. A new project records no visits until its owner turns recording on. */
const DEFAULTS: ProjectSettings = {
  recording: false,
  recording_sample: 1,
  recording_minimum_duration: 0,
  console_capture: true,
  heatmaps: false,
  web_vitals: false,
  exceptions: false,
  location: 'country'
}

/** Returns all settings of a project: those that were ever changed, and the defaults. */
export const settingsOf = (row: { settings: Partial<ProjectSettings> }): ProjectSettings => ({
  ...DEFAULTS,
  ...row.settings
})

/** Returns only the settings of an object that may have other members. */
export const pickSettings = (input: SettingsChange): SettingsChange => SettingsChange.parse(input)
