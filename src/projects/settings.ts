import * as z from 'zod'

/** Longest time that a visit may have to last until it is recorded, in seconds; PostHog's own limit. */
const MAX_MINIMUM_DURATION = 30

/** What browser SDKs do for a project, as they are told by their remote configuration. */
export const ProjectSettings = z.object({
  /** Whether visits are recorded. */
  recording: z.boolean(),
  /** Share of the visits that are recorded, 0…1. */
  recording_sample: z
    .number()
    .min(0, 'is not a share from 0 to 1')
    .max(1, 'is not a share from 0 to 1'),
  /** Seconds that a visit has to last until it is recorded. */
  recording_minimum_duration: z
    .number()
    .min(0, 'is negative')
    .max(MAX_MINIMUM_DURATION, `is more than ${MAX_MINIMUM_DURATION} seconds`),
  /** Whether recordings hold what the page writes to the console. */
  console_capture: z.boolean(),
  /** Whether clicks and moves are sent for heatmaps. */
  heatmaps: z.boolean(),
  /** Whether loading times are sent. */
  web_vitals: z.boolean(),
  /** Whether errors that nobody catches are sent. */
  exceptions: z.boolean()
})
export type ProjectSettings = z.infer<typeof ProjectSettings>

/** A change keeps what it does not name. */
export const SettingsChange = ProjectSettings.partial()
export type SettingsChange = z.infer<typeof SettingsChange>

/** A new project records nobody until its owner decides so. */
const DEFAULTS: ProjectSettings = {
  recording: false,
  recording_sample: 1,
  recording_minimum_duration: 0,
  console_capture: true,
  heatmaps: false,
  web_vitals: false,
  exceptions: false
}

/** All settings of a project, of which its row holds those that were ever set. */
export const settingsOf = (row: { settings: Partial<ProjectSettings> }): ProjectSettings => ({
  ...DEFAULTS,
  ...row.settings
})

/** The settings among the members of a project, or of a change of one. */
export const pickSettings = (input: SettingsChange): SettingsChange => SettingsChange.parse(input)
