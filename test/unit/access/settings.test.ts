import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { type ProjectSettings, settingsOf } from '../../../src/access/settings.ts'
import { remoteConfig } from '../../../src/capture/config.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../migrations')

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
      exceptions: false
    })
  })

  it('leave recording on in projects that are older than the settings', () => {
    const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.sql'))
    const at = files.indexOf('0010_project_settings.sql')
    const database = new DatabaseSync(':memory:')
    const apply = (file: string) =>
      database.exec(readFileSync(join(MIGRATIONS, file), 'utf8').replaceAll('--> ', '-- '))
    const settings = () =>
      database.prepare('select json(settings) as settings from projects order by id').all()
    const create = (id: number) =>
      database.exec(`insert into projects (id, name, owner_id, capture_token, created_at)
                     values (${id}, 'Shop', 1, 'phc_${id}', 0)`)

    files.slice(0, at).forEach(apply)
    database.exec(`insert into users (id, uuid, distinct_id, first_name, last_name, email, created_at)
                   values (1, 'u', 'ada', 'Ada', '', 'ada@example.com', 0)`)
    create(1)
    files.slice(at).forEach(apply)
    create(2)

    expect(settings()).toEqual([{ settings: '{"recording":true}' }, { settings: '{}' }])
  })
})

describe('the configuration of a browser SDK', () => {
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
