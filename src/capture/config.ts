import type { ProjectSettings } from '../access/settings.ts'

/**
 * The configuration that a browser SDK loads first. Without `supportedCompression` the SDK does not
 * compress; without `autocapture_opt_out` it does not autocapture. Without `surveys`, callbacks for
 * surveys would wait forever, as would callbacks for feature flags with `hasFeatureFlags: false`.
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

/**
 * Tells an SDK how to record visits. `false` turns recording off, also in browsers that remember an
 * earlier configuration.
 */
const recordingConfig = (settings: ProjectSettings) =>
  settings.recording && {
    endpoint: '/s/',
    consoleLogRecordingEnabled: settings.console_capture,
    recorderVersion: 'v2',
    // SDKs parse the rate from a string. `null` records every visit; with '1', an SDK would still
    // decide about each visit.
    sampleRate: settings.recording_sample === 1 ? null : String(settings.recording_sample),
    minimumDurationMilliseconds:
      settings.recording_minimum_duration === 0
        ? null
        : Math.round(settings.recording_minimum_duration * 1000)
  }

/** Returns the configuration as a script, which browser SDKs try first. */
export function configScript(token: string, settings: ProjectSettings): string {
  const configs = '(window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{})'
  const key = JSON.stringify(token)
  const value = JSON.stringify({ config: remoteConfig(token, settings), siteApps: [] })
  return `${configs}[${key}]=${value}\n`
}

/** Answers `/flags`: no feature flags, and the configuration if the SDK asks for it. */
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

/** Builds the answer of `/decide`, which older SDKs call. */
export const answerDecide = (
  version: string | undefined,
  config: ReturnType<typeof remoteConfig>,
  requestId: string
) => ({
  ...config,
  // Turns on autocapture in SDKs that do not know `autocapture_opt_out`.
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
