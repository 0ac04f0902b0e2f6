import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toClock } from '../../../src/calendar/clock.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { type Db, newUsage, openDb } from '../../../src/db/client.ts'
import { computeActors } from '../../../src/questions/actors/answer.ts'
import { readActors } from '../../../src/questions/actors/request.ts'
import { computeLifecycle } from '../../../src/questions/lifecycle/lifecycle.ts'
import { readLifecycle } from '../../../src/questions/lifecycle/query.ts'
import { readRetention } from '../../../src/questions/retention/query.ts'
import { computeRetention } from '../../../src/questions/retention/retention.ts'
import { readStickiness } from '../../../src/questions/stickiness/query.ts'
import { computeStickiness } from '../../../src/questions/stickiness/stickiness.ts'
import { computeWebOverview } from '../../../src/questions/web/overview.ts'
import { readWebOverview, readWebTable } from '../../../src/questions/web/query.ts'
import { computeWebTable } from '../../../src/questions/web/stats-table.ts'
import { startDatabase } from '../../support/database.ts'
import { deep } from '../../support/depth.ts'
import type { Stored } from '../../support/oracle/duck.ts'
import { makeWorld, readStored, sealAll } from '../../support/oracle/history.ts'
import {
  type AskedLifecycle,
  type AskedRetention,
  type AskedStickiness,
  answerLifecycle,
  answerRetention,
  answerStickiness,
  askedLifecycle,
  askedRetention,
  askedStickiness,
  Calendar,
  dateRangeOf,
  seriesOf
} from '../../support/oracle/questions.ts'
import { type AskedWeb, answerWeb, askedWeb, rowsOf, webWorld } from '../../support/oracle/web.ts'
import { type World, world } from '../../support/oracle/world.ts'
import { unseal } from '../../support/segments.ts'

/*
 * Random data and random questions: the product must give the answers of plain code for the same
 * events, half sealed, from rows and from segments. A failure prints its seed and the smallest
 * failing case.
 */

let database: Awaited<ReturnType<typeof startDatabase>>
let db: Db

beforeAll(async () => {
  database = await startDatabase()
  db = openDb(database.binding, newUsage()).db
})

afterAll(async () => {
  await database.end()
})

/** A project with the events of a world. */
type Told = {
  events: Stored[]
  calendar: Calendar
  /** The day on which each person was created. */
  created: Map<number, number>
  settings: { id: number; timezone: string; weekStart: number; testAccountFilters: [] }
  now: Date
}

async function tell(one: World): Promise<Told> {
  const id = await makeWorld(db, one)
  const calendar = new Calendar(one)
  const persons = await db.all<{ id: number; at: number }>(
    sql`select id, created_at as at from persons where project_id = ${id}`
  )
  return {
    events: await readStored(db, id),
    calendar,
    created: new Map(persons.map(({ id: person, at }) => [person, calendar.dayOf(at)])),
    settings: { id, timezone: one.zone, weekStart: one.weekStart, testAccountFilters: [] },
    now: new Date(one.now)
  }
}

/** Checks the answers to questions: half sealed, from rows, and from segments. */
async function agree<Asked>(
  one: World,
  questions: readonly Asked[],
  check: (told: Told, asked: Asked, stepEvents: number) => Promise<void>
): Promise<void> {
  const told = await tell(one)
  const checkAll = async (stepEvents: number) => {
    for (const asked of questions) {
      await check(told, asked, stepEvents)
    }
  }
  await checkAll(40_000)
  await checkAll(3)
  await unseal(db, told.settings.id)
  await checkAll(40_000)
  await sealAll(db, told.settings.id, one)
  await checkAll(40_000)
}

/** Runs a check for random worlds and questions. */
async function checkRandomly<Asked>(
  asked: fc.Arbitrary<Asked>,
  check: (told: Told, asked: Asked, stepEvents: number) => Promise<void>,
  worlds = world
): Promise<void> {
  const details = await fc.check(
    fc.asyncProperty(worlds, fc.array(asked, { minLength: 4, maxLength: 4 }), (one, questions) =>
      agree(one, questions, check)
    ),
    deep(6)
  )
  if (details.failed) {
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  }
}

const placeOf = ({ settings }: Told, stepEvents: number) => ({ db, project: settings, stepEvents })

/** A request has no undefined members. */
const toNode = (node: object) => JSON.parse(JSON.stringify(node))

/** Asks for the cells of a column of the actors of a source. */
async function cellsOf(
  place: ReturnType<typeof placeOf>,
  now: Date,
  source: object,
  column: string
) {
  const node = { kind: 'ActorsQuery', source, select: [column], limit: 1_000 }
  const query = readActors(toNode(node), place.project, now)
  const { results, hasMore } = await computeActors(place, query, now)
  expect(hasMore).toBe(false)
  return results.map(([cell]) => cell)
}

