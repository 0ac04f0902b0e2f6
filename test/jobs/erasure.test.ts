import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { countRows, holdErasures, searchTerms, tablesWith, WEEKLY } from '../support/erasures.ts'
import { consume, db, newProject, type TestEvent } from '../support/project.ts'

const AT = Date.UTC(2026, 10, 1)

const identify = (distinct_id: string, anon: string, $set = {}): TestEvent => ({
  event: '$identify',
  distinct_id,
  timestamp: AT,
  properties: { $anon_distinct_id: anon, $set }
})
const event = (distinct_id: string, n = 1): TestEvent[] =>
  Array.from({ length: n }, (_, i) => ({ event: `event ${i % 3}`, distinct_id, timestamp: AT + i }))

/** A project with Ada (two ids, 22 events) and Bob (10 events). */
async function newTown() {
  const project = await newProject()
  await project.ingest([
    ...event('anon-ada', 10),
    identify('ada', 'anon-ada', { email: 'ada@example.com', name: 'Ada' }),
    ...event('ada', 10),
    { event: '$set', distinct_id: 'ada', timestamp: AT + 5, properties: { $set: { plan: 'pro' } } },
    ...event('bob', 10)
  ])
  const { body } = await project.call('GET', 'persons?distinct_id=ada')
  const ada: { id: number; uuid: string } = body.results[0]
  return { project, ada, ...holdErasures() }
}

const status = async (town: Awaited<ReturnType<typeof newTown>>, query = '') =>
  (await town.call(town.project, 'GET', `persons/deletion_status${query}`)).body

describe('a deletion', () => {
  it('takes the person, the distinct ids and the versions, and leaves the events as those of one actor', async () => {
    const town = await newTown()
    const { project, ada, call, drain } = town

    const { status, text } = await call(project, 'DELETE', `persons/${ada.id}`)
    await drain()

    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(404)
    expect((await call(project, 'DELETE', `persons/${ada.id}`)).status).toBe(404)
    expect((await call(project, 'GET', 'persons?search=ada@exa')).body.count).toBe(0)
    expect(await countRows(project.id)).toEqual({
      persons: 1,
      counted: 1,
      distinct_ids: 1,
      versions: 1,
      search: 0,
      events: 32
    })
    const actors = await db.all(sql`
      select distinct coalesce(d.person_id, t.person_id) as actor from events e
      left join distinct_ids d on d.key = e.identity left join erased_identities t on t.key = e.identity
      where e.project_id = ${project.id}`)
    expect(actors).toHaveLength(2)
    expect((await call(project, 'GET', 'persons/deletion_status')).body.count).toBe(0)
  })

  it('has the events removed by the next weekly batch, and proves it', async () => {
    const town = await newTown()
    const { project, ada, call, drain, cron } = town
    await call(project, 'DELETE', `persons/${ada.uuid}?delete_events=true`)
    await drain()
    const before = (await status(town)).results[0]
    expect(before).toMatchObject({ status: 'queued', person_uuid: ada.uuid, receipt: null, delete_verified_at: null })
    expect(before.events).toEqual({ found: null, removed: 0, remaining: null, dropped: 0 })
    expect(new Date(before.scheduled_for).getUTCDay()).toBe(0)
    expect(before.scheduled_for).toMatch(/T05:00:00.000Z$/)

    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 10, versions: 1 })
    const [task] = (await status(town)).results
    expect(task).toMatchObject({ status: 'completed', events: { found: 22, removed: 22, remaining: 0, dropped: 0 } })
    expect(task.receipt).toMatchObject({
      person_uuid: ada.uuid,
      delete_events: true,
      stores: expect.arrayContaining([
        { store: 'events', found: 22, removed: 22, remaining: 0 },
        { store: 'persons', found: 1, removed: 1, remaining: 0 },
        { store: 'distinct_ids', found: 2, removed: 2, remaining: 0 },
        { store: 'search_index', found: 0, removed: 0, remaining: 0 }
      ])
    })
    const verify = (receipt: object) => call(project, 'POST', 'persons/deletion_receipts/verify', receipt)
    expect((await verify(task.receipt)).body.valid).toBe(true)
    const [first, ...rest] = task.receipt.stores
    expect((await verify({ ...task.receipt, stores: [{ ...first, removed: 99 }, ...rest] })).body.valid).toBe(false)
    expect((await verify({ ...task.receipt, extra: 1 })).body.valid).toBe(false)
  })

  it('leaves nothing that the person was called or had, in any table', async () => {
    const { project, call, drain, cron, held } = await newTown()
    const secret = `ǂǂǂ${crypto.randomUUID()}`
    await project.ingest([
      identify(secret, `anon-${secret}`, { email: `${secret}@example.com`, note: secret }),
      { event: 'said', distinct_id: secret, properties: { $set: { plan: secret }, message: secret } },
      { event: '$merge_dangerously', distinct_id: secret, properties: { alias: 'bob' } }
    ])
    expect(await searchTerms('ǂ')).toBeGreaterThan(0)
    expect(await tablesWith(secret)).toEqual([
      'distinct_ids',
      'events',
      'person_versions',
      'persons',
      'persons_search',
      'persons_search_content'
    ])

    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: [secret], delete_events: true })
    await cron(WEEKLY, Date.now() + 1000)
    expect(held.length).toBeGreaterThan(0)
    await drain()

    expect(await tablesWith(secret)).toEqual([])
    expect(await searchTerms('ǂ')).toBe(0)
  })
})

describe('events that come after the deletion of whose they were', () => {
  it('go with the others when they were accepted before, and start a new person when after', async () => {
    const { project, ada, call, drain, cron } = await newTown()
    const late = project.message(event('ada', 3))
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=1`)
    await consume([late])
    await project.ingest(event('ada', 2), Date.now() + 60_000)
    expect(await countRows(project.id)).toMatchObject({ persons: 2, distinct_ids: 2, events: 37 })

    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await countRows(project.id)).toMatchObject({ persons: 2, distinct_ids: 2, events: 12 })
  })
})
