import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { send, sendJson } from '../../support/capture.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const nested = (depth: number, open: string, close: string) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`

const TOO_DEEP = {
  code: 'parse_error',
  detail: 'failed to parse request: nested deeper than 1500'
}

describe('an event', () => {
  const ID = '01a1f000-0000-7000-8000-000000000001'

  it.each<[string, Json, string | null, string]>([
    ['is not an object', 'text', null, 'event is not an object'],
    ['is a list', [1], null, 'event is not an object'],
    ['is null', null, null, 'event is not an object'],
    ['has no name', { uuid: ID, distinct_id: 'a' }, ID, 'event submitted with an empty event name'],
    [
      'has an empty name',
      { uuid: ID, event: '', distinct_id: 'a' },
      ID,
      'event submitted with an empty event name'
    ],
    [
      'has a blank name',
      { event: ' ', distinct_id: 'a' },
      null,
      'event submitted with an empty event name'
    ],
    [
      'has a number for a name',
      { event: 1, distinct_id: 'a' },
      null,
      'event submitted with an empty event name'
    ],
    ['has no distinct id', { uuid: ID, event: 'e' }, ID, 'event submitted without a distinct_id'],
    [
      'has an empty distinct id',
      { event: 'e', distinct_id: '' },
      null,
      'event submitted without a distinct_id'
    ],
    [
      'has a blank distinct id',
      { event: 'e', distinct_id: ' \t' },
      null,
      'event submitted without a distinct_id'
    ],
    [
      'has null for a distinct id',
      { event: 'e', distinct_id: null },
      null,
      'event submitted without a distinct_id'
    ],
    [
      'has text for its properties',
      { event: 'e', distinct_id: 'a', properties: 'x' },
      null,
      'event properties are not an object'
    ],
    [
      'has a list for its properties',
      { event: 'e', distinct_id: 'a', properties: ['x'] },
      null,
      'event properties are not an object'
    ],
    [
      'has a number for its time',
      { event: 'e', distinct_id: 'a', timestamp: 1795262400 },
      null,
      'event timestamp must be an ISO 8601 string; got a number'
    ],
    [
      'has a word for its time',
      { event: 'e', distinct_id: 'a', timestamp: 'yesterday' },
      null,
      'event timestamp must be an ISO 8601 string; got "yesterday"'
    ],
    [
      'has an impossible day for its time',
      { event: 'e', distinct_id: 'a', timestamp: '2026-02-30T00:00:00Z' },
      null,
      'event timestamp must be an ISO 8601 string; got "2026-02-30T00:00:00Z"'
    ],
    [
      'has a list for its time',
      { event: 'e', distinct_id: 'a', timestamp: [2026] },
      null,
      'event timestamp must be an ISO 8601 string; got [2026]'
    ],
    [
      'has text for a uuid',
      { uuid: 'abc', event: 'e', distinct_id: 'a' },
      null,
      'event submitted with an invalid uuid'
    ],
    [
      'has a number for a uuid',
      { uuid: 1, event: 'e', distinct_id: 'a' },
      null,
      'event submitted with an invalid uuid'
    ],
    [
      'is a snapshot',
      { event: '$snapshot', distinct_id: 'a' },
      null,
      '$snapshot is not stored as an event'
    ],
    [
      'measures performance',
      { event: '$performance_event', distinct_id: 'a' },
      null,
      '$performance_event is not stored as an event'
    ],
    [
      'identifies without a person',
      { event: '$identify', distinct_id: 'a', properties: { $process_person_profile: false } },
      null,
      '$identify needs a person profile: send it without $process_person_profile: false'
    ]
  ])(
    'is dropped with the reason, and the others are kept, when it %s',
    async (_, event, uuid, reason) => {
      const { token } = await newProject()

      const { status, body, events } = await sendJson({
        api_key: token,
        batch: [{ event: 'good', distinct_id: 'a' }, event, { event: 'fine', distinct_id: 'a' }]
      })

      expect(status).toBe(200)
      expect(body).toEqual({ status: 'Ok', dropped: [{ uuid, reason }] })
      expect(events.map((kept) => kept.event)).toEqual(['good', 'fine'])
    }
  )

  it('that is dropped fails the request when no other event is kept', async () => {
    const { token } = await newProject()

    const { status, body, events } = await sendJson({
      api_key: token,
      batch: [{ uuid: ID, distinct_id: 'a' }, { event: 'e' }, { event: 'e' }]
    })

    expect(status).toBe(400)
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: 'event submitted with an empty event name; event submitted without a distinct_id',
      attr: null,
      dropped: [
        { uuid: ID, reason: 'event submitted with an empty event name' },
        { uuid: null, reason: 'event submitted without a distinct_id' },
        { uuid: null, reason: 'event submitted without a distinct_id' }
      ]
    })
    expect(events).toEqual([])
  })

  it('is dropped when its properties have more than 1,000,000 bytes', async () => {
    const { token } = await newProject()
    const large = (bytes: number) => ({
      event: 'large',
      distinct_id: 'a',
      properties: { text: 'é'.repeat(bytes / 2) }
    })

    const { status, body, events } = await sendJson({
      api_key: token,
      batch: [{ event: 'small', distinct_id: 'a' }, large(1_000_000)]
    })

    expect(status).toBe(200)
    expect(body.dropped).toEqual([
      { uuid: null, reason: 'maximum event size exceeded: 1000000 bytes' }
    ])
    expect(events.map(({ event }) => event)).toEqual(['small'])
  })

  it('is dropped when it sets more bytes of properties than a person may have', async () => {
    const { token } = await newProject()
    const sized = (key: string, bytes: number) => ({
      event: '$set',
      distinct_id: 'ada',
      properties: { [key]: { a: 'x'.repeat(bytes - '{"a":""}'.length) } }
    })
    const batch = [
      sized('$set', 524_288),
      sized('$set', 524_289),
      sized('$set_once', 524_289),
      sized('other', 600_000)
    ]

    const { status, body } = await sendJson({ api_key: token, batch })

    const refused = {
      uuid: null,
      reason: 'maximum size of person properties exceeded: 524288 bytes'
    }
    expect([status, body]).toEqual([200, { status: 'Ok', dropped: [refused, refused] }])
  })

  it.each([
    ['its properties', (value: string) => `"distinct_id":"a","properties":{"x":${value}}`],
    ['$set beside its properties', (value: string) => `"distinct_id":"a","$set":{"x":${value}}`],
    ['its distinct id', (value: string) => `"distinct_id":${value}`],
    ['its offset', (value: string) => `"distinct_id":{"x":${value}},"offset":${value}`],
    ['its time', (value: string) => `"distinct_id":"a","timestamp":${value}`]
  ])('never breaks the endpoint, however deep the nesting of %s', async (_, members) => {
    const { token } = await newProject()
    const batchOf = (depth: number) =>
      `{"api_key":"${token}","batch":[{"event":"good","distinct_id":"a"},
        {"event":"deep",${members(nested(depth, '[', ']'))}}]}`

    const { status, body } = await send(batchOf(1_400))
    const refused = await send(batchOf(200_000))

    expect([status, body.status]).toEqual([200, 'Ok'])
    expect([refused.status, refused.body]).toMatchObject([400, TOO_DEEP])
  })

  it('is dropped when its properties are nested deeper than 200', async () => {
    const { token } = await newProject()
    const event = (depth: number) =>
      `{"event":"${depth}","distinct_id":"a","properties":${nested(depth, '{"x":', '}')}}`

    const { status, body, events } = await send(
      `{"api_key":"${token}","batch":[${event(200)},${event(201)}]}`
    )

    expect(status).toBe(200)
    expect(body.dropped).toEqual([
      { uuid: null, reason: 'event properties are nested deeper than 200' }
    ])
    expect(events.map(({ event }) => event)).toEqual(['200'])
  })
})

describe('a batch', () => {
  it.each<[string, JsonObject, string]>([
    ['empty', { batch: [] }, 'request holds no event'],
    ['an object', { batch: { event: 'e' } }, 'failed to parse request: batch is not an array'],
    ['text', { batch: 'x' }, 'failed to parse request: batch is not an array']
  ])('is refused when it is %s', async (_, envelope, detail) => {
    const { token } = await newProject()

    const { status, body } = await sendJson({ api_key: token, ...envelope })

    expect(status).toBe(400)
    expect(body).toEqual({ type: 'validation_error', code: 'invalid_input', detail, attr: 'batch' })
  })
})

it('a body of a million nested lists is refused', async () => {
  const { status, body } = await send(nested(1_000_000, '[', ']'))

  expect([status, body]).toMatchObject([400, TOO_DEEP])
})
