import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { projects } from '../../../src/db/schema.ts'
import { measure } from '../../support/measure.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { asNode, asTrend, at, lines, newStory, RANGE } from '../../support/trends.ts'

const TREND = 'insights/trend/'

let project: TestProject

beforeAll(async () => {
  project = await newStory()
  // A first request takes more: the isolate looks up the project's calendar, and the use of the key is recorded.
  await project.send('POST', TREND, asTrend({}))
})

describe('a trend that counts events', () => {
  it.each([
    ['in the flat form', asTrend({})],
    ['in filters', { filters: asTrend({}) }],
    ['as a query', asNode({})],
    ['by the hour', { ...asTrend({}), interval: 'hour' }],
    ['by the week', { ...asTrend({}), interval: 'week' }],
    ['by the month', { ...asTrend({}), interval: 'month' }],
    ['in a single number', { ...asTrend({}), display: 'BoldNumber' }],
    [
      'of several series',
      { ...RANGE, events: [{ id: '$pageview' }, { id: 'bought' }, { id: null }] }
    ]
  ])('takes one round trip: %s', async (_, body) => {
    const { status, trips } = await measure(project, TREND, 'POST', body)

    expect([status, trips]).toEqual([200, 1])
  })

  it('takes one round trip with GET', async () => {
    const events = encodeURIComponent(JSON.stringify([{ id: '$pageview' }]))

    const path = `${TREND}?events=${events}&date_from=2025-06-01&date_to=2025-06-03`
    const { body, trips } = await measure(project, path)

    expect(lines({ body })).toEqual([['$pageview', [2, 0, 3]]])
    expect(trips).toBe(1)
  })
})

describe('a trend without events', () => {
  it.each([
    ['dau', {}],
    ['weekly_active', {}],
    ['monthly_active', { interval: 'week' }],
    ['dau', { display: 'ActionsLineGraphCumulative' }],
    ['weekly_active', { display: 'BoldNumber' }],
    ['first_time_for_user', {}],
    ['total', { date_from: '-36h', date_to: undefined }],
    ['weekly_active', { date_from: '-36h', date_to: undefined }],
    ['total', { date_from: '-36h', date_to: undefined, interval: 'hour' }],
    ['total', { date_from: '-36h', date_to: undefined, display: 'BoldNumber' }],
    ['total', { date_from: '2025-06-03', date_to: '2025-06-03' }]
  ])('takes one round trip: %s %j', async (math, more) => {
    const body = { ...asTrend({ id: 'never', math }), ...more }

    const { status, trips } = await measure(project, TREND, 'POST', body)

    expect([status, trips]).toEqual([200, 1])
  })
})

it('a comparison takes a second round trip for all its parts', async () => {
  const series = [{ id: '$pageview' }, { id: 'bought' }]

  const body = { events: series, ...RANGE, compare: true }
  const { status, trips } = await measure(project, TREND, 'POST', body)

  expect([status, trips]).toEqual([200, 2])
})

it('a trend follows a change of its project’s time zone at once', async () => {
  const moving = await newProject()
  await moving.ingest([{ timestamp: at('02T23:00:00') }])
  const compute = async () => lines(await moving.send('POST', TREND, asTrend({})))
  const before = [await compute(), await compute()]

  await db.update(projects).set({ timezone: 'Europe/Berlin' }).where(eq(projects.id, moving.id))

  expect(before).toEqual([[['$pageview', [0, 1, 0]]], [['$pageview', [0, 1, 0]]]])
  expect([await compute(), await compute()]).toEqual([
    [['$pageview', [0, 0, 1]]],
    [['$pageview', [0, 0, 1]]]
  ])
})

it('a trend with a long body takes a second round trip, after the check of its key', async () => {
  const body = { ...asTrend({}), name: 'x'.repeat(399), tags: Array(30).fill('x'.repeat(300)) }

  const { trips, body: answer } = await measure(project, TREND, 'POST', body)

  expect(lines({ body: answer })).toEqual([['$pageview', [2, 0, 3]]])
  expect(trips).toBe(2)
})
