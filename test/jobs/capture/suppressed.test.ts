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

/** Whether a suppression covers a distinct id. */
async function isSuppressed(project: TestProject, distinctId: string): Promise<boolean> {
  const { body } = await project.call('GET', `persons/suppressions?distinct_id=${distinctId}`)
  return body.results.length > 0
}

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

it.each([
  ['in one batch', [[0, 1]]],
  ['in this order', [[0], [1]]],
  ['in the opposite order', [[1], [0]]]
])(
  'an id joins a suppression by a merge with a person who is merged with the suppressed one later: %s',
  async (_, batches) => {
    const project = await newProject()
    await project.ingest([alias('phone', 'old-phone')])
    const { since } = await suppress(project, 'eve')
    const messages = [
      project.message([alias('bob', 'phone')], since + 1),
      project.message([alias('bob', 'eve')], since + 2)
    ]

    for (const batch of batches) {
      await consume(batch.map((n) => messages[n]))
    }

    for (const id of ['bob', 'phone', 'old-phone']) {
      expect([id, await isSuppressed(project, id)]).toEqual([id, true])
    }
  }
)

it('an id joins the suppression of a person with whom it was merged earlier, also if the merge is processed later', async () => {
  const project = await newProject()
  await project.ingest(event('bob'))
  const { since } = await suppress(project, 'bob')

  await project.ingest([alias('bob', 'phone')], since - 1)
  await project.ingest(event('phone', 2), since - 1)
  await project.ingest(event('phone', 3), since)

  expect(await storedOf(project)).toEqual(['bob', 'bob', 'phone', 'phone'])
})

it('a merge that is already stored suppresses nobody if it arrives again', async () => {
  const project = await newProject()
  const merge = alias('bob', 'phone')
  const first = project.message([merge], Date.now() - 60_000)
  await consume([first])
  const { body } = await project.call('GET', 'persons')
  await project.send('POST', `persons/${body.results[0].id}/split`, { main_distinct_id: 'bob' })
  await suppress(project, 'bob')

  await consume([first])

  expect(await isSuppressed(project, 'phone')).toBe(false)
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
