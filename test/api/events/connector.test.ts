import { sql } from 'drizzle-orm'
import { afterAll, expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

/*
 * What Airbyte's source for PostHog requests, after its manifest.yaml and components.py: the paths and parameters of its
 * streams, how it finds the end of a list, and the ranges of time in which it reads events.
 */

afterAll(untilQuiet)

const START = Date.parse('2025-06-01T00:00:00Z')
/** The days of a range, unless the connector is set up otherwise. */
const STEP = 30 * DAY
const MAX_EVENTS = 10_000

type Row = { id: string; timestamp: string }

async function ask(project: TestProject, path: string, parameters: Record<string, string>) {
  const { status, body } = await request('GET', `/api/${path}?${new URLSearchParams(parameters)}`, {
    Authorization: `Bearer ${project.key}`
  })
  expect([status, body?.detail]).toEqual([200, undefined])
  return body
}

/** Reads a list to its end: the first page has no offset, and a page that is not full is the last. */
async function readAll<T = { id: unknown }>(
  project: TestProject,
  path: string,
  { limit = 100, ...others }: { limit?: number; after?: string; before?: string } = {}
): Promise<T[]> {
  const rows: T[] = []
  for (let length = limit; length === limit; ) {
    const offset = rows.length > 0 ? { offset: String(rows.length) } : {}
    const { results } = await ask(project, path, { ...others, limit: String(limit), ...offset })
    rows.push(...results)
    length = results.length
  }
  return rows
}

/** Writes a time as Python does by `%Y-%m-%dT%H:%M:%S.%f%z`; `micros` are taken from it. */
const write = (time: number, micros: 0 | 1) =>
  new Date(time - micros).toISOString().replace('Z', micros === 1 ? '999+0000' : '000+0000')

/** Reads a time by the connector's two formats, `%Y-%m-%dT%H:%M:%S.%f%z` and `%Y-%m-%dT%H:%M:%S+00:00`. */
function read(time: string): number {
  expect(time).toMatch(/^\d{4}(-\d\d){2}T(\d\d:){2}\d\d(\.\d{1,6}(Z|[+-]\d\d:?\d\d)|\+00:00)$/)
  return Date.parse(time)
}

/**
 * Returns the ranges from `START`, or from the time of the newest event of the last sync, until `now`. Each begins where the one
 * before ends, a microsecond before a whole step.
 */
function rangesUntil(now: number, state?: string) {
  const ranges: { after: string; before: string }[] = []
  const begin = Math.min(state === undefined ? START : read(state), now)
  for (let from = begin; from <= now; from += STEP) {
    const before = from + STEP <= now ? write(from + STEP, 1) : write(now, 0)
    ranges.push({ after: ranges.at(-1)?.before ?? state ?? write(from, 0), before })
  }
  return ranges
}

/** Reads the events of all ranges. */
async function sync(project: TestProject, now: number, state?: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const range of rangesUntil(now, state)) {
    const path = `projects/${project.id}/events/`
    rows.push(...(await readAll<Row>(project, path, { limit: MAX_EVENTS, ...range })))
  }
  return rows
}

/** Returns the time that the connector keeps: the largest text. */
const newestOf = (rows: Row[]) =>
  rows.map(({ timestamp }) => timestamp).reduce((a, b) => (a > b ? a : b))

/** Inserts events of five names, of each time as many as `of` says: SQL that has a row for each event, with its number and time. */
async function seed(project: TestProject, of: string) {
  await db.run(sql`insert into event_names (project_id, name)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 5)
    select ${project.id}, 'name ' || i from n`)
  await db.run(sql`insert into distinct_ids (key, project_id, distinct_id)
    values (${project.id * 1000}, ${project.id}, 'ada')`)
  await db.run(sql`insert into events (project_id, event_id, timestamp, uuid, identity, properties)
    with recursive n(i, at) as (${sql.raw(of)}),
    named as (select id, row_number() over (order by id) - 1 as place from event_names where project_id = ${project.id})
    select ${project.id}, named.id, at, unhex(printf('%032x', i)), ${project.id * 1000}, jsonb('{}')
    from n join named on named.place = (i * 7919 / 5) % 5`)
}

