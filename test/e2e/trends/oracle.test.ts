import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Db, newUsage, openDb } from '../../../src/db/client.ts'
import { csvLine } from '../../../src/http/csv.ts'
import { countBehind } from '../../../src/trends/actors-of-point.ts'
import { type TrendSeries, toTable } from '../../../src/trends/answer.ts'
import type { ActorCounts } from '../../../src/trends/point.ts'
import { isAggregated } from '../../../src/trends/query.ts'
import { readTrend } from '../../../src/trends/request.ts'
import { computeTrend } from '../../../src/trends/trend.ts'
import { computeWhole } from '../../../src/trends/whole.ts'
import { startDatabase } from '../../support/database.ts'
import { deep } from '../../support/depth.ts'
import { type Bucket, Duck, type Stored } from '../../support/oracle/duck.ts'
import { makeWorld, readStored, sealAll } from '../../support/oracle/history.ts'
import { type Asked, asked, type Entity, toBody } from '../../support/oracle/request.ts'
import { type World, world } from '../../support/oracle/world.ts'
import { unseal } from '../../support/segments.ts'

/*
 * Random data and random trends: the product must give DuckDB's answers for the same events. A failure prints its seed and
 * the smallest failing case.
 */

const NONE = '$$_posthog_breakdown_null_$$'
const OTHER = '$$_posthog_breakdown_other_$$'

let database: Awaited<ReturnType<typeof startDatabase>>
let db: Db
let duck: Duck

beforeAll(async () => {
  database = await startDatabase()
  db = openDb(database.binding, newUsage()).db
  duck = await Duck.start()
})

afterAll(async () => {
  duck.end()
  await database.end()
})

const same = (a: number, b: number) =>
  Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))

/** Compares values, which may differ by a relative 1e-9. */
function expectSame(found: (number | undefined)[], wanted: number[], what: string): void {
  const isSame =
    found.length === wanted.length &&
    found.every((value, i) => value !== undefined && same(value, wanted[i] ?? Number.NaN))
  if (!isSame) {
    expect({ what, data: found }).toEqual({ what, data: wanted })
  }
}

const FORMULAS: Record<string, (a: number) => number> = {
  A: (a) => a,
  'A + 1': (a) => a + 1,
  'A * A / 4 - 2': (a) => (a * a) / 4 - 2
}

/** `[1, 2, 3]` → `[1, 3, 6]` */
function addUp(data: number[]): number[] {
  let total = 0
  return data.map((y) => {
    total += y
    return total
  })
}

/** Converts DuckDB's cells of a value to the line that the display and the formula show. */
function lineOf(
  ask: Asked,
  buckets: Bucket[],
  cells: { i: number; value: string | null; y: number }[],
  value: string | null
) {
  const data = buckets.map(
    (_, i) => cells.find((cell) => cell.i === i && cell.value === value)?.y ?? 0
  )
  const shown = ask.display === 'ActionsLineGraphCumulative' ? addUp(data) : data
  return ask.formula ? shown.map((y) => FORMULAS[ask.formula ?? '']?.(y) ?? 0) : shown
}

const dataOf = (ask: Asked, series: TrendSeries) =>
  isAggregated(ask) ? [series.aggregated_value] : series.data

async function compare(ask: Asked, result: TrendSeries[]): Promise<void> {
  const shown = (await duck.buckets(ask)).slice(0, ask.compare ? 2 : 1)
  const entities = ask.formula ? ask.events.slice(0, 1) : ask.events
  for (const [i, entity] of entities.entries()) {
    const own = ask.formula ? result : result.filter(({ action }) => action?.order === i)
    if (!ask.breakdown) {
      expect(own).toHaveLength(shown.length)
    }
    if (!isAggregated(ask)) {
      expectDays(shown, own)
    }
    if (ask.breakdown) {
      await compareBroken(await duck.binned(ask, shown), entity, shown, own)
    } else {
      await compareWhole(ask, entity, shown, own)
    }
  }
}

/** Returns the series of one period, counted from 0; the series of several periods alternate. */
const inPeriod = (own: TrendSeries[], period: number, periods: Bucket[][]) =>
  own.filter((_, i) => i % periods.length === period)

