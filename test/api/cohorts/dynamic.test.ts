import { afterAll, describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import { seal } from '../../support/columns.ts'
import { newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { ask, asNode, lines } from '../../support/trends.ts'

afterAll(untilQuiet)

async function create(project: TestProject, ...values: object[]) {
  const filters = { properties: { type: 'AND', values } }
  const answer = await project.send('POST', 'cohorts/', { name: 'Found', filters })
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

const namesIn = async (project: TestProject, path: string): Promise<string[]> =>
  (await project.call('GET', path)).body.results.map(({ name }: { name: string }) => name).sort()

const person = (key: string, value: unknown, operator = 'exact') => ({
  type: 'person',
  key,
  value,
  operator
})

const did = (key: string, days: number, more: object = {}) => ({
  type: 'behavioral',
  value: 'performed_event',
  key,
  event_type: 'events',
  time_value: days,
  time_interval: 'day',
  ...more
})

const times = (key: string, operator: string, count: number, more: object = {}) =>
  did(key, 30, {
    value: 'performed_event_multiple',
    operator,
    operator_value: count,
    ...more
  })

/**
 * Events of the last months. ada (pro) opened three reports, the first 40 days ago; bob (free)
 * opened one yesterday; x, who has no person, opened two; cleo (pro) opened none. All visited today.
 */
async function newPast(): Promise<TestProject> {
  const project = await newProject()
  const now = Date.now()
  const ago = (days: number) => now - days * DAY - HOUR
  const open = (distinct_id: string, days: number, kind: string): TestEvent => ({
    event: 'report opened',
    distinct_id,
    timestamp: ago(days),
    properties: {
      kind,
      ...(distinct_id === 'x' && { $process_person_profile: false })
    }
  })
  const visit = (distinct_id: string, properties: object): TestEvent => ({
    event: 'visit',
    distinct_id,
    timestamp: now - 1_000,
    properties: { ...properties }
  })
  await project.ingest([
    visit('ada', { $set: { plan: 'pro' } }),
    visit('bob', { $set: { plan: 'free' } }),
    visit('cleo', { $set: { plan: 'pro' } }),
    visit('x', { $process_person_profile: false }),
    open('ada', 40, 'week'),
    open('ada', 10, 'week'),
    open('ada', 2, 'year'),
    open('bob', 1, 'week'),
    open('x', 3, 'week'),
    open('x', 4, 'week')
  ])
  return project
}

/** Returns which of the four visited, of those in a cohort, with or without a person. */
async function visitorsIn(project: TestProject, id: number): Promise<number> {
  const answer = await ask(
    project,
    asNode({
      series: [{ kind: 'EventsNode', event: 'visit', math: 'dau' }],
      dateRange: { date_from: '-1d' },
      properties: [{ type: 'cohort', key: 'id', value: id, operator: 'in' }],
      trendsFilter: { display: 'BoldNumber' }
    })
  )
  expect([answer.status, answer.body.detail]).toEqual([200, undefined])
  return Number(lines(answer)[0]?.[1])
}

/** Filters, the persons in the cohort, and the number of its visitors, with those without a person. */
const CASES: [string, object[], string[], number][] = [
  ['a property', [person('plan', 'pro')], ['ada', 'cleo'], 2],
  ['the opposite of a property', [person('plan', 'pro', 'is_not')], ['bob'], 2],
  ['a negated property', [{ ...person('plan', 'pro'), negation: true }], ['bob'], 2],
  ['something done', [did('report opened', 5)], ['ada', 'bob'], 3],
  ['something done long ago', [did('report opened', 1)], [], 0],
  ['something not done', [{ ...did('report opened', 60), negation: true }], ['cleo'], 1],
  ['something never heard of', [did('unheard of', 60)], [], 0],
  ['how often, at least', [times('report opened', 'gte', 2)], ['ada'], 2],
  ['how often, more', [times('report opened', 'gt', 1)], ['ada'], 2],
  ['how often, at most, with zero', [times('report opened', 'lte', 1)], ['bob', 'cleo'], 2],
  ['how often, less, with zero', [times('report opened', 'lt', 2)], ['bob', 'cleo'], 2],
  ['how often, exactly', [times('report opened', 'eq', 1)], ['bob'], 1],
  ['never, exactly', [times('report opened', 'exact', 0)], ['cleo'], 1],
  [
    'how often with filters',
    [
      times('report opened', 'gte', 1, {
        event_filters: [{ type: 'event', key: 'kind', value: 'year', operator: 'exact' }]
      })
    ],
    ['ada'],
    1
  ],
  [
    'the first time',
    [did('report opened', 30, { value: 'performed_event_first_time' })],
    ['bob'],
    2
  ],
  [
    'the first time with filters',
    [
      did('report opened', 30, {
        value: 'performed_event_first_time',
        event_filters: [{ type: 'event', key: 'kind', value: 'year' }]
      })
    ],
    ['ada'],
    1
  ],
  [
    'dates',
    [
      did('report opened', 1, {
        time_value: null,
        time_interval: null,
        explicit_datetime: '-45d',
        explicit_datetime_to: '-35d'
      })
    ],
    ['ada'],
    1
  ],
  ['a property and something done', [person('plan', 'pro'), did('report opened', 5)], ['ada'], 1],
  [
    'one of several',
    [{ type: 'OR', values: [person('plan', 'free'), times('report opened', 'gte', 2)] }],
    ['ada', 'bob'],
    3
  ],
  [
    'groups in groups',
    [
      {
        type: 'OR',
        values: [
          { type: 'AND', values: [person('plan', 'pro'), { ...did('visit', 1), negation: true }] },
          { type: 'AND', values: [person('plan', 'free'), did('visit', 1)] }
        ]
      }
    ],
    ['bob'],
    1
  ]
]

describe('a cohort by filters', () => {
  it('has those who fulfil them now, in lists and questions, before and after sealing', async () => {
    const project = await newPast()
    const cohorts = new Map<string, number>()
    for (const [words, filters, names] of CASES) {
      const { id, count, errors_calculating: errors } = await create(project, ...filters)
      expect([words, count, errors]).toEqual([words, names.length, 0])
      cohorts.set(words, id)
    }
    const check = async () => {
      for (const [words, , names, visitors] of CASES) {
        const id = cohorts.get(words) ?? 0
        expect([words, await namesIn(project, `cohorts/${id}/persons/`)]).toEqual([words, names])
        expect([words, await visitorsIn(project, id)]).toEqual([words, visitors])
      }
    }
    await check()
    await seal(project.id)
    await check()
    await project.ingest([
      { event: 'visit', distinct_id: 'cleo', properties: { $set: { plan: 'free' } } }
    ])
    expect(await namesIn(project, `persons/?cohort=${cohorts.get('a property')}`)).toEqual(['ada'])
  })

  it('names other cohorts', async () => {
    const project = await newPast()
    const ada = (await project.call('GET', 'persons/?distinct_id=ada')).body.results[0].uuid
    const picked = await project.send('POST', 'cohorts/', {
      is_static: true,
      _create_static_person_ids: [ada]
    })
    const inCohort = (value: number, more = {}) => ({ type: 'cohort', key: 'id', value, ...more })
    const pro = await create(project, person('plan', 'pro'))
    const others = await create(
      project,
      inCohort(pro.id),
      inCohort(picked.body.id, { negation: true })
    )

    expect(others.count).toBe(1)
    expect(await namesIn(project, `cohorts/${others.id}/persons/`)).toEqual(['cleo'])
    expect(await visitorsIn(project, others.id)).toBe(1)
    const circle = await project.send('PATCH', `cohorts/${pro.id}/`, {
      filters: { properties: { type: 'AND', values: [inCohort(others.id)] } }
    })
    expect([circle.status, circle.body.attr]).toEqual([400, 'filters'])
    expect(circle.body.detail).toContain(`${pro.id} → ${others.id} → ${pro.id}`)
    const own = await project.send('PATCH', `cohorts/${pro.id}/`, {
      filters: { properties: { type: 'AND', values: [inCohort(pro.id)] } }
    })
    expect([own.status, own.body.attr]).toEqual([400, 'filters'])
    await project.call('DELETE', `cohorts/${pro.id}/`)
    const left = (await project.call('GET', `cohorts/${others.id}/`)).body
    expect(left).toMatchObject({ count: null, errors_calculating: 1 })
    expect(left.last_error_message).toContain(`The cohort ${pro.id} does not exist`)
  })

  it('follows merges', async () => {
    const project = await newPast()
    const { id } = await create(project, times('report opened', 'gte', 4))
    expect(await namesIn(project, `cohorts/${id}/persons/`)).toEqual([])

    await project.ingest([
      { event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: 'x' } }
    ])
    expect(await namesIn(project, `cohorts/${id}/persons/`)).toEqual(['ada'])
    expect(await visitorsIn(project, id)).toBe(1)
  })

  it.each([
    [{}, 'required', 'filters'],
    [{ filters: {} }, 'invalid_input', 'filters__properties'],
    [
      { filters: { properties: { type: 'AND', values: [] } } },
      'invalid_input',
      'filters__properties__values'
    ],
    [
      { filters: { properties: person('plan', 'pro') } },
      'invalid_choice',
      'filters__properties__type'
    ],
    [
      {
        is_static: false,
        _create_static_person_ids: ['01a1f000-0000-7000-8000-000000000009'],
        filters: {}
      },
      'invalid_input',
      '_create_static_person_ids'
    ],
    [{ groups: [{ properties: [] }] }, 'invalid_input', 'groups']
  ])('with the body %j is refused', async (body, code, attr) => {
    const project = await newProject()
    const answer = await project.send('POST', 'cohorts/', body)

    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, code, attr])
  })

  it.each([
    [did('a', 5, { value: 'performed_event_sequence' }), 'invalid_input', 'value'],
    [did('a', 5, { value: 'stopped_performing_event' }), 'invalid_input', 'value'],
    [did('a', 5, { value: 'guessed' }), 'invalid_choice', 'value'],
    [did('a', 5, { event_type: 'actions' }), 'invalid_choice', 'event_type'],
    [did('a', 5, { time_value: 0 }), 'min_value', 'time_value'],
    [did('a', 5, { time_interval: 'fortnight' }), 'invalid_choice', 'time_interval'],
    [did('a', 5, { time_value: null }), 'required', 'time_value'],
    [did('a', 5, { time_interval: null }), 'required', 'time_interval'],
    [
      did('a', 5, { time_value: null, time_interval: null, explicit_datetime: 'tomorow' }),
      'invalid_input',
      'explicit_datetime'
    ],
    [did('a', 5, { explicit_datetime: '-5d' }), 'invalid_input', 'explicit_datetime'],
    [did('a', 5, { explicit_datetime_to: '-1d' }), 'required', 'explicit_datetime'],
    [
      did('a', 5, { event_filters: [{ key: 'a', operator: 'like', value: 1 }] }),
      'invalid_input',
      'event_filters'
    ],
    [did('a', 5, { seq_event: 'b' }), 'invalid_input', 'seq_event'],
    [did('a', 5, { negation: 'yes' }), 'invalid_input', 'negation'],
    [did('a', 5, { window: 5 }), 'invalid_input', 'window'],
    [times('a', 'about', 5), 'invalid_choice', 'operator'],
    [times('a', 'gte', -1), 'min_value', 'operator_value'],
    [{ ...times('a', 'gte', 1), operator_value: null }, 'required', 'operator_value'],
    [{ type: 'event', key: 'a', value: 'b' }, 'invalid_choice', 'type'],
    [{ type: 'person', key: 'plan', operator: 'exact' }, 'invalid_input', undefined],
    [{ type: 'person', key: 'plan', value: 'pro', extra: 1 }, 'invalid_input', undefined],
    [{ type: 'AND', values: [person('plan', 'pro')], negation: true }, 'invalid_input', 'negation']
  ])('with the filter %j is refused', async (filter, code, member) => {
    const project = await newProject()
    const filters = { properties: { type: 'AND', values: [filter] } }
    const answer = await project.send('POST', 'cohorts/', { filters })
    const at = ['filters__properties__values__0', ...(member ? [member] : [])].join('__')

    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, code, at])
  })

  it('of an unknown cohort is refused', async () => {
    const project = await newProject()
    const filters = {
      properties: { type: 'AND', values: [{ type: 'cohort', key: 'id', value: 999_999 }] }
    }
    const answer = await project.send('POST', 'cohorts/', { filters })

    expect([answer.status, answer.body.attr]).toEqual([400, 'filters'])
  })
})

it('lists cohorts by name, kind and creator', async () => {
  const project = await newProject()
  const named = await project.send('POST', 'cohorts/', { name: 'Power users', is_static: true })
  const found = await create(project, person('plan', 'pro'))
  const idsOf = async (query: string) =>
    (await project.call('GET', `cohorts/?${query}`)).body.results.map(
      ({ id }: { id: number }) => id
    )

  expect(await idsOf('')).toEqual([found.id, named.body.id])
  expect(await idsOf('search=POWER')).toEqual([named.body.id])
  expect(await idsOf('type=static')).toEqual([named.body.id])
  expect(await idsOf('type=dynamic')).toEqual([found.id])
  expect(await idsOf(`created_by_id=${project.user.id}&limit=1`)).toEqual([found.id])
  expect(await idsOf(`created_by_id=${project.user.id + 1}`)).toEqual([])
  expect((await project.call('GET', 'cohorts/?hide_behavioral_cohorts=true')).status).toBe(400)
})
