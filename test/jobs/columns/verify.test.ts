import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { MINUTE } from '../../../src/calendar/units.ts'
import { findDueChunks } from '../../../src/columns/actor-chunks.ts'
import { encodeColumn, encodeNames, encodeNumbers } from '../../../src/columns/codec.ts'
import { placeOfCold, placeOfColumn } from '../../../src/columns/places.ts'
import { verifyColumns } from '../../../src/columns/verify.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import {
  expectEqualToRows,
  listSegments,
  newShop,
  OPENED,
  seal,
  VIEW
} from '../../support/columns.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { beforeCall } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import worker from '../../support/worker.ts'

let shop: TestProject

beforeAll(async () => {
  shop = await newShop()
})

async function newSegment() {
  await seal(shop.id)
  const [segment] = await listSegments(shop.id)
  if (!segment) {
    throw new Error('Nothing was sealed.')
  }
  return segment
}

type Segment = Awaited<ReturnType<typeof newSegment>>

const NOTHING_WRONG = { wrong_segments: 0, wrong_chunks: 0 }

it('a segment whose column has the ids of versions instead of their numbers passes', async () => {
  const project = await newProject()
  await project.ingest(
    Array.from({ length: 2_100 }, (_, n) => ({ event: VIEW, timestamp: OPENED + n, $set: { n } }))
  )
  await seal(project.id)
  const rows = await db.all<{ version: number }>(
    sql`select version from events where project_id = ${project.id} order by timestamp`
  )
  const ids = rows.map(({ version }) => version)
  expect(Math.min(...ids)).toBeGreaterThan(0)
  const [segment] = await listSegments(project.id)
  const place = placeOfColumn({ build: segment?.build ?? '' }, 'version')
  await db.run(sql`
    update segment_columns set data = ${encodeColumn({ codes: Uint32Array.from(ids.keys()), values: ids }, place)}
    where name = 'version' and segment_id in (select id from segments where project_id = ${project.id})`)

  expect(await verifyColumns(db, 100)).toMatchObject(NOTHING_WRONG)
  expect(await expectEqualToRows(project.id)).toBe(1)
})

it('segments that equal their rows pass, even with late events', async () => {
  await newSegment()
  await shop.ingest([{ event: VIEW, timestamp: OPENED + 5 }])

  const verified = await verifyColumns(db, 100)

  expect(verified).toMatchObject(NOTHING_WRONG)
  expect(verified.segments).toBeGreaterThan(0)
})

describe('a segment is wrong, and removed, if', () => {
  /** Replaces a column. `encode` gets the number of events, and the place of the column. */
  const setColumn =
    (name: string, encode: (count: number, place: string) => string) => (segment: Segment) =>
      sql`update segment_columns set data = ${encode(segment.count, placeOfColumn(segment, name))}
        where segment_id = ${segment.id} and name = ${name}`
  const allWrong = (count: number, place: string) =>
    encodeColumn({ codes: new Uint8Array(count), values: ['wrong'] }, place)

  /** The place of the list of properties without a column, in segments of `newShop`. */
  const coldPlace = (segment: Segment) =>
    placeOfCold(segment, ['$session_id', 'is_new', 'of', 'plan', 'price', 'tags'])

  it.each<[string, string, (segment: Segment) => SQL]>([
    ['a property differs', 'event:plan', setColumn('event:plan', allWrong)],
    ['a session differs', 'session', setColumn('session', allWrong)],
    ['a version differs', 'version', setColumn('version', allWrong)],
    [
      'an identity differs',
      'identity',
      setColumn('identity', (count, place) => encodeNumbers(new Uint32Array(count), place))
    ],
    [
      'a time differs',
      'time',
      setColumn('time', (count, place) => encodeNumbers(new Uint32Array(count).fill(3), place))
    ],
    [
      'a column is too short',
      'encoding',
      setColumn('time', (_, place) => encodeNumbers(new Uint32Array(7), place))
    ],
    [
      'a column is missing',
      'encoding',
      ({ id }) => sql`delete from segment_columns where segment_id = ${id} and name = 'identity'`
    ],
    [
      'a property is not listed',
      'cold',
      (segment) => sql`update segments set cold = ${encodeNames(['rare'], coldPlace(segment))}
        where id = ${segment.id}`
    ],
    [
      'an event is missing',
      'count',
      ({ id }) => sql`
        insert into late_events (segment_id, timestamp, uuid)
        select ${id}, timestamp, uuid from events where project_id = ${shop.id} order by timestamp desc limit 1`
    ]
  ])('%s', async (_, column, damage) => {
    await db.run(sql`delete from segments`)
    const segment = await newSegment()
    await db.run(sql`delete from late_events where segment_id = ${segment.id}`)
    await db.run(damage(segment))

    expect(await verifyColumns(db, 100)).toMatchObject({
      segments: 1,
      wrong_segments: 1,
      first_segments: [{ project_id: shop.id, column }]
    })
    expect(await listSegments(shop.id)).toEqual([])
    await newSegment()
    expect(await expectEqualToRows(shop.id)).toBe(1)
    expect(await verifyColumns(db, 100)).toMatchObject(NOTHING_WRONG)
  })
})