/** Checks that each series names the days of its period's buckets. */
function expectDays(periods: Bucket[][], own: TrendSeries[]): void {
  for (const [p, buckets] of periods.entries()) {
    for (const series of inPeriod(own, p, periods)) {
      expect(series.days).toEqual(buckets.map(({ day }) => day))
    }
  }
}

/** Checks that, without a breakdown, each period has one series with the right line. */
async function compareWhole(
  ask: Asked,
  entity: Entity,
  periods: Bucket[][],
  own: TrendSeries[]
): Promise<void> {
  for (const [p, buckets] of periods.entries()) {
    const cells = await duck.cells(ask, entity, buckets)
    const series = own[p]
    expectSame(
      series ? dataOf(ask, series) : [],
      lineOf(ask, buckets, cells, null),
      `${entity.math} ${p}`
    )
  }
}

/** Returns the breakdown's value of a series, or the index of the bin that has its bounds. */
function nameOf({ breakdown }: Asked, { breakdown_value }: TrendSeries): string {
  const edges = breakdown?.edges
  if (!edges || !String(breakdown_value).startsWith('[')) {
    return String(breakdown_value)
  }
  const [low, high]: number[] = JSON.parse(String(breakdown_value))
  // The last bin is shown to end 0.01 after the highest number.
  const ends = edges.slice(1).map((edge, i) => (i === edges.length - 2 ? edge + 0.01 : edge))
  const place = edges.findIndex(
    (edge, i) => same(edge, low ?? Number.NaN) && same(ends[i] ?? Number.NaN, high ?? Number.NaN)
  )
  return place < 0 ? String(breakdown_value) : String(place)
}

/** The value of DuckDB's cells for all values that are not listed. */
const UNLISTED = '<other>'

/** Converts the value of a DuckDB cell to the product's name. */
function toName(value: string | null): string {
  if (value === null) {
    return NONE
  }
  return value === UNLISTED ? OTHER : value
}

/** Converts the product's name to the value of a DuckDB cell. */
function toValue(name: string): string | null {
  if (name === NONE) {
    return null
  }
  return name === OTHER ? UNLISTED : name
}

/** Returns the total of each value over these buckets; with a formula, over all its series. */
async function totalsOf(ask: Asked, entity: Entity, buckets: Bucket[]) {
  const totals = new Map<string, number>()
  for (const counted of ask.formula ? ask.events : [entity]) {
    for (const { value, y } of await duck.cells(ask, counted, buckets)) {
      if (value !== null) {
        totals.set(value, (totals.get(value) ?? 0) + y)
      }
    }
  }
  return totals
}

/** Orders values by their totals, the largest first, and equal totals by name. */
function byTotal([a, x]: [string, number], [b, y]: [string, number]): number {
  if (!same(x, y)) {
    return y - x
  }
  return a < b ? -1 : 1
}

/** Returns the values by totals: those of the first period, then those only in the second. */
async function sortValues(ask: Asked, entity: Entity, periods: Bucket[][]): Promise<string[]> {
  const sorted: string[] = []
  for (const buckets of periods) {
    const ordered = [...(await totalsOf(ask, entity, buckets))].sort(byTotal)
    sorted.push(...ordered.map(([name]) => name).filter((name) => !sorted.includes(name)))
  }
  return sorted
}

/** Returns which of `NONE` and `OTHER` have events in any period; with a formula, in any of its series. */
async function findUnlisted(
  ask: Asked,
  entity: Entity,
  periods: Bucket[][],
  listed: string[]
): Promise<string[]> {
  const present = new Set<string>()
  for (const counted of ask.formula ? ask.events : [entity]) {
    for (const buckets of periods) {
      for (const { value } of await duck.cells(ask, counted, buckets, listed)) {
        present.add(toName(value))
      }
    }
  }
  return [NONE, OTHER].filter((name) => present.has(name))
}

