import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { CapturedEvent } from '../../../src/capture/event.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { capture, OK, UUID_V7 } from '../../support/capture.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

describe('a distinct id', () => {
  it.each<[string, JsonObject, string]>([
    [
      'of the event, although its properties have another',
      { distinct_id: 'root', properties: { distinct_id: 'inner' } },
      'root'
    ],
    ['$distinct_id', { distinct_id: null, $distinct_id: 'dollar' }, 'dollar'],
    ['of the properties', { distinct_id: null, properties: { distinct_id: 'inner' } }, 'inner'],
    ['a number', { distinct_id: 23 }, '23'],
    ['zero', { distinct_id: 0 }, '0'],
    ['false', { distinct_id: false }, 'false'],
    ['a list', { distinct_id: ['a', 1] }, '["a",1]'],
    ['an object', { distinct_id: { a: 1 } }, '{"a":1}'],
    ['with a NUL', { distinct_id: 'a\0b' }, 'a\ufffdb'],
    ['with half a surrogate pair', { distinct_id: 'a\ud83db' }, 'a\ufffdb'],
    ['with a whole surrogate pair', { distinct_id: 'a🙂b' }, 'a🙂b'],
    ['with white space around', { distinct_id: ' a ' }, ' a '],
    ['of 200 characters', { distinct_id: 'x'.repeat(200) }, 'x'.repeat(200)],
    ['of more than 200 characters', { distinct_id: 'x'.repeat(201) }, 'x'.repeat(200)],
    [
      'of more than 200 characters outside the basic plane',
      { distinct_id: '🙂'.repeat(201) },
      '🙂'.repeat(200)
    ]
  ])('is kept as text: %s', async (_, event, expected) => {
    const project = await newProject()

    const { status, body, event: kept } = await capture(project, event)

    expect([status, body]).toEqual([200, OK])
    expect(kept?.distinct_id).toBe(expected)
  })
})

describe('properties', () => {
  it('contain no unpaired surrogate, which the database would change', async () => {
    const halves = { a: '\ud83d', 'k\udc00': ['x\ud83d\ud83d', '\\ud83d', '\\\ud83d', '🙂"\n'] }
    const whole = { a: '\ufffd', 'k\ufffd': ['x\ufffd\ufffd', '\\ud83d', '\\\ufffd', '🙂"\n'] }

    const { event } = await capture(await newProject(), { properties: halves })

    expect(event?.properties).toMatchObject(whole)
  })
})

describe('a uuid', () => {
  it.each<[string, JsonObject]>([
    ['missing', {}],
    ['empty', { uuid: '' }],
    ['null', { uuid: null }]
  ])('is made when it is %s', async (_, event) => {
    const project = await newProject()

    const first = await capture(project, event)
    const second = await capture(project, event)

    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.event?.uuid).toMatch(UUID_V7)
    expect(second.event?.uuid).not.toBe(first.event?.uuid)
  })

  it('is kept in lower case', async () => {
    const project = await newProject()

    const { event } = await capture(project, { uuid: 'ABCDEF00-0000-4000-8000-00000000000F' })

    expect(event?.uuid).toBe('abcdef00-0000-4000-8000-00000000000f')
  })
})

describe('properties', () => {
  it('lose the token and the distinct id, and keep the rest', async () => {
    const project = await newProject()

    const { event } = await capture(project, {
      properties: {
        token: project.token,
        distinct_id: 'ada',
        $lib: 'web',
        nested: { token: 'x' },
        none: null,
        list: [1, null]
      }
    })

    expect(event?.properties).toEqual({
      $lib: 'web',
      nested: { token: 'x' },
      none: null,
      list: [1, null]
    })
  })

  it('include the event’s own `$set` and `$set_once`, whose values win', async () => {
    const project = await newProject()

    const { event } = await capture(project, {
      $set: { a: 'outer', b: 'outer' },
      $set_once: { c: 'outer' },
      properties: { $set: { a: 'inner', d: 'inner' } }
    })

    expect(event?.properties).toEqual({
      $set: { a: 'outer', b: 'outer', d: 'inner' },
      $set_once: { c: 'outer' }
    })
  })

  it.each([{ properties: null }, {}])('may be missing: %o', async (event) => {
    const project = await newProject()

    const answer = await capture(project, event)

    expect([answer.status, answer.event?.properties]).toEqual([200, {}])
  })
})

