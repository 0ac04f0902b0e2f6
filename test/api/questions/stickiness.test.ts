import { expect, it } from 'vitest'
import { newProject, type TestEvent, type TestProject } from '../../support/project.ts'

const views = (distinct_id: string, days: string[], properties = {}): TestEvent[] =>
  days.map((day) => ({
    distinct_id,
    timestamp: Date.parse(`2026-03-${day}T12:00:00Z`),
    properties
  }))

/** Ada on three days, Bo on two, Cy and Di, who is no person, on one. */
const STORY = [
  ...views('ada', ['04', '04', '05', '06']),
  ...views('bo', ['04', '06']),
  ...views('cy', ['05']),
  ...views('di', ['06'], { $process_person_profile: false }),
  ...views('ada', ['02', '03'])
]

const NODE = {
  kind: 'StickinessQuery',
  series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
  dateRange: { date_from: '2026-03-04', date_to: '2026-03-06' }
}

const ask = (project: TestProject, more: object = {}) =>
  project.send('POST', 'query/', { query: { ...NODE, ...more } })

it('answers with the number of actors by the number of days', async () => {
  const project = await newProject()
  await project.ingest(STORY)

  const { status, body } = await ask(project, { stickinessFilter: { showLegend: true } })

  expect(status).toBe(200)
  expect(body.resolved_date_range.date_from).toBe('2026-03-04T00:00:00Z')
  expect(body.results).toEqual([
    {
      action: expect.objectContaining({ id: '$pageview', order: 0, type: 'events' }),
      label: '$pageview',
      count: 4,
      data: [2, 1, 1],
      days: [1, 2, 3],
      labels: ['1 day', '2 days', '3 days']
    }
  ])
})

it.each([
  ['in so many days or more', { stickinessFilter: { computedAs: 'cumulative' } }, [[4, 2, 1]]],
  [
    'in days with two events',
    { stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } } },
    [[1, 0, 0]]
  ],
  [
    'in an earlier period',
    { compareFilter: { compare: true } },
    [
      [2, 1, 1],
      [0, 1, 0]
    ]
  ],
  ['in weeks', { interval: 'week' }, [[4]]]
])('counts actors %s', async (_, more, expected) => {
  const project = await newProject()
  await project.ingest(STORY)

  const { body } = await ask(project, more)

  expect(body.results.map(({ data }: { data: number[] }) => data)).toEqual(expected)
})

it('labels a cumulative answer, and both periods of a comparison', async () => {
  const { body } = await ask(await newProject(), {
    compareFilter: { compare: true },
    stickinessFilter: { computedAs: 'cumulative' }
  })

  expect(body.results).toMatchObject([
    {
      compare: true,
      compare_label: 'current',
      labels: ['1 day or more', '2 days or more', '3 days or more']
    },
    { compare: true, compare_label: 'previous', data: [0, 0, 0] }
  ])
})

it.each<[object, string]>([
  [{ series: [{ ...NODE.series[0], math: 'unique_session' }] }, 'series__0__math'],
  [{ stickinessFilter: { computedAs: 'both' } }, 'stickinessFilter__computedAs'],
  [
    { stickinessFilter: { stickinessCriteria: { operator: 'gt', value: 1 } } },
    'stickinessFilter__stickinessCriteria__operator'
  ],
  [
    { stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 0 } } },
    'stickinessFilter__stickinessCriteria__value'
  ],
  [{ intervalCount: 2 }, 'intervalCount'],
  [{ breakdownFilter: { breakdown: 'a' } }, 'breakdownFilter']
])('refuses %j', async (more, attr) => {
  const { status, body } = await ask(await newProject(), more)

  expect({ status, attr: body.attr }).toEqual({ status: 400, attr: `query__${attr}` })
})
