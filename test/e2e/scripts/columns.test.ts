import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLocal, type Service } from '../../../scripts/local.ts'
import { newStateDir } from '../../support/processes.ts'
import { runAdmin } from '../../support/service.ts'

let service: Service
const run = (...words: string[]) =>
  runAdmin([...words, '--json'], async () => ({ ...service, close: async () => {} }))

async function json(...words: string[]) {
  const { code, stdout, stderr } = await run(...words)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Stores 3,000 events of 100 identities in a new project, as if they had been captured long ago. */
async function newProject(): Promise<number> {
  const { id } = await json('project', 'create', '--name', 'Shop')
  const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 3000)`
  await service.db.run(
    sql`insert into event_names (id, project_id, name) values (${id}, ${id}, 'view')`
  )
  await service.db.run(sql`${numbers}
    insert into events (project_id, event_id, timestamp, uuid, identity, properties)
    select ${id}, ${id}, 1700000000000 + n * 1000, unhex(printf('%016x%016x', ${id}, n)), ${id} * 1000 + n % 100 + 1,
      jsonb(json_object('plan', iif(n % 2, 'free', 'pro'))) from numbers`)
  await service.db.run(sql`${numbers}
    insert into distinct_ids (key, project_id, distinct_id, person_id)
    select ${id} * 1000 + n, ${id}, 'person ' || n, n from numbers where n <= 100`)
  await service.db.run(sql`
    insert into event_counts (project_id, event_id, slot, count)
    select project_id, event_id, timestamp / 900000, count(*) from events where project_id = ${id} group by 1, 2, 3`)
  return id
}

beforeAll(async () => {
  service = await openLocal(newStateDir())
  await json('user', 'create', '--first-name', 'Ada', '--email', 'ada@example.com')
})
afterAll(() => service.close())

it('npm run seal builds the columns of one project, then of all; npm run verify compares them', async () => {
  const [first, second] = [await newProject(), await newProject()]

  const one = await json('columns', 'seal', '--project', String(first))
  expect(one).toEqual({ sealed: [{ database: 'DB', chunks: 1, segments: 1, events: 3_000 }] })
  const all = await json('columns', 'seal')
  expect(all).toEqual({ sealed: [{ database: 'DB', chunks: 1, segments: 1, events: 3_000 }] })
  const again = await json('columns', 'seal')
  expect(again).toEqual({ sealed: [{ database: 'DB', chunks: 0, segments: 0, events: 0 }] })

  const { verified } = await json('counts', 'verify')
  expect(verified[0].columns).toMatchObject({
    segments: 2,
    wrong_segments: 0,
    chunks: 2,
    wrong_chunks: 0
  })
  await service.db.run(sql`update segments set count = 2999 where project_id = ${second}`)
  const damaged = await json('counts', 'verify')
  expect(damaged.verified[0].columns).toMatchObject({
    wrong_segments: 1,
    first_segments: [{ project_id: second, column: 'encoding' }]
  })
  expect(process.exitCode).toBe(1)
  process.exitCode = 0
})

it('npm run seal refuses a project that does not exist', async () => {
  expect(await run('columns', 'seal', '--project', '99')).toMatchObject({
    code: 1,
    stderr: '--project: There is no project 99.'
  })
})
