import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import { findUnread } from '../../../src/columns/read.store.ts'
import { readTrend } from '../../../src/trends/request.ts'
import { computeTrend } from '../../../src/trends/trend.ts'
import {
  coldOf,
  expectEqualToRows,
  LATER,
  listSegments,
  newShop,
  OPENED,
  seal,
  unseal,
  VIEW
} from '../../support/columns.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { aroundCalls, beforeCall, cutAt } from '../../support/faults.ts'
import { db, type TestProject } from '../../support/project.ts'

let shop: TestProject

beforeAll(async () => {
  shop = await newShop()
})

const newEvent = (timestamp: number) => ({
  event: VIEW,
  distinct_id: 'person 1',
  timestamp,
  properties: { plan: 'late' }
})

const removeEvent = (projectId: number) =>
  db.run(sql`
    delete from events where (project_id, event_id, timestamp, uuid) in (
      select project_id, event_id, timestamp, uuid from events where project_id = ${projectId} limit 1)`)

it('events become one segment that equals their rows', async () => {
  await unseal(shop.id)

  expect(await seal(shop.id)).toMatchObject({ segments: 1, events: 2_400, sent: [] })

  expect(await expectEqualToRows(shop.id)).toBe(1)
  const [segment] = await listSegments(shop.id)
  expect(segment).toMatchObject({ is_sealed: 1, count: 2_400, since: OPENED })
  const names = await db.all<{ name: string }>(
    sql`select name from segment_columns where segment_id = ${segment?.id} order by name`
  )
  expect(names.map(({ name }) => name)).toEqual([
    'event:$session_id',
    'event:is_new',
    'event:of',
    'event:plan',
    'event:price',
    'event:tags',
    'identity',
    'session',
    'time',
    'version'
  ])
  expect(segment && (await coldOf(segment))).toEqual(
    expect.arrayContaining(['note', 'rare', '$set'])
  )
  expect(await seal(shop.id)).toMatchObject({ segments: 0, events: 0, sent: [] })
})

it('events of the last hour are not sealed', async () => {
  await unseal(shop.id)

  const now = OPENED + 2 * DAY - 3 * HOUR
  await seal(shop.id, { now })

  const [segment] = await listSegments(shop.id)
  expect(segment?.until).toBeLessThanOrEqual(now - HOUR)
  expect(segment?.until).toBeGreaterThan(now - 2 * HOUR)
  expect(await expectEqualToRows(shop.id)).toBe(1)
})

it('late events are noted, and sealed once there are enough', async () => {
  const project = await newShop()
  await seal(project.id)
  const [before] = await listSegments(project.id)

  await project.ingest([newEvent(OPENED + HOUR), newEvent(OPENED + DAY)])

  expect(await expectEqualToRows(project.id)).toBe(1)
  const late = await db.all(sql`select * from late_events where segment_id = ${before?.id}`)
  expect(late).toHaveLength(2)
  expect(await seal(project.id, { minLate: 3 })).toMatchObject({ segments: 0 })
  expect(await seal(project.id, { minLate: 2 })).toMatchObject({ segments: 1, events: 2_402 })
  expect(await expectEqualToRows(project.id)).toBe(1)
  expect(await db.all(sql`select * from late_events where segment_id = ${before?.id}`)).toEqual([])
  expect(
    await db.all(sql`select name from segment_columns where segment_id = ${before?.id}`)
  ).toEqual([])
})

it.each([7, 13, 40])(
  'a property without a column is read once per event, even among late events: %i events at once',
  async (stepEvents) => {
    const story = await newShop()
    await seal(story.id)
    await story.ingest([
      newEvent(OPENED + HOUR),
      newEvent(OPENED + 5 * HOUR),
      newEvent(OPENED + DAY)
    ])
    const project = { id: story.id, timezone: 'UTC', weekStart: 1 as const, testAccountFilters: [] }
    const now = new Date(LATER)
    const properties = [{ key: 'note', operator: 'is_set' }]
    const query = readTrend(
      {
        events: [{ id: VIEW, properties }],
        date_from: new Date(OPENED).toISOString().slice(0, 10)
      },
      project,
      now
    )
    if (!query) {
      throw new Error('The request was not understood.')
    }

    const { result } = await computeTrend(db, project, { query, now, stepEvents })

    expect(result[0]?.count).toBe(2_360)
  }
)

