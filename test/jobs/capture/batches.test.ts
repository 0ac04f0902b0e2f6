import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { incomingOf } from '../../../src/capture/changes.ts'
import { ingestEvents } from '../../../src/capture/ingest.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { newProject, type TestEvent, type TestProject } from '../../support/project.ts'

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`)

const known = numbered('known', 10)
const leads = numbered('lead', 5)
const devices = numbered('device', 5)

const identify = (distinct_id: string, host: string): TestEvent => ({
  event: '$identify',
  distinct_id,
  properties: { $set: { email: `${distinct_id}@${host}` } }
})

/** Events that change each known person; each of the first five also takes over a lead and a device. */
const changes: TestEvent[] = [
  ...known.map((name) => identify(name, 'example.org')),
  ...[...leads, ...devices].map((alias, n) => ({
    event: '$create_alias',
    distinct_id: known[n % 5] ?? '',
    properties: { alias }
  }))
]

async function prepare(others: number): Promise<TestProject> {
  const project = await newProject()
  const persons = [...known, ...leads, ...numbered('other', others)]
  const anonymous = { $process_person_profile: false }
  await project.ingest([
    ...persons.map((name) => identify(name, 'example.com')),
    ...devices.map((distinct_id) => ({ distinct_id, properties: anonymous }))
  ])
  return project
}

it('a batch changes stored persons, merges leads into them and attaches devices to them', async () => {
  const project = await prepare(0)

  await project.ingest(changes)

  const { body } = await project.call('GET', 'persons/')
  const persons = body.results.map(
    (person: { properties: { email: string }; distinct_ids: string[] }) => [
      person.properties.email,
      ...person.distinct_ids
    ]
  )
  expect(persons.sort()).toEqual(
    known.map((name, n) => [
      `${name}@example.org`,
      name,
      ...leads.slice(n, n + 1),
      ...devices.slice(n, n + 1)
    ])
  )
})

it('the number of rows that a batch reads hardly depends on how many other persons the project has', async () => {
  const rowsRead = async (others: number) => {
    const project = await prepare(others)
    const events = incomingOf(project.message(changes))
    const usage = newUsage()
    await ingestEvents(openDb(env.DB, usage).db, { id: project.id, erasureSalt: '' }, events)
    return usage.rowsRead
  }

  const rowsInSmallProject = await rowsRead(0)

  expect(await rowsRead(500)).toBeLessThan(rowsInSmallProject * 1.2)
})