it.each([
  ['stored', () => shop.ingest([{ event: VIEW, timestamp: OPENED + MINUTE }])],
  [
    'removed',
    () =>
      db.run(sql`delete from events where (project_id, event_id, timestamp, uuid) in (
        select project_id, event_id, timestamp, uuid from events where project_id = ${shop.id} limit 1)`)
  ]
])('an event that is %s during the verification makes no segment wrong', async (_, act) => {
  for (let call = 1; ; call += CALL_STEP) {
    await newSegment()
    const { DB, isReached } = beforeCall(env.DB, call, () => act())

    expect(await verifyColumns(openDb(DB, newUsage()).db, 100)).toMatchObject(NOTHING_WRONG)

    if (!isReached()) {
      return expect(call).toBeGreaterThan(3)
    }
  }
})

describe('a chunk is emptied and built again', () => {
  /** Creates a project with 80 persons and a chunk of them. */
  async function newCrowd() {
    const project = await newProject()
    await project.ingest(Array.from({ length: 80 }, (_, n) => ({ distinct_id: `visitor ${n}` })))
    const due = async () =>
      (await findDueChunks(db)).filter(({ project_id }) => project_id === project.id)
    const [chunk] = await due()
    const build = () => seal(project.id, { chunks: [chunk?.chunk ?? -1] })
    await build()
    expect(await verifyColumns(db, 100)).toMatchObject({ wrong_chunks: 0 })
    const expectRebuilt = async () => {
      expect(await verifyColumns(db, 100)).toMatchObject({ wrong_chunks: 1, first_chunks: [chunk] })
      expect(await due()).toEqual([chunk])
      await build()
      expect(await verifyColumns(db, 100)).toMatchObject({ wrong_chunks: 0 })
    }
    return { project, expectRebuilt }
  }

  it('if it has a wrong person', async () => {
    const { project, expectRebuilt } = await newCrowd()
    await db.run(sql`
      update distinct_ids set person_id = 1 where project_id = ${project.id} and distinct_id = 'visitor 3'`)
    expect(await verifyColumns(db, 100)).toMatchObject({ wrong_chunks: 0 })
    await db.run(sql`delete from moved_identities where project_id = ${project.id}`)

    await expectRebuilt()
  })

  it.each([
    ['is no base64', '?'],
    ['has half a number', 'AAAA\nAAAA']
  ])('if its data %s', async (_, data) => {
    const { project, expectRebuilt } = await newCrowd()
    await db.run(sql`update actor_chunks set data = ${data} where project_id = ${project.id}`)

    await expectRebuilt()
  })
})

it('the nightly verification logs wrong segments and chunks as an error', async () => {
  await db.run(sql`delete from segments`)
  const { id } = await newSegment()
  const verify = async () => {
    const log = listenToLog()
    const controller = createScheduledController({ cron: NIGHTLY, scheduledTime: new Date() })
    await worker.scheduled(controller, env)
    return log
      .lines('nightly verification of columns')
      .filter(({ database }) => database === 'DB')
      .slice(-1)
  }
  expect(await verify()).toMatchObject([{ level: 'info', segments: 1, ...NOTHING_WRONG }])
  await db.run(sql`update segments set count = count + 1 where id = ${id}`)

  expect(await verify()).toMatchObject([
    { level: 'error', wrong_segments: 1, segment: { project_id: shop.id, column: 'encoding' } }
  ])
})