it('segments that lack the column of a property are known beforehand', async () => {
  const { id } = await newShop()
  await seal(id)
  const asked = await db.all<{ id: number }>(sql`select id from segments where project_id = ${id}`)

  expect(await findUnread(db, id, asked, ['plan'])).toEqual([])
  expect(await findUnread(db, id, asked, ['nobody sends this'])).toEqual([])
  expect(await findUnread(db, id, asked, ['plan', 'note'])).toEqual(asked.map((one) => one.id))
  expect(await findUnread(db, id + 1, asked, ['note'])).toEqual([])
})

it('a segment is removed with any of its events, and its range is sealed again', async () => {
  const project = await newShop()
  await seal(project.id)

  await removeEvent(project.id)

  expect(await listSegments(project.id)).toEqual([])
  expect(await seal(project.id)).toMatchObject({ segments: 1, events: 2_399 })
  expect(await expectEqualToRows(project.id)).toBe(1)
})

it('events of 10 kB each are sealed in small pieces', async () => {
  const project = await newShop()
  await db.run(sql`
    update events set properties = jsonb(json_object('text', hex(zeroblob(5000)), 'plan', 'pro'))
    where project_id = ${project.id} and timestamp % 7 = 0`)

  expect(await seal(project.id)).toMatchObject({ segments: 1, events: 2_400 })
  expect(await expectEqualToRows(project.id)).toBe(1)
})

describe('sealing with concurrent work', () => {
  it('runs at the same time seal everything once', async () => {
    await unseal(shop.id)

    const runs = await Promise.all([seal(shop.id), seal(shop.id), seal(shop.id)])

    expect(runs.reduce((sum, { segments }) => sum + segments, 0)).toBe(1)
    expect(await expectEqualToRows(shop.id)).toBe(1)
  })

  it('a run that is cut at any call is completed by a later run', async () => {
    for (let call = 1; ; call += CALL_STEP) {
      for (const side of ['before', 'after'] as const) {
        await unseal(shop.id)
        const { DB, isReached } = cutAt(env.DB, call, side)
        await seal(shop.id, { DB }).catch(() => undefined)
        if (!isReached()) {
          return expect(call).toBeGreaterThan(8)
        }
        await expectEqualToRows(shop.id)
        // Until ten minutes have passed, another run may still be building the segment.
        await seal(shop.id)
        await expectEqualToRows(shop.id)
        await seal(shop.id, { now: Date.now() + LATER })

        expect(await expectEqualToRows(shop.id)).toBe(1)
        expect(await listSegments(shop.id)).toHaveLength(1)
      }
    }
  })

  it.each([
    ['stored', (project: TestProject) => project.ingest([newEvent(OPENED + HOUR)])],
    ['removed', (project: TestProject) => removeEvent(project.id)]
  ])(
    'an event that is %s during any call is in the segment, noted, or prevents it',
    async (_, act) => {
      const project = await newShop()
      for (let call = 1; ; call += CALL_STEP) {
        await unseal(project.id)
        const { DB, isReached } = beforeCall(env.DB, call, () => act(project))

        await seal(project.id, { DB })

        await expectEqualToRows(project.id)
        await seal(project.id)
        expect(await expectEqualToRows(project.id)).toBe(1)
        if (!isReached()) {
          return expect(call).toBeGreaterThan(8)
        }
      }
    }
  )

  it('columns of a removed segment are not written', async () => {
    await unseal(shop.id)
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements.length > 3) {
        await unseal(shop.id)
      }
      return run()
    })

    expect(await seal(shop.id, { DB })).toMatchObject({ segments: 0 })

    const orphans = await db.all(
      sql`select 1 from segment_columns where segment_id not in (select id from segments)`
    )
    expect(orphans).toEqual([])
  })
})
