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

const mail = (distinct_id: string, host: string): TestEvent => ({
  event: '$identify',
  distinct_id,
  properties: { $set: { email: `${distinct_id}@${host}` } }
})

/** Events that change each known person; half of the persons also take over a lead or a device. */
const changes: TestEvent[] = [
  ...known.map((name) => mail(name, 'example.org')),
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
    ...persons.map((name) => mail(name, 'example.com')),
    ...devices.map((distinct_id) => ({ distinct_id, properties: anonymous }))
  ])
  return project
}

it('a batch changes, merges and attaches several stored persons', async () => {
  const project = await prepare(0)

  await project.ingest(changes)

  const { body } = await project.call('GET', 'persons/')
  const emails = body.results.map(
    (person: { properties: { email: string } }) => person.properties.email
  )
  expect(emails.sort()).toEqual(known.map((name) => `${name}@example.org`))
})

it('a batch reads no more rows because the project has many other persons', async () => {
  const rowsRead = async (others: number) => {
    const project = await prepare(others)
    const received_at = Date.now()
    const events = incomingOf({ ...project.message(changes), received_at })
    const usage = newUsage()
    await ingestEvents(openDb(env.DB, usage).db, { id: project.id, erasureSalt: '' }, events)
    return usage.rowsRead
  }

  const inSmall = await rowsRead(0)

  expect(await rowsRead(500)).toBeLessThan(inSmall * 1.2)
})
