import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { findDueChunks } from '../../../src/columns/actor-chunks.ts'
import { chunksOf, readActors, seal } from '../../support/columns.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { beforeCall, cutAt } from '../../support/faults.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'

/** Creates a project with 80 identities, half of them without a person. @returns also the chunks of these identities */
async function newCrowd() {
  const project = await newProject()
  await arrive(project, 'visitor', 80)
  return { project, chunks: await chunksOf(project.id) }
}

const arrive = (project: TestProject, name: string, count: number) =>
  project.ingest(
    Array.from({ length: count }, (_, n) => ({
      distinct_id: `${name} ${n}`,
      properties: { $process_person_profile: n % 2 === 0 }
    }))
  )

const merge = (project: TestProject, n: number) =>
  project.ingest([
    {
      event: '$identify',
      distinct_id: `visitor ${n}`,
      properties: { $anon_distinct_id: `visitor ${n + 1}` }
    }
  ])

/** Reads the persons of a project's identities, including erased persons. */
async function listPersons(projectId: number): Promise<Map<number, number>> {
  const rows = await db.all<{ key: number; person_id: number | null }>(sql`
    select key, person_id from distinct_ids where project_id = ${projectId}
    union all select key, person_id from erased_identities where project_id = ${projectId}`)
  return new Map(rows.map(({ key, person_id }) => [key, person_id ?? 0]))
}

/** Checks that each identity of a chunk has its person there, or is noted as moved. @returns the number of identities */
async function expectCurrent(projectId: number): Promise<number> {
  const { persons, moved } = await readActors(projectId)
  const actual = await listPersons(projectId)
  for (const [key, person] of persons) {
    if (!moved.has(key)) {
      expect([key, person]).toEqual([key, actual.get(key)])
    }
  }
  return persons.size
}

it('a chunk has the person of each of its identities', async () => {
  const { project, chunks } = await newCrowd()

  expect(await seal(project.id, { chunks })).toMatchObject({ chunks: chunks.length })

  expect((await readActors(project.id)).persons).toEqual(await listPersons(project.id))
})

it('identities that move are noted until the chunk is built again', async () => {
  const { project, chunks } = await newCrowd()
  await seal(project.id, { chunks })

  await merge(project, 0)
  await merge(project, 10)
  const { body } = await project.call('GET', 'persons?distinct_id=visitor 20')
  await project.call('DELETE', `persons/${body.results[0].id}?delete_events=true`)

  expect((await readActors(project.id)).moved.size).toBeGreaterThanOrEqual(3)
  await expectCurrent(project.id)
  await seal(project.id, { chunks })
  expect((await readActors(project.id)).moved.size).toBe(0)
  expect((await readActors(project.id)).persons).toEqual(await listPersons(project.id))
})

it('a chunk is due if it is new, has grown, was interrupted, or many of its identities have moved', async () => {
  const { project, chunks } = await newCrowd()
  const due = async () =>
    (await findDueChunks(db))
      .filter(({ project_id }) => project_id === project.id)
      .map(({ chunk }) => chunk)
  expect(await due()).toEqual(chunks)

  await seal(project.id, { chunks })
  expect(await due()).toEqual([])

  await arrive(project, 'few', 10)
  expect(await due()).toEqual([])
  await arrive(project, 'many', 80)
  expect(await due()).not.toEqual([])
  await seal(project.id, { chunks: await due() })
  expect(await due()).toEqual([])

  for (let n = 0; n < 40; n += 1) {
    await db.run(sql`
      update distinct_ids set person_id = 1 where project_id = ${project.id} and distinct_id = ${`many ${n}`}`)
  }
  const moved = await due()
  expect(moved).not.toEqual([])

  const { DB } = cutAt(env.DB, 4, 'before')
  await seal(project.id, { chunks: moved, DB }).catch(() => undefined)
  await db.run(sql`delete from moved_identities where project_id = ${project.id}`)
  expect(await due()).not.toEqual([])
  await seal(project.id, { chunks: await due() })
  expect(await due()).toEqual([])
  await expectCurrent(project.id)
})

it('a project with few identities gets no chunk', async () => {
  const project = await newProject()
  await arrive(project, 'visitor', 30)

  expect((await findDueChunks(db)).map(({ project_id }) => project_id)).not.toContain(project.id)
})

it('no move during any call is lost, even with two builders', async () => {
  const { project, chunks } = await newCrowd()
  for (let call = 1; ; call += CALL_STEP) {
    const { DB, isReached } = beforeCall(env.DB, call, async () => {
      await merge(project, call * 2)
      await seal(project.id, { chunks })
      await merge(project, call * 2 + 20)
    })

    await seal(project.id, { chunks, DB })

    await expectCurrent(project.id)
    if (!isReached()) {
      expect(call).toBeGreaterThan(3)
      break
    }
  }
  await seal(project.id, { chunks })
  expect(await expectCurrent(project.id)).toBe(80)
})

it('a build that is cut at any call leaves no wrong chunk', async () => {
  const { project, chunks } = await newCrowd()
  await seal(project.id, { chunks })
  for (let call = 1; ; call += CALL_STEP) {
    for (const side of ['before', 'after'] as const) {
      await merge(project, call * 2)
      const { DB, isReached } = cutAt(env.DB, call, side)
      await seal(project.id, { chunks, DB }).catch(() => undefined)

      await expectCurrent(project.id)
      await seal(project.id, { chunks })
      expect(await expectCurrent(project.id)).toBe(80)
      if (!isReached()) {
        return expect(call).toBeGreaterThan(3)
      }
    }
  }
})
