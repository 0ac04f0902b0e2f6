import { env } from 'cloudflare:workers'
import { afterAll, expect, it } from 'vitest'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { holdErasures } from '../../support/erasures.ts'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { until } from '../../support/until.ts'

afterAll(untilQuiet)

const { DB, DB_TWO } = env as typeof env & { DB_TWO: D1Database }

const countRows = (
  database: D1Database,
  table: 'persons' | 'events' | 'distinct_ids',
  projectId: number
) =>
  database
    .prepare(`select count(*) as n from ${table} where project_id = ?`)
    .bind(projectId)
    .first<number>('n')

it('a project’s data is written to, and read from, only the database named in its row', async () => {
  const [near, far] = [await newProject(), await newProject({ database: 'DB_TWO' })]
  for (const { token } of [near, far]) {
    const event = {
      event: '$identify',
      distinct_id: 'ada',
      properties: { $set: { email: 'ada@example.com' } }
    }
    const sent = await request(
      'POST',
      '/batch/',
      {},
      JSON.stringify({ api_key: token, batch: [event] })
    )
    expect(sent.status).toBe(200)
  }
  for (const project of [near, far]) {
    await until(async () => (await project.call('GET', 'persons/')).body.count === 1)
  }

  for (const table of ['persons', 'events', 'distinct_ids'] as const) {
    expect(
      [await countRows(DB, table, near.id), await countRows(DB_TWO, table, near.id)],
      table
    ).toEqual([1, 0])
    expect(
      [await countRows(DB, table, far.id), await countRows(DB_TWO, table, far.id)],
      table
    ).toEqual([0, 1])
  }
  const { headers, body } = await far.call('GET', 'persons/?email=ada@example.com')
  expect(body.results).toMatchObject([{ distinct_ids: ['ada'] }])
  expect(headers.get('x-d1-bookmark')).toMatch(/^DB_TWO\./)
})

it('the weekly cron removes the events of erased persons from every database', async () => {
  const erasures = holdErasures()
  const projects = [await newProject(), await newProject({ database: 'DB_TWO' })] as const
  for (const project of projects) {
    await project.ingest([{ distinct_id: 'ada' }, { distinct_id: 'bob' }])
    const { id } = (await project.call('GET', 'persons/?distinct_id=ada')).body.results[0]
    await erasures.call(project, 'DELETE', `persons/${id}/?delete_events=true`)
  }

  await erasures.cron(WEEKLY, Date.now() + 1000)
  await erasures.drain()

  const [near, far] = projects
  expect([
    await countRows(DB, 'events', near.id),
    await countRows(DB_TWO, 'events', far.id)
  ]).toEqual([1, 1])
  for (const project of projects) {
    expect((await project.call('GET', 'persons/deletion_status/')).body.results).toMatchObject([
      { status: 'completed', events: { found: 1, removed: 1, remaining: 0 } }
    ])
  }
})

it('a project whose database is not bound is unavailable, and its events wait', async () => {
  const lost = await newProject({ database: 'DB_GONE' })

  const { status, body } = await lost.call('GET', 'persons/')
  expect(status).toBe(503)
  expect(body).toMatchObject({
    code: 'unavailable',
    detail: 'The project’s database DB_GONE is not bound to this deployment.'
  })
  const { retryMessages, explicitAcks } = await lost.ingest([{ distinct_id: 'ada' }])
  expect([retryMessages.length, explicitAcks.length]).toEqual([1, 0])
})
