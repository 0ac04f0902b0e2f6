import { afterAll, describe, expect, it } from 'vitest'
import { newApiKey } from '../../../src/access/key.ts'
import type { Json } from '../../../src/input/json.ts'
import { base64Text, gzip } from '../../support/capture.ts'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

describe('feature flags', () => {
  const NONE = {
    errorsWhileComputingFlags: false,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/)
  }

  it.each([
    ['/flags/?v=2', { flags: {}, ...NONE }],
    ['/flags?v=2', { flags: {}, ...NONE }],
    ['/flags/', { featureFlags: {}, featureFlagPayloads: {}, ...NONE }],
    ['/flags/?v=1', { featureFlags: {}, featureFlagPayloads: {}, ...NONE }]
  ])('are an empty set, in the format of %s', async (path, expected) => {
    const { token } = await newProject()

    const { status, body, headers } = await request(
      'POST',
      path,
      {},
      JSON.stringify({ token, distinct_id: 'ada' })
    )

    expect(status).toBe(200)
    expect(body).toEqual(expected)
    expect(body.requestId).toBe(headers.get('X-Request-Id'))
  })

  it.each<[string, (text: string) => Promise<BodyInit> | BodyInit]>([
    ['gzip', gzip],
    ['a form', (text) => `data=${encodeURIComponent(base64Text(text))}`],
    ['base64', base64Text]
  ])('can be requested as %s', async (_, encode) => {
    const { token } = await newProject()

    const { status, body } = await request(
      'POST',
      '/flags/?v=2',
      {},
      await encode(JSON.stringify({ api_key: token }))
    )

    expect([status, body.flags]).toEqual([200, {}])
  })

  it.each<[string, Json, string]>([
    ['no token', { distinct_id: 'ada' }, 'event submitted without an api_key'],
    ['an unknown token', { token: 'phc_unknown' }, 'API key is not valid: unknown'],
    [
      'a personal key',
      { token: newApiKey() },
      'API key is not valid: personal_api_key. Send events with the project’s capture token (phc_…), not with a personal API key (phx_…).'
    ],
    ['a list', [], 'event submitted without an api_key']
  ])('are refused with %s', async (_, asked, detail) => {
    const { status, body } = await request('POST', '/flags/?v=2', {}, JSON.stringify(asked))

    expect(status).toBe(401)
    expect(body).toEqual({
      type: 'authentication_error',
      code: 'authentication_failed',
      detail,
      attr: 'api_key'
    })
  })
})
