import type { ProjectSettings } from '../projects/settings.ts'

/**
 * What a browser SDK asks before it does anything of its own accord. Without `supportedCompression` it does not compress,
 * and without `autocapture_opt_out` it captures nothing by itself. Without `surveys` the
 * callbacks of surveys wait for ever, and with `hasFeatureFlags: false` those of feature flags.
 */
export const remoteConfig = (token: string, settings: ProjectSettings) => ({
  token,
  supportedCompression: ['gzip-js', 'gzip'],
  analytics: { endpoint: '/i/v0/e/' },
  autocapture_opt_out: false,
  elementsChainAsString: true,
  defaultIdentifiedOnly: true,
  sessionRecording: recordingConfig(settings),
  hasFeatureFlags: true,
  surveys: false,
  productTours: false,
  capturePerformance: settings.web_vitals && { network_timing: false, web_vitals: true },
  autocaptureExceptions: settings.exceptions,
  errorTracking: { autocaptureExceptions: settings.exceptions, suppressionRules: [] },
  heatmaps: settings.heatmaps,
  captureDeadClicks: false,
  siteApps: []
})

/** How visits are recorded; `false` for not at all, which also ends what an SDK remembers of before. */
const recordingConfig = (settings: ProjectSettings) =>
  settings.recording && {
    endpoint: '/s/',
    consoleLogRecordingEnabled: settings.console_capture,
    recorderVersion: 'v2',
    // As a text, which SDKs parse; 1 would have them draw lots for every visit.
    sampleRate: settings.recording_sample === 1 ? null : String(settings.recording_sample),
    minimumDurationMilliseconds:
      settings.recording_minimum_duration === 0
        ? null
        : Math.round(settings.recording_minimum_duration * 1000)
  }

/** The same as a script, which SDKs load first. */
export const configScript = (token: string, settings: ProjectSettings): string =>
  `(window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{})[${JSON.stringify(token)}]=${JSON.stringify(
    {
      config: remoteConfig(token, settings),
      siteApps: []
    }
  )}
`

/** What `/flags` answers: no feature flags, and the configuration, if there is any, to an SDK that asks for both at once. */
export const answerFlags = (
  version: string | undefined,
  config: ReturnType<typeof remoteConfig> | undefined,
  requestId: string
) => ({
  ...config,
  ...(version === undefined || version === '1'
    ? { featureFlags: {}, featureFlagPayloads: {} }
    : { flags: {} }),
  errorsWhileComputingFlags: false,
  requestId
})

/** What `/decide`, the door of older SDKs, answers. */
export const answerDecide = (
  version: string | undefined,
  config: ReturnType<typeof remoteConfig>,
  requestId: string
) => ({
  ...config,
  // Autocapture's switch before there was `autocapture_opt_out`.
  config: { enable_collect_everything: true },
  ...decidedFlags(version),
  errorsWhileComputingFlags: false,
  requestId
})

function decidedFlags(version: string | undefined) {
  if (version === '4') {
    return { flags: {} }
  }
  if (version === '3') {
    return { featureFlags: {}, featureFlagPayloads: {} }
  }
  return { featureFlags: version === '2' ? {} : [] }
}