/** Checks the listed values, and their order unless there is a formula; then every line, also those of `NONE` and `OTHER`. */
async function compareBroken(
  ask: Asked,
  entity: Entity,
  periods: Bucket[][],
  own: TrendSeries[]
): Promise<void> {
  const { limit = 0, offset = 0 } = ask.breakdown ?? {}
  const sorted = await sortValues(ask, entity, periods)
  const names = inPeriod(own, 0, periods).map((series) => nameOf(ask, series))
  const listed = names.filter((name) => name !== NONE && name !== OTHER)
  if (!ask.formula) {
    expect(listed).toEqual(sorted.slice(offset, offset + limit))
  }
  expect([...listed].sort()).toEqual(sorted.slice(offset, offset + limit).sort())

  expect(names.filter((name) => !listed.includes(name))).toEqual(
    await findUnlisted(ask, entity, periods, listed)
  )

  for (const [p, buckets] of periods.entries()) {
    const cells = await duck.cells(ask, entity, buckets, listed)
    for (const series of inPeriod(own, p, periods)) {
      const name = nameOf(ask, series)
      expectSame(
        dataOf(ask, series),
        lineOf(ask, buckets, cells, toValue(name)),
        `${entity.math} ${p} of ${name}`
      )
    }
  }
}

const ADDITIVE = ['total', 'sum', 'first_time_for_user', 'first_matching_event_for_user']