it('every event is in exactly one of the ranges in which a connector reads them', async () => {
  const project = await newProject()
  // A range of two full pages, then one that ends within its second page. Each three events have the same time, also those
  // on both sides of the first page's end; around the end of the range, events follow each other by a millisecond.
  await seed(
    project,
    `select 0, ${START} union all select i + 1,
       case when i + 1 < 19999 then ${START} + (i + 1) / 3 * 1000
            when i + 1 = 19999 then ${START + STEP - 2}
            when i + 1 = 20000 then ${START + STEP - 1}
            else ${START + STEP} + (i - 20000) / 3 * 1000 end
     from n where i < 32344`
  )
  const now = START + 2 * STEP - DAY

  const rows = await sync(project, now)

  expect(rangesUntil(now)).toEqual([
    { after: '2025-06-01T00:00:00.000000+0000', before: '2025-06-30T23:59:59.999999+0000' },
    { after: '2025-06-30T23:59:59.999999+0000', before: '2025-07-30T00:00:00.000000+0000' }
  ])
  expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([32_345, 32_345])
})

it('the next sync has every event since, and again those of the time at which it begins', async () => {
  const project = await newProject()
  const at = (seconds: number) => START + seconds * 1000
  const event = (n: number, timestamp: number) => ({ event: `event ${n}`, timestamp })
  // Compared as texts, a time without a fraction would be later than one with a fraction of the same second.
  await project.ingest([event(1, at(1)), event(2, at(5) + 250), event(3, at(5))])

  const first = await sync(project, at(60))
  const state = newestOf(first)
  await project.ingest([event(4, at(5) + 250), event(5, at(6)), event(6, at(70))])
  const second = await sync(project, at(120), state)
  const third = await sync(project, at(120), newestOf(second))
  const idle = await sync(project, at(70), newestOf(third))

  expect(
    [first, second, third, idle].map((rows) => rows.map(({ timestamp }) => timestamp))
  ).toEqual([
    ['2025-06-01T00:00:05.250Z', '2025-06-01T00:00:05.000Z', '2025-06-01T00:00:01.000Z'],
    [
      '2025-06-01T00:01:10.000Z',
      '2025-06-01T00:00:06.000Z',
      '2025-06-01T00:00:05.250Z',
      '2025-06-01T00:00:05.250Z'
    ],
    ['2025-06-01T00:01:10.000Z'],
    []
  ])
  expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(6)
})

it('older versions of a connector follow the links, and add their parameters to them again', async () => {
  const project = await newProject()
  await seed(
    project,
    `select 0, ${START} union all select i + 1, ${START} + (i + 1) / 3 * 1000 from n where i < 249`
  )

  const ids: string[] = []
  let path = `projects/${project.id}/events/`
  let parameters: Record<string, string> = {
    after: write(START, 0),
    before: write(START + STEP, 1)
  }
  for (let pages = 0; path !== '' && pages < 4; pages += 1) {
    const { next, results } = await ask(project, path, { ...parameters, limit: '100' })
    ids.push(...(results as Row[]).map(({ id }) => id))
    const url = new URL(next ?? 'https://analytics.test/api/')
    path = url.pathname.slice('/api/'.length)
    parameters = Object.fromEntries(url.searchParams)
  }

  expect([ids.length, new Set(ids).size]).toEqual([250, 250])
})

it('the other streams of a connector are complete', async () => {
  const project = await newProject()
  const people = Array.from({ length: 250 }, (_, i) => ({
    event: '$identify',
    distinct_id: `person ${i}`,
    properties: { $set: { email: `${i}@example.com` } }
  }))
  await project.ingest(people)
  for (let i = 0; i < 101; i += 1) {
    await project.send('POST', 'insights/', { name: `Insight ${i}` })
  }

  const [{ id }] = (await readAll(project, 'projects')) as [{ id: number }]
  const counts = new Map<string, number>()
  for (const stream of ['cohorts', 'feature_flags', 'persons', 'annotations', 'insights']) {
    const rows = await readAll(project, `projects/${id}/${stream}`)
    counts.set(stream, rows.length)
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length)
  }

  expect(id).toBe(project.id)
  expect(Object.fromEntries(counts)).toEqual({
    cohorts: 0,
    feature_flags: 0,
    persons: 250,
    annotations: 0,
    insights: 101
  })
})
