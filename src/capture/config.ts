/** What a browser SDK asks before it does anything of its own accord; without it, it neither compresses nor autocaptures. */
export const remoteConfig = (token: string) => ({
  token,
  supportedCompression: ['gzip-js', 'gzip'],
  analytics: { endpoint: '/i/v0/e/' },
  autocapture_opt_out: false,
  elementsChainAsString: true,
  defaultIdentifiedOnly: true,
  sessionRecording: { endpoint: '/s/', consoleLogRecordingEnabled: true, recorderVersion: 'v2' },
  hasFeatureFlags: false,
  capturePerformance: false,
  heatmaps: false,
  captureDeadClicks: false,
  siteApps: []
})

/** The same as a script, which SDKs load first. */
export const configScript = (token: string): string =>
  `(window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{})[${JSON.stringify(token)}]=${JSON.stringify(
    {
      config: remoteConfig(token),
      siteApps: []
    }
  )}
`

/** What `/flags` answers: no feature flags, and the configuration to an SDK that asks for both at once. */
export const answerFlags = (
  version: string | undefined,
  token: string,
  wantsConfig: boolean,
  requestId: string
) => ({
  ...(wantsConfig && remoteConfig(token)),
  ...(version === undefined || version === '1'
    ? { featureFlags: {}, featureFlagPayloads: {} }
    : { flags: {} }),
  errorsWhileComputingFlags: false,
  requestId
})

/** What `/decide`, the door of older SDKs, answers. */
export const answerDecide = (version: string | undefined, token: string, requestId: string) => ({
  ...remoteConfig(token),
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