async function checkLifecycle(told: Told, asked: AskedLifecycle, stepEvents: number) {
  const { settings, now } = told
  const source = toNode({
    kind: 'LifecycleQuery',
    series: [seriesOf(asked.wanted)],
    interval: asked.period,
    dateRange: dateRangeOf(asked)
  })
  const query = readLifecycle(source, settings, now)
  const place = placeOf(told, stepEvents)
  const { results } = await computeLifecycle(place, query, now)

  expect(Object.fromEntries(results.map(({ status, data }) => [status, data]))).toEqual(
    answerLifecycle(told.calendar, told.events, told.created, asked)
  )
  for (const { status, data } of results) {
    const day = data.length - 1
    const bar = { kind: 'InsightActorsQuery', source, day, status }
    expect(await cellsOf(place, now, bar, 'event_count')).toHaveLength(
      Math.abs(data[day] ?? Number.NaN)
    )
  }
}

async function checkStickiness(told: Told, asked: AskedStickiness, stepEvents: number) {
  const { settings, now } = told
  const source = toNode({
    kind: 'StickinessQuery',
    series: [seriesOf(asked.wanted)],
    interval: asked.period,
    dateRange: dateRangeOf(asked),
    compareFilter: { compare: asked.compare },
    stickinessFilter: {
      computedAs: asked.isCumulative ? 'cumulative' : 'non_cumulative',
      stickinessCriteria: asked.criteria
    }
  })
  const query = readStickiness(source, settings, now)
  const place = placeOf(told, stepEvents)
  const { results } = await computeStickiness(place, query, now)

  expect(results.map(({ data }) => data)).toEqual(
    answerStickiness(told.calendar, told.events, asked)
  )
  for (const { data, compare_label } of results) {
    const bar = { kind: 'InsightActorsQuery', source, day: 1, compare: compare_label }
    expect(await cellsOf(place, now, bar, 'event_count')).toHaveLength(data[0] ?? -1)
  }
}

async function checkRetention(told: Told, asked: AskedRetention, stepEvents: number) {
  const { settings, now } = told
  const source = toNode({
    kind: 'RetentionQuery',
    dateRange: dateRangeOf(asked),
    retentionFilter: {
      targetEntity: { id: asked.target.event, properties: asked.target.properties },
      returningEntity: { id: asked.returning.event, properties: asked.returning.properties },
      retentionType: asked.type,
      period: { day: 'Day', week: 'Week', month: 'Month' }[asked.period],
      totalIntervals: asked.intervals,
      retentionCustomBrackets: asked.brackets,
      minimumOccurrences: asked.minimum,
      cumulative: asked.isCumulative
    },
    breakdownFilter: asked.breakdown && {
      breakdown: asked.breakdown.key,
      breakdown_type: asked.breakdown.type,
      breakdown_limit: asked.breakdown.limit,
      breakdown_hide_other_aggregation: asked.breakdown.hidesOther
    }
  })
  const query = readRetention(source, settings, now)
  const place = placeOf(told, stepEvents)
  const { results } = await computeRetention(place, query, now)

  const expected = answerRetention(told.calendar, told.events, asked)
  const found = results.map(({ breakdown_value, date, values }) => ({
    value: breakdown_value,
    start: Math.floor(toClock(Date.parse(date), settings.timezone) / DAY),
    counts: values.map(({ count }) => count),
    complete: values.map(({ complete }) => complete !== false)
  }))
  expect(found).toEqual(expected)
  const rows =
    query.trend.breakdowns.length > 0 ? new Set(found.map(({ start }) => start)).size : found.length
  for (const [i, { value, counts }] of found.entries()) {
    if (i > 1 && i < found.length - 1) {
      continue
    }
    const row = { kind: 'InsightActorsQuery', source, interval: i % rows, breakdown: value }
    // The cast is safe: these are the columns that count an actor.
    const members = (await cellsOf(place, now, row, 'appearances')) as number[][]
    expect(
      counts.map((_, column) => members.filter((columns) => columns.includes(column)).length)
    ).toEqual(counts)
  }
}

async function checkWeb(told: Told, asked: AskedWeb, stepEvents: number) {
  const { settings, now } = told
  const shared = {
    dateRange: dateRangeOf(asked),
    properties: asked.properties,
    compareFilter: { compare: asked.compare }
  }
  const place = placeOf(told, stepEvents)
  const overview = readWebOverview(toNode({ kind: 'WebOverviewQuery', ...shared }), settings, now)
  const table = readWebTable(
    toNode({
      kind: 'WebStatsTableQuery',
      ...shared,
      breakdownBy: asked.breakdownBy,
      includeBounceRate: true
    }),
    settings,
    now
  )
  const expected = answerWeb(told.calendar, told.events, asked)

  const { results } = await computeWebOverview(place, overview, now)
  const found = asked.compare
    ? [results.map(({ value }) => value), results.map(({ previous }) => previous)]
    : [results.map(({ value }) => value)]
  expect(found).toEqual(expected.map((one) => one.overview))
  expect((await computeWebTable(place, table, now)).results).toEqual(rowsOf(expected, asked))
}

it('lifecycle matches plain code', () => checkRandomly(askedLifecycle, checkLifecycle))

it('stickiness matches plain code', () => checkRandomly(askedStickiness, checkStickiness))

it('retention matches plain code', () => checkRandomly(askedRetention, checkRetention))

it('web overviews and tables match plain code', () => checkRandomly(askedWeb, checkWeb, webWorld))
