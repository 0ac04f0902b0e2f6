import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { base64Text, gzip, OK, personsOf, send, untilPersons } from '../../support/capture.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

/** Two ids that are the same double. */
const [FIRST, SECOND] = ['1152921504606846977', '1152921504606846980']

const LONG = `9${'0'.repeat(150)}1`

describe('an id that is a number', () => {
  it('belongs to a person of its own, however many digits it has', async () => {
    const project = await newProject()
    const identify = (id: string) =>
      `{"event":"$identify","distinct_id":${id},"properties":{"$set":{"sent":"${id}"}}}`
    const ids = [FIRST, SECOND, LONG, `-${FIRST}`, '9007199254740991', '7']

    const { status, body } = await send(
      `{"api_key":"${project.token}","batch":[${ids.map(identify)}]}`
    )
    await untilPersons(project, ids.length)
    const { results } = await personsOf(project)

    expect([status, body]).toEqual([200, OK])
    expect(results).toMatchObject(
      ids.toReversed().map((id) => ({ distinct_ids: [id], properties: { sent: id } }))
    )
  })

  const eventOf = (token: string, more = '') =>
    `{"api_key":"${token}","event":"seen","distinct_id":${FIRST}${more}}`

  it.each<[string, string, (token: string) => BodyInit | Promise<BodyInit>]>([
    ['a batch', '/batch/', (token) => `{"api_key":"${token}","batch":[${eventOf(token)}]}`],
    ['a batch of AI events', '/i/v0/ai/batch/', (token) => `{"batch":[${eventOf(token)}]}`],
    ['a list', '/e/', (token) => `[${eventOf(token)}]`],
    ['one event', '/i/v0/e/', eventOf],
    ['gzip', '/capture/', (token) => gzip(eventOf(token))],
    [
      'a form',
      '/track/',
      (token) => new URLSearchParams({ data: base64Text(eventOf(token)) }).toString()
    ],
    ['base64', '/engage/', (token) => base64Text(eventOf(token).replace('seen', '$identify'))],
    [
      'its properties',
      '/e/',
      (token) =>
        `[{"event":"seen","properties":{"token":"${token}","distinct_id" : ${FIRST} ,"n":1}}]`
    ],
    [
      '`$distinct_id`',
      '/e/',
      (token) => eventOf(token).replace('"distinct_id"', '"\\u0024distinct_id"')
    ]
  ])('keeps its digits in %s', async (_, path, bodyOf) => {
    const { token } = await newProject()

    const { status, events } = await send(await bodyOf(token), { path })

    expect([status, events.map(({ distinct_id }) => distinct_id)]).toEqual([200, [FIRST]])
  })

  it('keeps its digits in a recording', async () => {
    const project = await newProject({ settings: { recording: true } })
    const { post, held } = holdRecordings()
    const event = JSON.stringify(snapshotEvent(project)).replace('"ada"', FIRST)

    const { status } = await post(`[${event}]`)

    expect([status, held]).toMatchObject([200, [{ distinct_id: FIRST }]])
  })

  it.each([
    ['$identify', '$anon_distinct_id'],
    ['$create_alias', 'alias'],
    ['$merge_dangerously', 'alias']
  ])('keeps its digits where %s names it as `%s`', async (event, member) => {
    const project = await newProject()
    const merge = `{"event":"${event}","distinct_id":"ada","properties":{"${member}":${FIRST}}}`

    const { status, events } = await send(`{"api_key":"${project.token}","batch":[${merge}]}`)
    await untilPersons(project, 1)
    const { results } = await personsOf(project)

    expect([status, events[0]?.properties]).toMatchObject([200, { [member]: FIRST }])
    expect(results[0].distinct_ids.toSorted()).toEqual([FIRST, 'ada'])
  })

  it('keeps its digits in the alias of a batch with results', async () => {
    const { token } = await newProject()
    const uuid = crypto.randomUUID()
    const event = `{"uuid":"${uuid}","event":"$create_alias","distinct_id":"ada","timestamp":"2026-10-02T10:11:12Z","properties":{"alias":${FIRST}}}`
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'PostHog-Sdk-Info': 'posthog-node/5.70.0',
      'PostHog-Attempt': '1',
      'PostHog-Request-Id': 'one',
      'PostHog-Request-Timestamp': '2026-10-02T10:11:13Z'
    }

    const { body, events } = await send(
      `{"created_at":"2026-10-02T10:11:12Z","batch":[${event}]}`,
      {
        path: '/i/v1/analytics/events',
        headers
      }
    )

    expect([body.results[uuid], events[0]?.properties.alias]).toEqual([{ result: 'ok' }, FIRST])
  })

  it('causes no warning, but other numbers beside it do', async () => {
    const { token } = await newProject()
    const log = listenToLog()

    await send(eventOf(token, `,"properties":{"$user_id":${FIRST}}`), { path: '/e/' })
    expect(log.lines('ingestion warning')).toEqual([])

    await send(eventOf(token, `,"properties":{"alias":${FIRST},"n":${FIRST}}`), { path: '/e/' })
    expect(log.lines('ingestion warning')).toMatchObject([{ type: 'number_not_exact' }])
  })
})

describe('a number that is no integer', () => {
  const fractions = ['1.5', '-0.5', '1e400', '1e21', '9007199254740993.0', '12345678901234567.5']

  it.each([...fractions, `[${FIRST}]`, `{"id":[1.5]}`])('is no distinct id: %s', async (number) => {
    const project = await newProject({ settings: { recording: true } })
    const reason = 'event distinct_id must be a text or an integer; got another number'
    const batch = `{"event":"seen","distinct_id":${number}},{"event":"seen","distinct_id":"ada"}`
    const snapshot = JSON.stringify(snapshotEvent(project)).replace('"ada"', number)

    const { status, body } = await send(`{"api_key":"${project.token}","batch":[${batch}]}`)
    const recorded = await holdRecordings().post(`[${snapshot}]`)

    expect([status, body.dropped]).toEqual([200, [{ uuid: null, reason }]])
    expect([recorded.status, recorded.body.detail]).toEqual([400, reason])
  })

  it.each([
    ['$identify', '$anon_distinct_id'],
    ['$create_alias', 'alias'],
    ['$merge_dangerously', 'alias']
  ])('is no id that %s may name as `%s`', async (event, member) => {
    const { token } = await newProject()
    const events = fractions.map(
      (number) => `{"event":"${event}","distinct_id":"ada","properties":{"${member}":${number}}}`
    )

    const { status, body } = await send(`{"api_key":"${token}","batch":[${events}]}`)

    expect([status, body.detail, body.dropped.length]).toEqual([
      400,
      `event ${member} must be a text or an integer; got another number`,
      fractions.length
    ])
  })

  it('is not rounded to an integer that is an id', async () => {
    const { token } = await newProject()

    const { events } = await send(
      `{"api_key":"${token}","event":"seen","distinct_id":0.99999999999999999999}`
    )

    expect(events.map(({ distinct_id }) => distinct_id)).toEqual(['0.99999999999999999999'])
  })

  it('stays a number in the properties of events that merge nobody', async () => {
    const { token } = await newProject()
    const properties = { alias: 1.5, $anon_distinct_id: 2, $user_id: 9007199254740991 }

    const { events } = await send(
      JSON.stringify({ api_key: token, event: 'seen', distinct_id: 'ada', properties })
    )

    expect(events[0]?.properties).toMatchObject(properties)
  })
})
