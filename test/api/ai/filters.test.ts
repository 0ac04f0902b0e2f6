import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi
} from 'vitest'
import { modelOf } from '../../../src/ai/model.ts'
import { suggestFilters } from '../../../src/ai/suggest.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { setClock } from '../../support/deliveries.ts'
import { listenToLog } from '../../support/log.ts'
import type { Asked, Turn } from '../../support/model.ts'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'

const { host, url } = inject('model')

/** A Saturday. */
const NOW = '2026-11-21T12:00:00Z'

type Stage = Awaited<ReturnType<typeof newStage>>

type Visit = {
  session: string
  distinct_id: string
  at: string
  seconds: number
  pages?: string[]
  clicks?: number
  errors?: number
  events?: [name: string, properties: JsonObject][]
}

const GERMAN = {
  $browser: 'Firefox',
  $os: 'Windows',
  $device_type: 'Desktop',
  $geoip_country_code: 'DE'
}
const FRENCH = {
  $browser: 'Chrome',
  $os: 'Mac OS X',
  $device_type: 'Desktop',
  $geoip_country_code: 'FR',
  price: 30
}
const AMERICAN = {
  $browser: 'Mobile Safari',
  $os: 'iOS',
  $device_type: 'Mobile',
  $geoip_country_code: 'US'
}

const VISITS: Visit[] = [
  {
    session: 'nobody',
    distinct_id: 'anon',
    at: '2026-11-21T10:00:00Z',
    seconds: 2,
    pages: ['https://shop.example/start']
  },
  {
    session: 'bob',
    distinct_id: 'bob',
    at: '2026-11-21T08:00:00Z',
    seconds: 60,
    pages: ['https://shop.example/docs/a'],
    clicks: 12,
    errors: 3,
    events: [['paid', FRENCH]]
  },
  {
    session: 'ada',
    distinct_id: 'ada',
    at: '2026-11-20T09:00:00Z',
    seconds: 600,
    pages: ['https://shop.example/start', 'https://shop.example/pricing'],
    clicks: 2,
    events: [
      ['signed up', GERMAN],
      ['paid', GERMAN]
    ]
  },
  {
    session: 'eve',
    distinct_id: 'eve',
    at: '2026-11-16T09:00:00Z',
    seconds: 180,
    pages: ['https://shop.example/pricing?plan=pro'],
    clicks: 1,
    events: [['$rageclick', AMERICAN]]
  }
]

const snapshotsOf = ({ at, seconds, pages = [], clicks = 0, errors = 0 }: Visit): JsonObject[] => {
  const start = Date.parse(at)
  const last = start + seconds * 1000
  const some = (n: number, of: (i: number) => JsonObject) =>
    Array.from({ length: n }, (_, i) => of(i))
  return [
    ...pages.map((href, i) => ({ type: 4, timestamp: start + i, data: { href } })),
    ...some(clicks, (i) => ({
      type: 3,
      timestamp: start + 10 + i,
      data: { source: 2, type: 2, id: 1 }
    })),
    ...some(errors, (i) => ({
      type: 6,
      timestamp: start + 100 + i,
      data: { plugin: 'rrweb/console@1', payload: { level: 'error', payload: [] } }
    })),
    { type: 5, timestamp: last, data: { tag: 'end', payload: {} } }
  ]
}

/** Creates a project with four recordings, newest first: of a visitor without a person, of Bob, of Ada and of Eve. */
async function newGallery(): Promise<Stage> {
  const stage = await newStage()
  const { project, record } = stage
  const person = (distinct_id: string, email: string, plan: string) => ({
    event: '$identify',
    distinct_id,
    timestamp: Date.parse('2026-11-01T00:00:00Z'),
    properties: { $set: { email, plan } }
  })
  await project.ingest([
    person('ada', 'ada@example.com', 'pro'),
    person('bob', 'bob@other.example', 'free'),
    person('eve', 'eve@example.com', 'free'),
    ...VISITS.flatMap(({ events = [], distinct_id, session, at }) =>
      events.map(([event, properties], i) => ({
        event,
        distinct_id,
        timestamp: Date.parse(at) + i,
        properties: { ...properties, $session_id: session }
      }))
    )
  ])
  for (const visit of VISITS) {
    await record(
      snapshotEvent(project, {
        session: visit.session,
        distinct_id: visit.distinct_id,
        snapshots: snapshotsOf(visit)
      })
    )
  }
  return stage
}

