import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { base64Text, gzip, send } from '../../support/capture.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

afterAll(untilQuiet)

const UUID = '01a1f000-0000-7000-8000-00000000000a'

/** Returns the JSON of an event with this number. */
const eventOf = (number: string, more = '') =>
  `{"event":"seen","distinct_id":"ada","properties":{"n":${number}}${more}}`

it.each([
  ['2^53 + 1', '9007199254740993'],
  ['beyond all doubles', '1e400']
])(
  'events with an inexact number are stored, and one warning names the first of them: %s',
  async (_, number) => {
    const project = await newProject()
    const log = listenToLog()
    const batch = [eventOf('1'), eventOf(number, `,"uuid":"${UUID}"`), eventOf(number)]

    const { status, events } = await send(`{"api_key":"${project.token}","batch":[${batch}]}`)

    expect([status, events.length]).toEqual([200, 3])
    expect(log.lines('ingestion warning')).toMatchObject([
      { project: project.id, type: 'number_not_exact', event: UUID }
    ])
  }
)

it.each([
  [
    'a single event',
    '/capture/',
    (event: string, token: string) => event.replace('{', `{"api_key":"${token}",`)
  ],
  [
    'an array',
    '/e/',
    (event: string, token: string) => `[${event.replace('{', `{"api_key":"${token}",`)}]`
  ]
])('the warning names the event of %s, in any encoding', async (_, path, bodyOf) => {
  const project = await newProject()
  const body = bodyOf(eventOf('12345678901234567890', `,"uuid":"${UUID}"`), project.token)
  const log = listenToLog()

  for (const encoded of [body, await gzip(body), `data=${encodeURIComponent(base64Text(body))}`]) {
    expect((await send(encoded, { path })).status).toBe(200)
  }

  const warning = { type: 'number_not_exact', event: UUID }
  expect(log.lines('ingestion warning')).toMatchObject([warning, warning, warning])
})

it('the warning names an event that is the whole body, although its member "5" looks like a place in a list', async () => {
  const project = await newProject()
  const log = listenToLog()
  const event = eventOf('9007199254740993', `,"uuid":"${UUID}"`)

  const { status } = await send(
    event.replace('{', `{"api_key":"${project.token}","5":9007199254740993,`)
  )

  expect(status).toBe(200)
  expect(log.lines('ingestion warning')).toMatchObject([
    { project: project.id, type: 'number_not_exact', event: UUID }
  ])
})

it('an event with a repeated member is stored, and a warning names the event', async () => {
  const project = await newProject()
  const log = listenToLog()
  const twice = `{"event":"seen","distinct_id":"ada","uuid":"${UUID}","properties":{"n":1,"n":2}}`

  const { status, events } = await send(
    `{"api_key":"${project.token}","batch":[${eventOf('1')},${twice}]}`
  )

  expect([status, events.length]).toEqual([200, 2])
  expect(log.lines('ingestion warning')).toMatchObject([
    { project: project.id, type: 'member_repeated', event: UUID }
  ])
})

it.each(['"x":1e400', '"x":1,"x":2', '"x":{"0":1e400}', '"batch":[]'])(
  'an inexact number or a repeated member outside the events causes no warning: %s',
  async (members) => {
    const project = await newProject()
    const log = listenToLog()

    const { status, events } = await send(
      `{"api_key":"${project.token}",${members},"batch":[${eventOf('1')}]}`
    )

    expect([status, events.length]).toEqual([200, 1])
    expect(log.lines('ingestion warning')).toEqual([])
  }
)

it('numbers as SDKs write them cause no warning', async () => {
  const project = await newProject()
  const log = listenToLog()
  const numbers = ['0.30000000000000004', '1e21', '9007199254740992', '1.7976931348623157e308']

  const { status } = await send(
    `{"api_key":"${project.token}","batch":[${numbers.map((number) => eventOf(number))}]}`
  )

  expect(status).toBe(200)
  expect(log.lines('ingestion warning')).toEqual([])
})
