import { sql } from 'drizzle-orm'
import { afterAll, expect, it } from 'vitest'
import { consume, db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { event } from '../../support/town.ts'

afterAll(untilQuiet)

/** Suppresses a distinct id. Returns the suppression's id and when it began, ms UTC. */
async function suppress(project: TestProject, distinctId: string) {
  const answer = await project.send('POST', 'persons/suppressions', { distinct_ids: [distinctId] })
  const { body } = await project.call('GET', 'persons/suppressions')
  const [id]: string[] = answer.body.results[0].suppressions
  return { id, since: Date.parse(body.results[0].since) }
}

/** Lists the distinct ids of the stored events. */
const storedOf = async (project: TestProject): Promise<string[]> => {
  const rows = await db.all<{ name: string }>(
    sql`select distinct_id as name from events join distinct_ids on key = identity
        where events.project_id = ${project.id} order by 1`
  )
  return rows.map(({ name }) => name)
}

const alias = (distinct_id: string, alias: string) => ({
  event: '$create_alias',
  distinct_id,
  properties: { alias }
})

it('events of an id that has joined a suppression are stored when accepted after the lift', async () => {
  const project = await newProject()
  const { id, since } = await suppress(project, 'eve')
  const lifted = await project.send('POST', `persons/suppressions/${id}/lift`)
  const until = Date.parse(lifted.body.lifted_at)

  const { explicitAcks } = await consume([
    project.message([alias('eve', 'phone'), ...event('phone', 2)], since),
    project.message(event('phone', 3), until)
  ])

  expect(explicitAcks).toHaveLength(2)
  expect(await storedOf(project)).toEqual(['phone', 'phone', 'phone'])
})

it('an id joins a suppression from its earliest link on, also if that link is processed last', async () => {
  const project = await newProject()
  const { since } = await suppress(project, 'eve')
  await project.ingest([alias('eve', 'phone')], since + 2_000)
  await project.ingest([alias('eve', 'phone')], since + 1_000)

  await project.ingest(event('phone', 2), since + 1_500)
  await project.ingest(event('phone', 3), since + 500)

  expect(await storedOf(project)).toEqual(['phone', 'phone', 'phone'])
})

it('a merge of stored persons takes effect even after many events of a suppressed id in its batch', async () => {
  const project = await newProject()
  await project.ingest([...event('bob'), ...event('bobs-phone')])
  const { since } = await suppress(project, 'eve')
  const merges = Array.from({ length: 400 }, (_, n) => ({
    ...alias('eve', `eve-${n}`),
    timestamp: since
  }))

  const { explicitAcks } = await project.ingest(
    [...merges, { ...alias('bob', 'bobs-phone'), timestamp: since + 1 }],
    since + 2
  )

  expect(explicitAcks).toHaveLength(1)
  expect(await storedOf(project)).toEqual(['bob', 'bob', 'bobs-phone'])
  const { body } = await project.call('GET', 'persons')
  expect(body.results.map((person: { distinct_ids: string[] }) => person.distinct_ids)).toEqual([
    ['bob', 'bobs-phone']
  ])
})
