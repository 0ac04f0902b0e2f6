import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { beginScan } from '../../../src/columns/cache.ts'
import { findChunks } from '../../../src/columns/chunks.ts'
import { verifyColumns } from '../../../src/columns/verify.ts'
import { VersionValues } from '../../../src/columns/versions.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { identityOf, toShort } from '../../../src/db/version-id.ts'
import type { Json } from '../../../src/input/json.ts'
import { chunksOf, seal } from '../../support/columns.ts'
import { beforeCall, cutAt } from '../../support/faults.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'

const PLANS: Json[] = ['free', 'pro', null, 7, { of: ['list'] }]

/** Creates a project with 80 persons of two versions each, and builds their chunks. @returns also the chunks */
async function newCrowd() {
  const project = await newProject()
  for (const visit of [0, 1]) {
    await project.ingest(
      Array.from({ length: 80 }, (_, n) => ({
        distinct_id: `visitor ${n}`,
        properties: {
          $set: { plan: PLANS[(n + visit) % 5] ?? null, visit, note: `${n} ${visit} note` }
        }
      }))
    )
  }
  const chunks = await chunksOf(project.id)
  await seal(project.id, { chunks })
  return { project, chunks }
}

/** Reads the versions of a project from their rows. */
const listVersions = (projectId: number) =>
  db.all<{ id: number; properties: string }>(
    sql`select id, json(properties) as properties from person_versions where project_id = ${projectId} order by id`
  )

/**
 * Finds the values that the versions of events have for a property. The events are of the versions' own identities, or of the
 * identities from `of`. @returns also how many rows were read
 */
async function find(
  projectId: number,
  ids: (number | null)[],
  key: string,
  of: number[] = ids.map((id) => identityOf(id ?? 0))
) {
  const usage = newUsage()
  const values = new VersionValues(beginScan(openDb(env.DB, usage).db, projectId), key)
  const { codes, values: found } = await values.of(
    {
      codes: Uint32Array.from(ids.keys()),
      values: ids.map((id, i) => (id === null ? null : toShort(id, of[i] ?? 0)))
    },
    Uint32Array.from(of)
  )
  return { found: Array.from(codes, (code) => found[code]), rows: usage.rowsRead }
}

/** Checks that each version has the values of its row. */
async function expectEqual(projectId: number): Promise<void> {
  const versions = await listVersions(projectId)
  for (const key of ['plan', 'visit', 'note', 'unknown']) {
    const { found } = await find(
      projectId,
      versions.map(({ id }) => id),
      key
    )
    const expected = versions.map(({ properties }) => JSON.parse(properties)[key] ?? null)
    expect([key, found]).toEqual([key, expected])
  }
}

const listChunks = (projectId: number) =>
  db.all<{ is_built: number; count: number; cold: string }>(
    sql`select is_built, count, cold from version_chunks where project_id = ${projectId}`
  )

const listColumns = (projectId: number) =>
  db.all<{ name: string }>(
    sql`select name from version_columns where project_id = ${projectId} order by name`
  )

const isDue = async (project: TestProject, counted = 0) =>
  (await findChunks(db, { counted })).some(({ project_id }) => project_id === project.id)

it('properties of versions are copied into columns, except properties with a different value in each version', async () => {
  const { project } = await newCrowd()

  expect(await listChunks(project.id)).toEqual([
    { is_built: 1, count: 160, cold: expect.stringMatching(/^[0-9a-f]{8}\["note"\]$/) }
  ])
  expect((await listColumns(project.id)).map(({ name }) => name)).toEqual([
    '$creator_event_uuid',
    'plan',
    'visit'
  ])
  await expectEqual(project.id)
  expect(await isDue(project)).toBe(false)
})

it('values are found in versions of other identities than those of the events', async () => {
  const { project } = await newCrowd()
  const versions = await listVersions(project.id)
  const ids = versions.map(({ id }) => id)
  const another = ids.map((id, i) => identityOf(i % 2 === 0 ? (ids.at(-1) ?? 0) : id))

  const { found } = await find(project.id, ids, 'visit', another)

  expect(found).toEqual(versions.map((_, i) => i % 2))
})

it('values of columns are found without reading a row for each version', async () => {
  const { project } = await newCrowd()
  const versions = await listVersions(project.id)
  const ids: Json[] = [null, ...versions.map(({ id }) => id), 12_345]

  const { found, rows } = await find(project.id, ids as number[], 'visit')

  expect(found).toEqual([null, ...versions.map((_, i) => i % 2), null])
  expect(rows).toBeLessThan(10)
})

