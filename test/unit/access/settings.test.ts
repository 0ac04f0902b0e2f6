import { describe, expect, it } from 'vitest'
import { type ProjectSettings, settingsOf } from '../../../src/access/settings.ts'
import { remoteConfig } from '../../../src/capture/config.ts'

const configWith = (settings: Partial<ProjectSettings>) =>
  remoteConfig('phc_x', settingsOf({ settings }))

describe('the settings of a project', () => {
  it('have defaults in a new project, which records nobody', () => {
    expect(settingsOf({ settings: {} })).toEqual({
      recording: false,
      recording_sample: 1,
      recording_minimum_duration: 0,
      console_capture: true,
      heatmaps: false,
      web_vitals: false,
      exceptions: false,
      location: 'country'
    })
  })

  it.each<[string, Partial<ProjectSettings>, object]>([
    ['recording off', {}, { sessionRecording: false }],
    [
      'recording on',
      { recording: true },
      {
        sessionRecording: {
          endpoint: '/s/',
          recorderVersion: 'v2',
          consoleLogRecordingEnabled: true,
          sampleRate: null,
          minimumDurationMilliseconds: null
        }
      }
    ],
    [
      'recording on for some visits',
      {
        recording: true,
        recording_sample: 0.25,
        recording_minimum_duration: 2.5,
        console_capture: false
      },
      {
        sessionRecording: {
          consoleLogRecordingEnabled: false,
          sampleRate: '0.25',
          minimumDurationMilliseconds: 2500
        }
      }
    ],
    [
      'recording on for a sample of 0',
      { recording: true, recording_sample: 0 },
      { sessionRecording: { sampleRate: '0' } }
    ],
    ['heatmaps off', {}, { heatmaps: false }],
    ['heatmaps on', { heatmaps: true }, { heatmaps: true }],
    ['web vitals off', {}, { capturePerformance: false }],
    [
      'web vitals on',
      { web_vitals: true },
      { capturePerformance: { network_timing: false, web_vitals: true } }
    ],
    [
      'error capture off',
      {},
      { autocaptureExceptions: false, errorTracking: { autocaptureExceptions: false } }
    ],
    [
      'error capture on',
      { exceptions: true },
      { autocaptureExceptions: true, errorTracking: { autocaptureExceptions: true } }
    ]
  ])('follows the project’s settings: %s', (_, settings, expected) => {
    expect(configWith(settings)).toMatchObject(expected)
  })
})
