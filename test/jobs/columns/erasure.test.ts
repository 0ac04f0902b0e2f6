import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { encodeNumbers } from '../../../src/columns/codec.ts'
import { placeOfColumn } from '../../../src/columns/places.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { expectEqualToRows, listSegments, newShop, seal } from '../../support/columns.ts'
import { holdErasures } from '../../support/erasures.ts'
import { db, type TestProject } from '../../support/project.ts'

/**
 * Deletes a person with their events, except for the work of the weekly run.
 * @returns the key of the distinct id's identity, and `run`, which does that work and returns the task
 */
async function askToErase(project: TestProject, distinctId: string) {
  const erasures = holdErasures()
  const { body } = await project.call('GET', `persons?distinct_id=${distinctId}`)
  const keys = await db.all<{ key: number }>(
    sql`select key from distinct_ids where project_id = ${project.id} and distinct_id = ${distinctId}`
  )
  await erasures.call(project, 'DELETE', `persons/${body.results[0].id}?delete_events=true`)
  await erasures.drain()
  const run = async () => {
    await erasures.cron(WEEKLY, Date.now() + 1_000)
    await erasures.drain()
    const status = await erasures.call(project, 'GET', 'persons/deletion_status')
    return status.body.results[0]
  }
  return { key: keys[0]?.key ?? 0, run, ...erasures }
}

const segments = (receipt: { stores: { store: string }[] }) =>
  receipt.stores.find(({ store }) => store === 'segments')

it('the receipt of an erasure says how many segments it removed', async () => {
  const project = await newShop()
  await seal(project.id)
  const { key, run } = await askToErase(project, 'person 3')
  expect(await listSegments(project.id)).toHaveLength(1)

  const task = await run()

  expect(task.status).toBe('completed')
  expect(segments(task.receipt)).toEqual({ store: 'segments', found: 1, removed: 1, remaining: 0 })
  expect(await listSegments(project.id)).toEqual([])
  expect(await db.all(sql`select 1 from events where identity = ${key}`)).toEqual([])
  await seal(project.id)
  expect(await expectEqualToRows(project.id)).toBe(1)
})

it('the receipt names segments even if none had an event of the person', async () => {
  const project = await newShop()
  const { run } = await askToErase(project, 'person 3')

  const { receipt } = await run()

  expect(segments(receipt)).toEqual({ store: 'segments', found: 0, removed: 0, remaining: 0 })
})

it('an erasure is not completed while any segment has an event of the person', async () => {
  const project = await newShop()
  const { key, run } = await askToErase(project, 'person 3')
  // Nine segments of a name without events, since no trigger removes them; the last one has the person.
  for (let n = 0; n < 9; n += 1) {
    await db.run(sql`
      insert into segments (project_id, event_id, since, until, is_sealed, started_at, build, count, slots, cold)
      values (${project.id}, 0, ${n * SLOT}, ${(n + 1) * SLOT}, 1, 0, ${String(n)}, 2, '', null)`)
    const place = placeOfColumn({ build: String(n) }, 'identity')
    const identities = encodeNumbers(Uint32Array.of(1, n === 8 ? key : 2), place)
    await db.run(sql`
      insert into segment_columns (segment_id, name, data)
      select max(id), 'identity', ${identities} from segments where project_id = ${project.id}`)
  }

  const task = await run()

  expect(task).toMatchObject({ status: 'failed', error: expect.stringContaining('1 segments') })
  await db.run(sql`delete from segments where project_id = ${project.id} and event_id = 0`)
  expect(await run()).toMatchObject({ status: 'completed' })
})