it('versions newer than their chunk are looked up, and copied once there are many', async () => {
  const { project, chunks } = await newCrowd()
  const change = (count: number, visit: number) =>
    project.ingest(
      Array.from({ length: count }, (_, n) => ({
        distinct_id: `visitor ${n}`,
        properties: { $set: { visit } }
      }))
    )
  await change(3, 2)
  await expectEqual(project.id)
  expect(await isDue(project, 1_000)).toBe(false)

  await change(60, 3)

  await expectEqual(project.id)
  expect(await isDue(project)).toBe(false)
  expect(await isDue(project, 1_000)).toBe(true)
  await seal(project.id, { chunks })
  expect(await listChunks(project.id)).toMatchObject([{ is_built: 1, count: 223 }])
  await expectEqual(project.id)
})

it('versions newer than their chunk are copied even if the chunk does not list all properties without a column', async () => {
  const { project, chunks } = await newCrowd()
  await project.ingest([
    { distinct_id: 'visitor 0', properties: { $set: { ['x'.repeat(300)]: 1 } } }
  ])
  await seal(project.id, { chunks })
  expect(await listChunks(project.id)).toEqual([{ is_built: 1, count: 161, cold: null }])
  expect(await isDue(project, 1_000)).toBe(false)

  await project.ingest(
    Array.from({ length: 60 }, (_, n) => ({
      distinct_id: `visitor ${n}`,
      properties: { $set: { visit: 2 } }
    }))
  )

  expect(await isDue(project, 1_000)).toBe(true)
  await seal(project.id, { chunks })
  expect(await listChunks(project.id)).toMatchObject([{ is_built: 1, count: 221 }])
  await expectEqual(project.id)
})

it('a chunk with too many versions for columns is not built again for more', async () => {
  const { project } = await newCrowd()
  await db.run(sql`
    update version_chunks set count = 1, versions = '', cold = null where project_id = ${project.id}`)
  await db.run(sql`delete from version_columns where project_id = ${project.id}`)

  expect(await isDue(project, 1_000)).toBe(false)
})

it.each([
  ['removed', sql`delete from person_versions`],
  ['changed', sql`update person_versions set properties = jsonb('{"plan": "other"}')`]
])('a chunk with a version that is %s is removed at once, and built again', async (_, act) => {
  const { project, chunks } = await newCrowd()
  const [, version] = await listVersions(project.id)

  await db.run(sql`${act} where id = ${version?.id}`)

  expect(await listChunks(project.id)).toEqual([])
  expect(await listColumns(project.id)).toEqual([])
  await expectEqual(project.id)
  expect(await isDue(project)).toBe(true)
  await seal(project.id, { chunks })
  expect(await listChunks(project.id)).toMatchObject([{ is_built: 1 }])
  await expectEqual(project.id)
})

it('a chunk is right, or is not read, whenever a version is removed while it is built', async () => {
  const { project, chunks } = await newCrowd()
  let calls = 0
  for (let isRemoved = true; isRemoved; calls += 1) {
    const { DB, isReached } = beforeCall(env.DB, calls + 1, async () => {
      const [version] = await listVersions(project.id)
      await db.run(sql`delete from person_versions where id = ${version?.id}`)
    })
    await seal(project.id, { chunks, DB })
    isRemoved = isReached()
    await expectEqual(project.id)
  }
  expect(calls).toBeGreaterThan(6)
  expect(await verifyColumns(db, 1_000)).toMatchObject({ wrong_version_chunks: 0 })
})

it.each(['before', 'after'] as const)(
  'a chunk is right wherever its building is cut, %s a call',
  async (side) => {
    const { project, chunks } = await newCrowd()
    let cuts = 0
    for (let isCut = true; isCut; cuts += 1) {
      const { DB, isReached } = cutAt(env.DB, cuts + 1, side)
      await seal(project.id, { chunks, DB }).catch(() => undefined)
      isCut = isReached()
      await expectEqual(project.id)
    }
    expect(cuts).toBeGreaterThan(6)
    expect(await verifyColumns(db, 1_000)).toMatchObject({ wrong_version_chunks: 0 })
  }
)

it('a chunk that differs from its rows is found by the verification, and removed', async () => {
  const { project, chunks } = await newCrowd()
  expect(await verifyColumns(db, 1_000)).toMatchObject({ wrong_version_chunks: 0 })
  await db.run(sql`
    update version_columns set data = (
      select data from version_columns where project_id = ${project.id} and name = 'plan')
    where project_id = ${project.id} and name = 'visit'`)

  expect(await verifyColumns(db, 1_000)).toMatchObject({
    wrong_version_chunks: 1,
    first_version_chunks: [{ project_id: project.id, chunk: chunks[0] }]
  })

  expect(await listChunks(project.id)).toEqual([])
  expect(await isDue(project)).toBe(true)
})
