import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { STATUSES } from '../../../src/questions/lifecycle/statuses.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'

const view = (distinct_id: string, day: string, properties = {}): TestEvent => ({
  distinct_id,
  timestamp: Date.parse(`2026-${day}T12:00:00Z`),
  properties
})

/** Ada, who is new on 1 March, Bo, new on the second, and Cy, known since February by another event. */
const STORY = [
  { ...view('cy', '02-20'), event: 'signed up' },
  view('ada', '03-01'),
  view('ada', '03-02'),
  view('bo', '03-02'),
  view('anonymous', '03-02', { $process_person_profile: false }),
  view('bo', '03-03'),
  view('cy', '03-03'),
  view('ada', '03-04')
]

const NODE = {
  kind: 'LifecycleQuery',
  series: [{ kind: 'EventsNode', event: '$pageview' }],
  dateRange: { date_from: '2026-03-02', date_to: '2026-03-04' }
}

const ask = (project: TestProject, more: object = {}) =>
  project.send('POST', 'query/', { query: { ...NODE, ...more } })

const numbers = (answer: { body: { results: { status: string; data: number[] }[] } }) =>
  Object.fromEntries(answer.body.results.map(({ status, data }) => [status, data]))

it('answers with the four statuses', async () => {
  const project = await newProject()
  await project.ingest(STORY)

  const { status, body } = await ask(project, { lifecycleFilter: { toggledLifecycles: ['new'] } })

  expect(status).toBe(200)
  expect(body.results.map((one: { status: string }) => one.status)).toEqual(STATUSES)
  expect(body.results[3]).toMatchObject({
    action: { id: '$pageview', math: 'total', order: 0 },
    label: '$pageview - dormant',
    data: [0, -1, -2],
    days: ['2026-03-02', '2026-03-03', '2026-03-04'],
    labels: ['2-Mar-2026', '3-Mar-2026', '4-Mar-2026'],
    count: -3
  })
  expect(body.resolved_date_range).toEqual({
    date_from: '2026-03-02T00:00:00Z',
    date_to: '2026-03-04T23:59:59.999Z'
  })
  expect(numbers({ body })).toEqual({
    new: [1, 0, 0],
    returning: [1, 1, 0],
    resurrecting: [0, 1, 1],
    dormant: [0, -1, -2]
  })
})

it('counts a person as new on the day of the first event, also if it arrives last', async () => {
  const project = await newProject()
  await project.ingest(STORY)
  await project.ingest([view('bo', '02-28')])

  expect(numbers(await ask(project))).toMatchObject({
    new: [0, 0, 0],
    resurrecting: [1, 1, 1]
  })
})

it('counts a visitor who becomes a person as new on the day of the first event', async () => {
  const project = await newProject()
  await project.ingest([
    view('eve', '03-02', { $process_person_profile: false }),
    { ...view('eve', '03-04'), event: '$identify' },
    view('eve', '03-04')
  ])

  expect(numbers(await ask(project))).toEqual({
    new: [1, 0, 0],
    returning: [0, 0, 0],
    resurrecting: [0, 0, 1],
    dormant: [0, -1, 0]
  })
})

it('does not count an erased person as new, because nobody knows when it was created', async () => {
  const project = await newProject()
  await project.ingest(STORY)
  await db.run(sql`delete from persons where project_id = ${project.id} and id = (
    select person_id from distinct_ids where project_id = ${project.id} and distinct_id = 'bo')`)

  expect(numbers(await ask(project))).toMatchObject({ new: [0, 0, 0], resurrecting: [1, 1, 1] })
})

it('knows the minute in which a person was created', async () => {
  const project = await newProject()
  const at = (distinct_id: string, time: string): TestEvent => ({
    distinct_id,
    timestamp: Date.parse(`2026-03-01T${time}Z`)
  })
  await project.ingest([
    { ...at('ada', '12:00:59.999'), event: 'signed up' },
    at('ada', '12:01:00'),
    at('bo', '12:01:00'),
    at('bo', '12:02:00')
  ])

  const answer = await ask(project, {
    interval: 'minute',
    dateRange: { date_from: '2026-03-01T12:01:00', date_to: '2026-03-01T12:02:59' }
  })

  expect(numbers(answer)).toMatchObject({ new: [1, 0], returning: [0, 1], resurrecting: [1, 0] })
})

it('begins all time with the first event', async () => {
  const project = await newProject()
  await project.ingest(STORY)

  const answer = await ask(project, { dateRange: { date_from: 'all', date_to: '2026-03-04' } })

  expect(numbers(answer)).toMatchObject({ new: [1, 1, 0, 0], dormant: [0, 0, -1, -2] })
})

it.each<[object, string]>([
  [{ series: [] }, 'series'],
  [{ series: [NODE.series[0], NODE.series[0]] }, 'series'],
  [{ series: [{ ...NODE.series[0], math: 'sum', math_property: 'a' }] }, 'series__0__math'],
  [{ series: [{ kind: 'ActionsNode', id: 1 }] }, 'series__0__kind'],
  [{ breakdownFilter: { breakdown: 'a' } }, 'breakdownFilter'],
  [{ compareFilter: { compare: true } }, 'compareFilter'],
  [{ lifecycleFilter: { firstEvent: true } }, 'lifecycleFilter__firstEvent'],
  [{ interval: 'quarter' }, 'interval']
])('refuses %j', async (more, attr) => {
  const { status, body } = await ask(await newProject(), more)

  expect({ status, attr: body.attr }).toEqual({ status: 400, attr: `query__${attr}` })
})