let gallery: Stage
beforeAll(async () => {
  setClock(NOW)
  gallery = await newGallery()
})
beforeEach(() => {
  setClock(NOW)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
afterAll(untilQuiet)

const filtersOf = ({ project }: Stage, body: JsonObject, bindings: Partial<Env> = {}) =>
  project.send('POST', 'session_recordings/ai/filters', body, bindings)

const ask = (content: string) => ({ messages: [{ role: 'user', content }] })

/** Returns the recordings that the filters in the answer select. */
async function selectedBy(data: { query: string }, stage = gallery): Promise<string[]> {
  const { count, results } = await stage.get(`?${data.query}`)
  expect(count).toBe(results.length)
  return results.map(({ id }: { id: string }) => id)
}

describe('filters select the recordings that the request describes', () => {
  it.each([
    ['longer than 2 minutes', ['ada', 'eve']],
    ['between 1 and 5 minutes', ['bob', 'eve']],
    ['shorter than a minute', ['nobody']],
    ['today', ['nobody', 'bob']],
    ['from yesterday', ['ada']],
    ['in the last 3 days, longer than 30 seconds', ['bob', 'ada']],
    ['before 2026-11-18', ['eve']],
    ['more than 10 clicks', ['bob']],
    ['no clicks', ['nobody']],
    ['with console errors', ['bob']],
    ['without errors but with clicks', ['ada', 'eve']],
    ['Firefox or Chrome', ['bob', 'ada']],
    ['not on Firefox', ['nobody', 'bob', 'eve']],
    ['Firefox on Windows in Germany', ['ada']],
    ['Firefox on Windows in France', []],
    ['iPhones in the US', ['eve']],
    ['on a desktop from Germany and France', ['bob', 'ada']],
    ['visited /pricing', ['ada', 'eve']],
    ['visited /pricing and /start', ['ada']],
    ['did not visit /pricing', ['nobody', 'bob']],
    ['started on /pricing', ['eve']],
    ['did "paid" but not "signed up"', ['bob']],
    ['event "signed up" or rage clicks', ['ada', 'eve']],
    ['neither event "paid" nor mobile', ['nobody']],
    ['by ada@example.com', ['ada']],
    ['users whose plan is free', ['bob', 'eve']],
    ['e-mails at example.com with clicks', ['ada', 'eve']],
    ['where price is at least 30', ['bob']],
    ['distinct id anon', ['nobody']],
    ['Chrome and errors or (longer than 5 minutes and not in France)', ['bob', 'ada']],
    ['all recordings', ['nobody', 'bob', 'ada', 'eve']]
  ])('%s', async (text, ids) => {
    const { status, body } = await filtersOf(gallery, ask(text))

    expect(status).toBe(200)
    expect(body).toMatchObject({ result: 'filter', engine: 'built-in', data: { question: '' } })
    expect(await selectedBy(body.data)).toEqual(ids)
  })
})

describe('POST session_recordings/ai/filters', () => {
  it('answers as PostHog does, with the query string for the list', async () => {
    const { body } = await filtersOf(gallery, ask('Firefox in the last 3 days'))

    const filter_group = {
      type: 'AND',
      values: [
        {
          type: 'AND',
          values: [{ key: '$browser', type: 'event', operator: 'exact', value: ['Firefox'] }]
        }
      ]
    }
    expect(body).toEqual({
      result: 'filter',
      engine: 'built-in',
      data: {
        question: '',
        date_from: '-3d',
        date_to: '',
        person_uuid: '',
        distinct_ids: [],
        filter_group,
        query: new URLSearchParams({
          date_from: '-3d',
          properties: JSON.stringify(filter_group)
        }).toString()
      }
    })
  })

  it('asks back and names the words that it does not understand', async () => {
    const { status, body } = await filtersOf(gallery, ask('frustrated users on Firefox'))

    expect([status, body.result, body.engine]).toEqual([200, 'question', 'built-in'])
    expect(body.data).toMatchObject({
      date_from: '',
      date_to: '',
      query: '',
      distinct_ids: [],
      person_uuid: ''
    })
    expect(body.data.question).toMatch(/^Not understood: "frustrated"\. /)
    const verb = await filtersOf(gallery, ask('e-mails at example.com who clicked'))
    expect(verb.body.data.question).toMatch(/^Not understood: "clicked"\./)
  })

  it('asks back when the list would refuse the filters', async () => {
    const dates = await filtersOf(gallery, ask('since 2026-02-31'))
    const many = await filtersOf(gallery, ask(Array(41).fill('did "x"').join(' and ')))

    expect(dates.body).toMatchObject({
      result: 'question',
      data: {
        question:
          '`date_from` must be an ISO date or a relative date such as `-7d`; got "2026-02-31".'
      }
    })
    expect(many.body).toMatchObject({
      result: 'question',
      data: { question: 'At most 40 property filters are allowed.' }
    })
  })

  it('reads the last message of a conversation', async () => {
    const { body } = await filtersOf(gallery, {
      messages: [
        { role: 'user', content: 'frustrated users' },
        { role: 'assistant', content: 'Not understood: "frustrated".' },
        { role: 'user', content: 'with rage clicks' }
      ]
    })

    expect(await selectedBy(body.data)).toEqual(['eve'])
  })

  it('finds the recordings of a person, however the person is named', async () => {
    const { project } = gallery
    const { body } = await project.call('GET', 'persons/?distinct_id=ada')
    const [ada] = body.results

    for (const named of [
      { distinct_id: 'ada' },
      { person: 'ada' },
      { person: { id: ada.id } },
      { person: ada },
      { person: { properties: {} }, distinct_id: 'ada' }
    ]) {
      const answer = await filtersOf(gallery, named)
      expect(answer.body).toMatchObject({
        result: 'filter',
        data: { person_uuid: ada.uuid, distinct_ids: [] }
      })
      expect(await selectedBy(answer.body.data)).toEqual(['ada'])
    }
    const both = await filtersOf(gallery, { distinct_id: 'eve', ...ask('longer than 5 minutes') })
    const anonymous = await filtersOf(gallery, { distinct_id: 'anon' })
    const two = await filtersOf(gallery, { distinct_id: 'anon', ...ask('distinct id ada') })
    const same = await filtersOf(gallery, { distinct_id: 'anon', ...ask('distinct id anon') })
    expect(await selectedBy(both.body.data)).toEqual([])
    expect(await selectedBy(anonymous.body.data)).toEqual(['nobody'])
    expect(same.body).toMatchObject({ result: 'filter', data: { distinct_ids: ['anon'] } })
    expect(await selectedBy(same.body.data)).toEqual(['nobody'])
    expect(two.body).toMatchObject({
      result: 'question',
      data: { question: 'Give only one distinct id.' }
    })
  })

  it('ignores a person with nothing but empty properties', async () => {
    const person = { properties: {} }

    const alone = await filtersOf(gallery, { person })
    const asked = await filtersOf(gallery, { person, ...ask('longer than 5 minutes') })
    const plain = await filtersOf(gallery, ask('longer than 5 minutes'))

    expect([alone.status, alone.body.result, alone.body.data.query]).toEqual([200, 'filter', ''])
    expect(asked.body).toEqual(plain.body)
  })

  it('answers the documented empty body to a client that prefers it', async () => {
    const { project } = gallery
    const headers = {
      Authorization: `Bearer ${project.key}`,
      'Content-Type': 'application/json',
      Prefer: 'return=minimal'
    }
    const path = `/api/projects/${project.id}/session_recordings/ai/filters`

    const answer = await request('POST', path, headers, JSON.stringify(ask('today')))

    expect([answer.status, answer.text, answer.headers.get('Preference-Applied')]).toEqual([
      200,
      '',
      'return=minimal'
    ])
  })

  it.each<[JsonObject, string, string]>([
    [{}, 'required', 'messages'],
    [{ messages: 'today' }, 'invalid_input', 'messages'],
    [{ messages: [] }, 'invalid_input', 'messages'],
    [{ messages: [{ content: 'today' }] }, 'required', 'messages__0__role'],
    [{ messages: [{ role: 'system', content: 'today' }] }, 'invalid_choice', 'messages__0__role'],
    [{ messages: [{ role: 'user' }] }, 'required', 'messages__0__content'],
    [ask(' '), 'blank', 'messages__0__content'],
    [{ distinct_id: 'unknown' }, 'does_not_exist', 'distinct_id'],
    [{ person: { uuid: '01a1f000-0000-7000-8000-00000000000a' } }, 'does_not_exist', 'person'],
    [{ person: {}, ...ask('today') }, 'invalid_input', 'person'],
    [{ person: { properties: { plan: 'pro' } } }, 'invalid_input', 'person'],
    [{ person: { distinct_ids: ['ada', 'bob'] } }, 'invalid_input', 'person'],
    [{ person: { distinct_ids: ['anon', 'bob'] } }, 'invalid_input', 'person'],
    [{ person: { distinct_ids: ['ada', ''] } }, 'blank', 'person__distinct_ids__1']
  ])('refuses %j', async (body, code, attr) => {
    const answer = await filtersOf(gallery, body)

    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, code, attr])
  })

  it('refuses a message that is too long', async () => {
    const answer = await filtersOf(gallery, ask('a'.repeat(2001)))

    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([
      400,
      'max_length',
      'messages__0__content'
    ])
  })

  it('does not find a person of another project', async () => {
    const other = await newProject()

    const answer = await other.send('POST', 'session_recordings/ai/filters', { distinct_id: 'ada' })

    expect([answer.status, answer.body.code]).toEqual([400, 'does_not_exist'])
  })
})

