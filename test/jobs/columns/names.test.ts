import { env } from 'cloudflare:workers'
import { and, eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_EVENT_NAMES } from '../../../src/capture/changes.ts'
import { countDamaged } from '../../../src/columns/damage.store.ts'
import type { ColumnsMessage } from '../../../src/columns/message.ts'
import { startSealing } from '../../../src/columns/run.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { counters } from '../../../src/db/schema.ts'
import { readTrend } from '../../../src/trends/request.ts'
import { computeTrend } from '../../../src/trends/trend.ts'
import { LATER } from '../../support/columns.ts'
import { listenToLog } from '../../support/log.ts'
import { addLate, BEGUN, newVocabulary, sealVocabulary } from '../../support/names.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'

const NAMES = 1_000

let loose: TestProject
let sealed: TestProject
/** A project with the same events, which all have one name. */
let joined: TestProject

beforeAll(async () => {
  loose = await newVocabulary(NAMES)
  sealed = await newVocabulary(NAMES)
  joined = await newVocabulary(NAMES, true)
  await sealVocabulary(sealed)
  for (const project of [loose, sealed, joined]) {
    await addLate(project, NAMES)
  }
})

const RANGE = { date_from: '2026-09-01', date_to: '2026-09-03' }

/** Asks about all events. @returns the numbers of each series, and the number of queries to the database */
async function ask({ id }: TestProject, fields: object, stepEvents?: number) {
  const usage = newUsage()
  const { db } = openDb(env.DB, usage)
  const project = { id, timezone: 'UTC', weekStart: 1 as const, testAccountFilters: [] }
  const now = new Date(LATER)
  const query = readTrend({ ...RANGE, events: [{ id: null, ...fields }], ...fields }, project, now)
  if (!query) {
    throw new Error('The request was not understood.')
  }
  const asked = { query, now, ...(stepEvents && { stepEvents }) }
  const { result } = await computeTrend(db, project, asked)
  const numbers = result.map(({ breakdown_value, data, aggregated_value }) => [
    breakdown_value,
    aggregated_value ?? data
  ])
  return { numbers, queries: usage.queries }
}

const filter = (type: string, key: string, value: unknown) => ({
  properties: [{ type, key, operator: 'exact', value }]
})

describe('the search for names to seal', () => {
  const search = async (isSpent: () => boolean) => {
    const usage = newUsage()
    const { db } = openDb(env.DB, usage)
    const sent: ColumnsMessage[] = []
    const queue = {
      sendBatch: async (messages: { body: ColumnsMessage }[]) =>
        void sent.push(...messages.map(({ body }) => body))
    }
    const how = { now: new Date(LATER), isThorough: true, isSpent }
    const { isDone } = await startSealing(db, queue, how)
    return { isDone, names: sent.flatMap(({ names }) => names), queries: usage.queries }
  }

  it('takes few queries for 3,000 names', async () => {
    const { isDone, names, queries } = await search(() => false)

    // The name of all events of `joined`, and the names with a late event in their segment.
    expect([isDone, names.length]).toEqual([true, 101])
    expect(queries).toBeLessThan(30)
  })

  it('is continued by the next run, until all names are searched', async () => {
    const whole = await search(() => false)
    const names: number[] = []
    let runs = 0
    for (let isDone = false; !isDone; runs += 1) {
      const cut = await search(() => true)
      names.push(...cut.names)
      isDone = cut.isDone
    }

    expect(runs).toBeGreaterThan(10)
    expect(names).toEqual(whole.names)
  })
})

describe('a trend of all events', () => {
  it.each([
    ['total', {}],
    ['total', { interval: 'hour' }],
    ['total', filter('event', 'plan', 'pro')],
    ['total', filter('person', 'n', 1)],
    ['total', filter('session', '$entry_current_url', 'https://a.test/1')],
    ['total', { breakdown: 'plan', breakdown_type: 'event' }],
    ['total', { breakdown: 'note', breakdown_type: 'event', breakdown_limit: 1 }],
    ['sum', { math_property: 'price' }],
    ['dau', {}],
    [
      'dau',
      { date_from: '2026-09-01T05:07:00Z', date_to: '2026-09-03T04:05:00Z', explicitDate: true }
    ],
    ['weekly_active', {}],
    ['unique_session', {}],
    ['avg_count_per_actor', {}],
    ['first_time_for_user', {}],
    ['first_time_for_user', filter('event', 'plan', 'pro')]
  ])('takes few queries for 1,000 names: %s %j', async (math, fields) => {
    const expected = await ask(joined, { math, ...fields })
    const ofRows = await ask(loose, { math, ...fields })
    const ofColumns = await ask(sealed, { math, ...fields })
    const inSteps = await ask(sealed, { math, ...fields }, 300)

    expect(expected.numbers.length).toBeGreaterThan(0)
    expect(ofRows.numbers).toEqual(expected.numbers)
    expect(ofColumns.numbers).toEqual(expected.numbers)
    expect(inSteps.numbers).toEqual(expected.numbers)
    expect(ofRows.queries).toBeLessThan(30)
    expect(ofColumns.queries).toBeLessThan(30)
    expect(await countDamaged(db)).toBe(0)
  })
})

it('events with names beyond the limit are stored, counted and found, with a warning', async () => {
  const project = await newProject()
  await project.ingest([{ event: 'known', timestamp: BEGUN }])
  await db
    .update(counters)
    .set({ value: MAX_EVENT_NAMES - 1 })
    .where(and(eq(counters.projectId, project.id), eq(counters.name, 'event_names')))

  const log = listenToLog()
  await project.ingest(
    ['known', 'last', 'beyond', 'beyond'].map((event) => ({ event, timestamp: BEGUN }))
  )
  await project.ingest([{ event: 'beyond', timestamp: BEGUN }])

  expect(log.lines('ingestion warning')).toMatchObject([
    { project: project.id, type: 'event_name_limit_exceeded', count: 1 }
  ])
  expect((await ask(project, { math: 'total' })).numbers).toEqual([[undefined, [6, 0, 0]]])
  const { body } = await project.call('GET', 'events?event=beyond')
  expect(body.results.map(({ event }: { event: string }) => event)).toEqual(Array(3).fill('beyond'))
})
