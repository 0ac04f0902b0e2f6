import { type SQL, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import {
  CHUNK,
  decodeSlots,
  encodeActors,
  encodeNumbers,
  encodeSlots,
  toSlotCounts
} from '../../../src/columns/codec.ts'
import { placeOfActors, placeOfColumn } from '../../../src/columns/places.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'
import {
  chunksOf,
  listSegments,
  newShop,
  OPENED,
  seal,
  slotsPlaceOf,
  VIEW
} from '../../support/columns.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { ask as askTrend, lines } from '../../support/trends.ts'

const RANGE = { date_from: '2026-10-01', date_to: '2026-10-03' }

/** Returns the numbers of a trend of views, with these fields in its series. */
async function ask(project: TestProject, series: object) {
  const answer = await askTrend(project, { ...RANGE, events: [{ id: VIEW, ...series }] })
  return lines(answer)[0]?.[1]
}

const ANOTHER = 'another'

/** Returns the project's only segment, as it is built again with another token and the same slots. */
async function rebuilt(project: TestProject) {
  const [segment] = await listSegments(project.id)
  if (!segment) {
    throw new Error('Nothing was sealed.')
  }
  const slots = toSlotCounts(decodeSlots(segment.slots, slotsPlaceOf(segment)))
  return { ...segment, build: ANOTHER, slots }
}

/** Gives a project's segments or chunks another build token, as building them again does. */
const changeBuild = (project: TestProject, table: SQL) =>
  db.run(sql`update ${table} set build = ${ANOTHER} where project_id = ${project.id}`)

it('a column is cached until its segment is built again', async () => {
  const project = await newShop()
  await seal(project.id)
  const days = await ask(project, { math: 'dau' })
  expect(days).toEqual([8, 8, 0])
  const { slots, ...segment } = await rebuilt(project)
  const place = placeOfColumn(segment, 'identity')
  const identities = encodeNumbers(new Uint32Array(segment.count).fill(1), place)
  await db.run(sql`
    update segment_columns set data = ${identities}
    where name = 'identity' and segment_id = ${segment.id}`)

  expect(await ask(project, { math: 'dau' })).toEqual(days)

  const encoded = encodeSlots(slots, slotsPlaceOf({ ...segment, slots: '' }))
  await db.run(sql`update segments set slots = ${encoded} where id = ${segment.id}`)
  await changeBuild(project, sql`segments`)
  expect(await ask(project, { math: 'dau' })).toEqual([1, 1, 0])
})

it('the slots of a segment are cached until the segment is built again', async () => {
  const project = await newShop()
  await seal(project.id)
  const total = await ask(project, {})
  const segment = await rebuilt(project)
  const place = slotsPlaceOf({ ...segment, slots: '' })
  const slots = encodeSlots([{ slot: OPENED / SLOT, count: 3 }], place)
  await db.run(sql`update segments set slots = ${slots} where project_id = ${project.id}`)

  expect(await ask(project, {})).toEqual(total)

  await changeBuild(project, sql`segments`)
  expect(await ask(project, {})).toEqual([3, 0, 0])
})

it('a chunk of actors is cached until it is built again', async () => {
  const project = await newProject()
  const crowd = Array.from({ length: 80 }, (_, n) => ({
    event: VIEW,
    distinct_id: `visitor ${n}`,
    timestamp: OPENED
  }))
  await project.ingest(crowd)
  const chunks = await chunksOf(project.id)
  await seal(project.id, { chunks })
  expect(await ask(project, { math: 'dau' })).toEqual([80, 0, 0])
  const offsets = Uint16Array.from({ length: CHUNK }, (_, offset) => offset)
  for (const chunk of chunks) {
    const place = placeOfActors({ project_id: project.id, chunk, build: ANOTHER })
    const data = encodeActors({ offsets, persons: new Int32Array(CHUNK).fill(7) }, place)
    await db.run(sql`
      update actor_chunks set data = ${data} where project_id = ${project.id} and chunk = ${chunk}`)
  }

  expect(await ask(project, { math: 'dau' })).toEqual([80, 0, 0])

  await changeBuild(project, sql`actor_chunks`)
  expect(await ask(project, { math: 'dau' })).toEqual([1, 0, 0])
})