describe('a model', () => {
  const filters = (...values: JsonObject[]) => ({
    result: 'filter',
    question: '',
    date_from: '',
    date_to: '',
    filter_group: { type: 'AND', values: [{ type: 'AND', values }] }
  })
  const LONG = { key: 'duration', type: 'recording', operator: 'gt', value: ['300'] }
  const GOOD = filters(LONG)

  function deployModel(...turns: Turn[]) {
    const plan = `/${encodeURIComponent(JSON.stringify(turns))}/${crypto.randomUUID()}`
    const bindings = { AI_BASE_URL: `${url}${plan}`, AI_MODEL: 'test-model', OUTBOUND_ALLOW: host }
    const asked = async (): Promise<Asked[]> =>
      (await fetch(`${url}/asked?at=${encodeURIComponent(plan)}`)).json()
    return { bindings, asked }
  }

  it('writes the filters', async () => {
    const { bindings, asked } = deployModel({ say: GOOD })

    const { body } = await filtersOf(gallery, ask('the patient ones'), bindings)

    expect(body).toMatchObject({ result: 'filter', engine: 'model', data: { question: '' } })
    expect(await selectedBy(body.data)).toEqual(['ada'])
    const [first] = await asked()
    expect(first?.headers.authorization).toBeUndefined()
    expect(first?.body.messages[0]?.content).toContain('It is 2026-11-21T12:00:00.000Z')
    expect(JSON.parse(first?.body.messages[1]?.content ?? '')).toEqual(ask('the patient ones'))
  })

  it.each<[string, Turn]>([
    ['an unknown key', { say: filters({ ...LONG, key: 'patience' }) }],
    ['an unknown operator', { say: filters({ ...LONG, operator: 'longer' }) }],
    ['an unknown type', { say: filters({ ...LONG, type: 'cohort' }) }],
    ['text for a number', { say: filters({ ...LONG, value: ['five minutes'] }) }],
    [
      'a forbidden pattern',
      { say: filters({ key: 'start_url', type: 'recording', operator: 'regex', value: ['(?=a)'] }) }
    ],
    ['an invalid date', { say: { ...GOOD, date_from: 'last tuesday' } }],
    ['an empty question', { say: { ...GOOD, result: 'question' } }],
    ['a missing field', { say: { result: 'filter', filter_group: GOOD.filter_group } }],
    ['prose', { say: 'Sure! Longer than five minutes.' }],
    ['a refusal', { refuse: 'No.' }],
    ['status 503', { status: 503 }]
  ])('that answers with %s is asked again, then the rules answer', async (_, turn) => {
    const log = listenToLog()
    const again = deployModel(turn, { say: GOOD })
    const never = deployModel(turn, turn)

    const second = await filtersOf(gallery, ask('longer than 2 minutes'), again.bindings)
    const rules = await filtersOf(gallery, ask('longer than 2 minutes'), never.bindings)

    expect([second.body.engine, await selectedBy(second.body.data)]).toEqual(['model', ['ada']])
    expect([rules.body.engine, await selectedBy(rules.body.data)]).toEqual([
      'built-in',
      ['ada', 'eve']
    ])
    expect([(await again.asked()).length, (await never.asked()).length]).toEqual([2, 2])
    expect(log.lines('model gave no usable answer')).toHaveLength(1)
    expect(log.texts().join()).not.toContain('longer than 2 minutes')
  })

  it('asks back only when the rules do not understand the request either', async () => {
    const say = { ...filters(), result: 'question', question: 'Patient in which way?' }

    const unclear = await filtersOf(gallery, ask('the patient ones'), deployModel({ say }).bindings)
    const clear = await filtersOf(
      gallery,
      ask('longer than 5 minutes'),
      deployModel({ say }).bindings
    )

    expect(unclear.body).toMatchObject({
      result: 'question',
      engine: 'model',
      data: { question: say.question }
    })
    expect([clear.body.engine, await selectedBy(clear.body.data)]).toEqual(['built-in', ['ada']])
  })

  it('that does not answer is given up on at the time limit', async () => {
    vi.useRealTimers()
    const log = listenToLog()
    const { bindings } = deployModel({ silent: true }, { silent: true })
    const calendar = { timezone: 'UTC', weekStart: 0, testAccountFilters: [] }

    const messages = [{ role: 'user' as const, content: 'today' }]
    const answer = await suggestFilters(modelOf(bindings), messages, {
      project: calendar,
      now: new Date(NOW),
      timeLimitMs: 600
    })

    expect(answer).toMatchObject({
      engine: 'built-in',
      answer: { date_from: '2026-11-21', date_to: '2026-11-21' }
    })
    expect(log.lines('model gave no usable answer')).toMatchObject([
      {
        faults: [
          'The server did not respond within 0.4 s.',
          'The server did not respond within 0.2 s.'
        ]
      }
    ])
  })

  it('may be run by Workers AI, which answers with parsed JSON, with text or in OpenAI’s format', async () => {
    const answers = [
      { response: GOOD },
      { response: JSON.stringify(GOOD) },
      { choices: [{ message: { content: JSON.stringify(GOOD) } }] }
    ]
    for (const answer of answers) {
      const run = vi.fn(async () => answer)
      const bindings: object = { AI: { run }, AI_MODEL: '@cf/some/model' }

      const { body } = await filtersOf(gallery, ask('the patient ones'), bindings)

      expect(body).toMatchObject({ result: 'filter', engine: 'model' })
      expect(run).toHaveBeenCalledExactlyOnceWith(
        '@cf/some/model',
        expect.objectContaining({
          response_format: { type: 'json_schema', json_schema: expect.anything() }
        })
      )
    }
  })

  it('of Workers AI that fails is asked again, then the rules answer', async () => {
    listenToLog()
    const run = vi.fn(() => Promise.reject(new Error('Binding AI needs to be run remotely')))
    const bindings: object = { AI: { run }, AI_MODEL: '@cf/some/model' }

    const { body } = await filtersOf(gallery, ask('today'), bindings)

    expect([body.engine, run.mock.calls.length]).toEqual(['built-in', 2])
  })

  it('is not asked if AI_MODEL is missing', async () => {
    const { bindings, asked } = deployModel({ say: GOOD })

    const { body } = await filtersOf(gallery, ask('today'), { ...bindings, AI_MODEL: '' })

    expect([body.engine, await asked()]).toEqual(['built-in', []])
  })
})