describe('the name of an event', () => {
  it.each([
    ['characters after the 200th are removed', 'a'.repeat(201), 'a'.repeat(200)],
    ['a NUL is replaced', 'nul\0', 'nul\ufffd'],
    ['half a surrogate pair is replaced', 'half\udc00', 'half\ufffd']
  ])('is cleaned: %s', async (_, name, expected) => {
    const project = await newProject()

    const { event } = await capture(project, { event: name })

    expect(event?.event).toBe(expected)
  })
})

it('an empty list of properties, as PHP encodes an empty object, is an empty object', async () => {
  const project = await newProject()

  const { status, event } = await capture(project, { properties: [] })

  expect([status, event?.properties]).toEqual([200, {}])
})

describe('the time of an event', () => {
  const at = (event: CapturedEvent | undefined) => event && new Date(event.timestamp).toISOString()

  it.each<[string, JsonObject, string]>([
    ['neither', {}, '2026-11-21T12:00:00.000Z'],
    ['null', { timestamp: null }, '2026-11-21T12:00:00.000Z'],
    ['empty text', { timestamp: '' }, '2026-11-21T12:00:00.000Z'],
    ['UTC', { timestamp: '2026-11-21T11:00:00.123Z' }, '2026-11-21T11:00:00.123Z'],
    ['microseconds', { timestamp: '2026-11-21T11:00:00.123456Z' }, '2026-11-21T11:00:00.123Z'],
    ['a zone in hours', { timestamp: '2026-11-21T14:00:00+03' }, '2026-11-21T11:00:00.000Z'],
    ['a zone with minutes', { timestamp: '2026-11-21T05:30:00-05:30' }, '2026-11-21T11:00:00.000Z'],
    ['no zone', { timestamp: '2026-11-21T11:00:00' }, '2026-11-21T11:00:00.000Z'],
    ['a space, not a T', { timestamp: '2026-11-21 11:00:00' }, '2026-11-21T11:00:00.000Z'],
    ['a day', { timestamp: '2026-11-20' }, '2026-11-20T00:00:00.000Z'],
    ['a mail date', { timestamp: 'Fri, 20 Nov 2026 10:00:00 GMT' }, '2026-11-20T10:00:00.000Z'],
    ['a zone with a name', { timestamp: '2026-11-21 11:00:00 UTC' }, '2026-11-21T11:00:00.000Z'],
    ['the month first', { timestamp: '11/21/2026 11:00:00' }, '2026-11-21T11:00:00.000Z'],
    ['seconds since 1970', { timestamp: '1795258800' }, '2026-11-21T11:00:00.000Z'],
    ['milliseconds since 1970', { timestamp: '1795258800123' }, '2026-11-21T11:00:00.123Z'],
    ['23 hours ahead', { timestamp: '2026-11-22T11:00:00Z' }, '2026-11-22T11:00:00.000Z'],
    [
      'more than 23 hours ahead',
      { timestamp: '2026-11-22T11:00:00.001Z' },
      '2026-11-21T12:00:00.000Z'
    ],
    ['the year 9999', { timestamp: '9999-12-31T00:00:00Z' }, '2026-11-21T12:00:00.000Z'],
    ['the year 0', { timestamp: '0000-01-01T00:00:00Z' }, '0000-01-01T00:00:00.000Z'],
    ['before the year 0', { timestamp: '0000-01-01T00:00:00+03' }, '1970-01-01T00:00:00.000Z'],
    ['an offset', { offset: 1500 }, '2026-11-21T11:59:58.500Z'],
    [
      'an offset that wins over the time',
      { offset: 1000, timestamp: '2026-11-20T00:00:00Z' },
      '2026-11-21T11:59:59.000Z'
    ],
    [
      'an offset of 0',
      { offset: 0, timestamp: '2026-11-20T00:00:00Z' },
      '2026-11-21T12:00:00.000Z'
    ],
    ['an offset into the future', { offset: -3_600_000 }, '2026-11-21T13:00:00.000Z'],
    ['an offset too far into the future', { offset: -90_000_000 }, '2026-11-21T12:00:00.000Z'],
    [
      'an offset of text',
      { offset: '1000', timestamp: '2026-11-21T11:00:00Z' },
      '2026-11-21T11:00:00.000Z'
    ]
  ])('is read from its timestamp or offset: %s', async (_, event, expected) => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })

    const answer = await capture(project, event)

    expect([answer.status, at(answer.event)]).toEqual([200, expected])
  })

  it.each([
    ['2009-12-31T23:59:59.999Z', 1],
    ['0001-01-01T00:00:00Z', 1],
    ['2010-01-01T00:00:00Z', 0]
  ])('causes a warning if it is implausible: %s', async (timestamp, count) => {
    const project = await newProject()
    const log = listenToLog()

    const { status, event } = await capture(project, { timestamp })

    const warning = { type: 'implausible_time', project: project.id, event: event?.uuid, count: 1 }
    expect([status, at(event)]).toEqual([200, new Date(timestamp).toISOString()])
    expect(log.lines('ingestion warning')).toMatchObject(count === 0 ? [] : [warning])
  })

  /** The client's clock when it sends the request: 10 s ahead of the server's. */
  const CLOCK = '2026-11-21T12:00:10Z'
  const CLOCK_MS = String(Date.parse(CLOCK))

  it.each<[string, JsonObject, JsonObject, string, string]>([
    ['the envelope', {}, { sent_at: CLOCK }, '', '10:59:50'],
    ['the envelope, with a zone', {}, { sent_at: '2026-11-21T15:00:10+03:00' }, '', '10:59:50'],
    ['the envelope, in milliseconds', {}, { sent_at: Date.parse(CLOCK) }, '', '10:59:50'],
    ['the event', { sent_at: CLOCK }, {}, '', '10:59:50'],
    ['`_` in the query', {}, {}, `?_=${CLOCK_MS}`, '10:59:50'],
    ['`sent_at` in the query', {}, {}, `?sent_at=${CLOCK_MS}`, '10:59:50'],
    [
      'the event, although the envelope has another',
      { sent_at: CLOCK },
      { sent_at: '2026-11-21T12:30:00Z' },
      '',
      '10:59:50'
    ],
    [
      'the envelope, although the query has another',
      {},
      { sent_at: CLOCK },
      '?_=1795262400000',
      '10:59:50'
    ],
    ['a clock that is behind', {}, { sent_at: '2026-11-21T11:59:50Z' }, '', '11:00:10'],
    ['except if no clock is readable', {}, { sent_at: 'now' }, '?_=x', '11:00:00'],
    [
      'except if `$ignore_sent_at` is true',
      { properties: { $ignore_sent_at: true } },
      { sent_at: CLOCK },
      '',
      '11:00:00'
    ],
    [
      'even if `$ignore_sent_at` is text',
      { properties: { $ignore_sent_at: 'true' } },
      { sent_at: CLOCK },
      '',
      '10:59:50'
    ]
  ])('is corrected by the client’s clock: %s', async (_, event, envelope, query, expected) => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })

    const answer = await capture(
      project,
      { timestamp: '2026-11-21T11:00:00Z', ...event },
      envelope,
      `/batch/${query}`
    )

    expect([answer.status, at(answer.event)]).toEqual([200, `2026-11-21T${expected}.000Z`])
  })

  it('follows the offset even when the client sent its clock', async () => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })

    const { event } = await capture(
      project,
      { offset: 5000, timestamp: '2026-11-21T11:00:00Z' },
      { sent_at: CLOCK }
    )

    expect(at(event)).toBe('2026-11-21T11:59:55.000Z')
  })
})
