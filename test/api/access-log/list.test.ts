import { env } from 'cloudflare:workers'
import { v7 as uuidv7 } from 'uuid'
import { expect, it } from 'vitest'
import type { AccessEntry } from '../../../src/access-log/entry.ts'
import { folderOf, writeEntries } from '../../../src/access-log/lines.ts'
import { searchAccess } from '../../../src/access-log/search.ts'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import { accessObjects, holdReads } from '../../support/access-log.ts'
import { failingBucket } from '../../support/bindings.ts'
import { newProject, type TestProject } from '../../support/project.ts'

const ADA = '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
const BOB = '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6072'
const NOON = Date.parse('2026-11-20T12:00:00Z')

const entry = (project: TestProject, at: number, more: Partial<AccessEntry> = {}): AccessEntry => ({
  id: uuidv7({ msecs: at }),
  at,
  project_id: project.id,
  request_id: 'request',
  key: { id: 7, label: 'support' },
  user: { id: 1, email: 'grace@example.com' },
  operation: 'persons_retrieve',
  object: 'person',
  object_id: ADA,
  filters: {},
  count: 1,
  persons: [ADA],
  ...more
})

const list = async (project: TestProject, path: string) =>
  (await project.call('GET', `access_log${path}`)).body

/** Follows `next` from the first page to the last. */
async function listAll(project: TestProject, path: string): Promise<string[]> {
  const ids: string[] = []
  for (let query: string | undefined = path; query !== undefined; ) {
    const { next, results } = await list(project, query)
    ids.push(...results.map(({ id }: AccessEntry) => id))
    query = next ? new URL(next).search : undefined
  }
  return ids
}

it('lists who has read about a person, with a key, in a range of time, newest first', async () => {
  const project = await newProject()
  const other = await newProject()
  const { deliver } = holdReads()
  const entries = [
    entry(project, NOON),
    entry(project, NOON + HOUR, { key: { id: 8, label: 'audit' } }),
    entry(project, NOON + DAY, { object_id: BOB, persons: [BOB] }),
    entry(project, NOON + 2 * DAY, { object: 'list', object_id: null, persons: [BOB, ADA] })
  ]
  const [first, audit, bob, both] = entries.map(({ id }) => id)
  await deliver([...entries, entry(other, NOON)])

  const found = async (path: string) =>
    (await list(project, path)).results.map(({ id }: AccessEntry) => id)
  expect(await found('')).toEqual([both, bob, audit, first])
  expect(await found(`?person=${ADA}`)).toEqual([both, audit, first])
  expect(await found(`?person=${ADA.toUpperCase()}&key=8`)).toEqual([audit])
  expect(await found('?since=2026-11-21T12:00:00Z')).toEqual([both, bob])
  expect(await found('?until=2026-11-21T12:00:00Z')).toEqual([audit, first])
  expect(await accessObjects(project.id)).toHaveLength(3)
})

it('has every entry once on its pages, however it was delivered and divided', async () => {
  const project = await newProject()
  const { deliver } = holdReads()
  const entries = Array.from({ length: 25 }, (_, n) => entry(project, NOON + (n % 5) * 6 * HOUR))
  await deliver(entries)
  await deliver(entries)
  await deliver(entries.slice(5, 15))

  for (const limit of [1, 4, 25, 100]) {
    const ids = await listAll(project, `?limit=${limit}`)
    expect(ids.toSorted()).toEqual(entries.map(({ id }) => id).sort())
  }
})

it('stores a batch that is delivered again as the same object', async () => {
  const project = await newProject()
  const { deliver } = holdReads()
  const entries = [entry(project, NOON), entry(project, NOON + 1)]
  await deliver(entries)
  const objects = await accessObjects(project.id)
  await deliver(entries)

  expect(await accessObjects(project.id)).toEqual(objects)
})

it('returns messages to the queue if the bucket takes nothing, and loses none', async () => {
  const project = await newProject()
  const { deliver } = holdReads()
  const read = entry(project, NOON)

  const { retryMessages, explicitAcks } = await deliver([read], { BUCKET: failingBucket() })
  expect([retryMessages.length, explicitAcks.length]).toEqual([1, 0])
  await deliver([read])

  expect(await listAll(project, '')).toEqual([read.id])
})

it('continues a search that would read too many objects', async () => {
  const project = await newProject()
  const days = [0, 1, 2].map((n) => entry(project, NOON + n * DAY))
  for (const one of days) {
    await writeEntries(env.BUCKET, folderOf(one), [one])
  }
  const query = {
    projectId: project.id,
    person: undefined,
    key: undefined,
    since: 0,
    until: NOON + 9 * DAY,
    after: undefined,
    limit: 100
  }

  const found = await searchAccess(env.BUCKET, query, 2)
  expect(found).toEqual({
    entries: [days[2], days[1]],
    searchedUntil: Date.parse('2026-11-21T00:00:00Z')
  })
  const after = { at: found.searchedUntil ?? 0, id: '' }
  expect((await searchAccess(env.BUCKET, { ...query, after })).entries).toEqual([days[0]])
})

it.each([
  ['person=ada', 'person'],
  ['key=first', 'key'],
  ['since=soon', 'since'],
  ['since=2026-11-21&until=2026-11-20', 'since'],
  ['cursor=x', 'cursor'],
  ['who=ada', 'who']
])('refuses %s', async (query, attr) => {
  const project = await newProject()
  const answer = await project.call('GET', `access_log?${query}`)

  expect(answer.status).toBe(400)
  expect(answer.body.attr).toBe(attr)
})