/** Returns the cell of a text: a formula, but no number, has a `'` before it. */
const cellOf = (text: string): string =>
  /^[=+@-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text

/** Checks the CSV: a column per bucket, a line per series, and no label that a spreadsheet takes for a formula. */
async function compareTable(result: TrendSeries[]): Promise<void> {
  const columns = result[0]?.aggregated_value === undefined ? (result[0]?.labels ?? []) : ['value']
  const shape = { timezone: 'UTC', last_refresh: '', is_cached: false, next: null }
  const csv = toTable({ result, ...shape })
    .map(csvLine)
    .join('')
  const [header, ...rows] = await duck.table(csv, 1 + columns.length)
  expect(header).toEqual(['series', ...columns])
  expect(rows.map(([name]) => name)).toEqual(
    result.map(({ label, compare_label }) =>
      cellOf(`${label}${compare_label === 'previous' ? ' (previous)' : ''}`)
    )
  )
  for (const [i, { data, aggregated_value }] of result.entries()) {
    expect(rows[i]?.slice(1).map(Number)).toEqual(
      aggregated_value === undefined ? data : [aggregated_value]
    )
  }
}

/** Checks that, for additive maths, the lines of all values add up to the whole. Formulas and cumulative points do not. */
function expectSums(ask: Asked, brokenDown: TrendSeries[], whole: TrendSeries[]): void {
  if (ask.formula || ask.display === 'ActionsLineGraphCumulative') {
    return
  }
  const count = ask.compare ? 2 : 1
  for (const [i, entity] of ask.events.entries()) {
    // A session counts once per value of its events.
    if (!ADDITIVE.includes(entity.math) || entity.math_property === '$session_duration') {
      continue
    }
    for (let p = 0; p < count; p += 1) {
      const all = whole[i * count + p]
      if (!all) {
        throw new Error('A series is missing.')
      }
      const own = brokenDown.filter(
        ({ action, compare_label }) =>
          action?.order === i &&
          (count === 1 || compare_label === (p === 0 ? 'current' : 'previous'))
      )
      const sums = dataOf(ask, all).map((_, point) =>
        own.reduce((sum, series) => sum + (dataOf(ask, series)[point] ?? Number.NaN), 0)
      )
      expectSame(dataOf(ask, all), sums, `the parts of ${entity.math}`)
    }
  }
}

async function agree(one: World, requests: Asked[]): Promise<void> {
  const id = await makeWorld(db, one)
  const events = await readStored(db, id)
  await duck.load(events, one)
  const now = new Date(one.now)
  const project = { id, timezone: one.zone, weekStart: one.weekStart, testAccountFilters: [] }
  const answers: Answered[] = []
  for (const ask of requests) {
    const answer = async (body: object) => {
      const query = readTrend(JSON.parse(JSON.stringify(body)), project, now)
      if (!query) {
        throw new Error('The request was not understood.')
      }
      return (
        await computeTrend(db, project, {
          query,
          offset: ask.breakdown?.offset ?? 0,
          now,
          stepEvents: ask.statementEvents
        })
      ).result
    }
    const result = await answer(toBody(ask))
    await compare(ask, result)
    await compareTable(result)
    if (ask.breakdown) {
      expectSums(ask, result, await answer(toBody({ ...ask, breakdown: undefined })))
    }
    if (!ask.breakdown?.offset) {
      await compareTogether(project, ask, { now, result })
    }
    answers.push({ result, again: () => answer(toBody(ask)) })
    if (!ask.formula) {
      const behind = () => countBehindSome(project, ask, result, now)
      const counted = await behind()
      expectBehind(ask, counted, events)
      answers.push({ result: counted, again: behind })
    }
  }
  await unseal(db, id)
  await expectAgain(answers, 'from rows')
  await sealAll(db, id, one)
  await expectAgain(answers, 'from segments')
}

/** Checks that a trend and its numbers for the whole range are the same whether counted together or alone. */
async function compareTogether(
  project: Parameters<typeof readTrend>[1] & { id: number },
  ask: Asked,
  { now, result }: { now: Date; result: TrendSeries[] }
): Promise<void> {
  const query = readTrend(JSON.parse(JSON.stringify(toBody(ask))), project, now)
  if (!query) {
    throw new Error('The request was not understood.')
  }
  const asked = { query, now, stepEvents: ask.statementEvents }
  const alone = await computeWhole(db, project, { ...asked, isCompleted: false })
  const together = await computeWhole(db, project, { ...asked, isCompleted: true })
  expectAlike(together.result, alone.result)
  expectAlike((await together.complete()).result, result)
}

/** Compares lines, whose numbers may differ by the order in which they were added up. */
function expectAlike(found: TrendSeries[], wanted: TrendSeries[]): void {
  const namesOf = (lines: TrendSeries[]) =>
    lines.map(({ label, compare_label, days }) => ({ label, compare_label, days }))
  expect(namesOf(found)).toEqual(namesOf(wanted))
  const numbersOf = ({ data, aggregated_value = 0 }: TrendSeries) => [...data, aggregated_value]
  for (const [i, line] of found.entries()) {
    expectSame(numbersOf(line), wanted[i] ? numbersOf(wanted[i]) : [], `${line.label} together`)
  }
}

/** A point, its number in the chart, and the actors behind it. */
type Behind = { entity: Entity; isBroken: boolean; number: number | undefined } & ActorCounts

/**
 * Lists the actors behind the first and the middle point of the first three lines and, if there are more lines, behind the
 * last point of the last line.
 */
async function countBehindSome(
  project: { id: number; timezone: string; weekStart: number; testAccountFilters: unknown[] },
  ask: Asked,
  result: TrendSeries[],
  now: Date
): Promise<Behind[]> {
  const query = readTrend(JSON.parse(JSON.stringify(toBody(ask))), project, now)
  const behind: Behind[] = []
  for (const [i, line] of result.entries()) {
    const series = line.action?.order ?? 0
    const entity = ask.events[series]
    const isEarly = i < 3
    const isLast = i === result.length - 1
    if (!query || !entity || (!isEarly && !isLast)) {
      continue
    }
    const data = dataOf(ask, line)
    const places = isEarly ? [0, Math.floor(data.length / 2)] : [data.length - 1]
    for (const place of new Set(places)) {
      const value = line.breakdown_value
      const point = {
        series,
        bucket: String(place),
        isPrevious: line.compare_label === 'previous',
        value: typeof value === 'object' ? JSON.stringify(value) : value,
        offset: ask.breakdown?.offset ?? 0
      }
      const asked = { query, point, now, stepEvents: ask.statementEvents }
      behind.push({
        entity,
        isBroken: value !== undefined,
        number: data[place],
        ...(await countBehind(db, project, asked))
      })
    }
  }
  return behind
}

const DISTINCT = /^(dau|(weekly|monthly)_active|first_.*)$/

/**
 * Checks the actors behind each point against its number. If there are no filters and no breakdown, and the math counts all
 * events of each actor, also checks them against the stored events.
 */
function expectBehind(ask: Asked, behind: readonly Behind[], events: readonly Stored[]): void {
  for (const point of behind) {
    expectNumber(ask, point)
    const { entity, isBroken, counts, from, until } = point
    const isFiltered = ask.properties.values.length + entity.properties.length > 0
    if (isFiltered || isBroken || !/^(total|dau|.*_active|.*_per_actor)$/.test(entity.math)) {
      continue
    }
    const own = events.filter(
      ({ name, at }) => at >= from && at < until && (entity.id ?? name) === name
    )
    const expected = [...Map.groupBy(own, ({ actor }) => actor)]
    expect(new Map(counts.map(({ actor, count }) => [actor, count]))).toEqual(
      new Map(expected.map(([actor, some]) => [actor, some.length]))
    )
  }
}

/** Checks the number of actors behind a point, and of their events, as far as the math of the chart determines them. */
function expectNumber({ display }: Asked, { entity: { math }, number, counts }: Behind): void {
  const events = counts.reduce((total, { count }) => total + count, 0)
  const found = { math, actors: counts.length, events }
  const isCumulative = display === 'ActionsLineGraphCumulative'
  if (math === 'total') {
    expect(found).toEqual({ ...found, events: number })
  } else if (DISTINCT.test(math)) {
    expect(found).toEqual({ ...found, actors: number })
  } else if (math === 'unique_session') {
    expect(counts.length > 0).toBe(number !== 0)
  } else if (math === 'avg_count_per_actor' && !isCumulative) {
    expectSame([counts.length && events / counts.length], [number ?? Number.NaN], math)
  } else if (math === 'max_count_per_actor' && !isCumulative) {
    expect(Math.max(0, ...counts.map(({ count }) => count))).toBe(number)
  }
}

type Answered = { result: unknown[]; again: () => Promise<unknown[]> }

/** Checks that trends have the same answers, to the last digit, wherever the events are read. */
async function expectAgain(answers: readonly Answered[], where: string): Promise<void> {
  for (const { result, again } of answers) {
    expect({ where, result: await again() }).toEqual({ where, result })
  }
}

it.each([
  ['days, weeks and months', false],
  ['hours', true]
])('trends match DuckDB: %s', async (_, isHourly) => {
  let asks = 0
  const details = await fc.check(
    fc.asyncProperty(
      world,
      fc.array(asked(isHourly), { minLength: 3, maxLength: 3 }),
      async (one, requests) => {
        asks += requests.length
        await agree(one, requests)
      }
    ),
    deep(isHourly ? 10 : 30)
  )
  console.log(`${asks} trends agree, seed ${details.seed}`)
  if (details.failed) {
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  }
})

/**
 * Returns a project with one event, and a trend of events and of monthly actives in the last hours,
 * compared with an earlier period.
 */
const comparedHours = (
  { zone, now, at }: { zone: string; now: string; at: string },
  ask: Pick<Asked, 'interval' | 'from' | 'compareTo'>
): { world: World; ask: Asked } => ({
  world: {
    zone,
    weekStart: 1,
    now: Date.parse(now),
    events: [
      {
        name: 'buy',
        who: 'ada',
        at: Date.parse(at),
        hasPerson: true,
        properties: {},
        folds: undefined
      }
    ],
    splits: [],
    erased: [],
    deleted: [],
    early: 0,
    sealed: []
  },
  ask: {
    form: 'flat',
    events: ['total', 'monthly_active'].map((math) => ({ id: 'buy', math, properties: [] })),
    to: 0,
    properties: { type: 'AND', values: [] },
    breakdown: undefined,
    compare: true,
    display: 'ActionsLineGraph',
    formula: undefined,
    statementEvents: 40_000,
    ...ask
  }
})

it.each([
  {
    what: 'the earlier period is as long, although the clock is set back meanwhile',
    ...comparedHours(
      { zone: 'Europe/Berlin', now: '2025-11-02T09:00:00Z', at: '2025-10-26T08:30:00Z' },
      { interval: 'day', from: { hours: 30 }, compareTo: { amount: 1, unit: 'w' } }
    )
  },
  {
    what: 'the earlier period touches a week more, whose events count at its last point',
    ...comparedHours(
      { zone: 'UTC', now: '2025-03-13T05:00:00Z', at: '2025-03-03T02:00:00Z' },
      { interval: 'week', from: { hours: 50 }, compareTo: { amount: 10, unit: 'd' } }
    )
  }
])('compared hours match DuckDB: $what', async (one) => {
  await agree(one.world, [one.ask])
})
