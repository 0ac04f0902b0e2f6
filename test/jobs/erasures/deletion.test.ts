import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { countRows, countSearchTerms, tablesWith } from '../../support/erasures.ts'
import { aroundCalls, beforeCall } from '../../support/faults.ts'
import { consume, db, request, type TestProject } from '../../support/project.ts'
import { identify, newTown, status, type Town } from '../../support/town.ts'

/** Sends a request below `persons/` to a service with this secret. */
function askWithSecret(project: TestProject, endpoint: string, sent: object, secret: string) {
  const [method = '', path] = endpoint.split(' ')
  const headers = { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' }
  const body = method === 'GET' ? undefined : JSON.stringify(sent)
  const url = `/api/projects/${project.id}/persons/${path}/`
  return request(method, url, headers, body, { RECEIPT_SECRET: secret })
}

describe('a deletion', () => {
  it('removes the person, the distinct ids and the versions, and keeps the events as those of one actor', async () => {
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
      person_count: 1,
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
  })

  it('that keeps events and recordings has a task, and a receipt that says so', async () => {
    const town = await newTown()
    const { project, ada, call, drain } = town
    await call(project, 'DELETE', `persons/${ada.id}`)
    expect((await status(town)).results).toMatchObject([
      { person_uuid: ada.uuid, status: 'queued', receipt: null }
    ])

    await drain()

    const [task] = (await status(town, '?status=completed')).results
    expect(task).toMatchObject({
      person_uuid: ada.uuid,
      delete_events: false,
      delete_recordings: false,
      scheduled_for: task.created_at,
      events: { found: null, removed: 0, remaining: null, dropped: 0 },
      recordings: null,
      error: null
    })
    expect(task.receipt).toMatchObject({ delete_events: false, delete_recordings: false })
    expect(task.receipt.kept).toEqual(
      expect.arrayContaining([
        expect.stringContaining('The events of the person, if any: the request did not ask'),
        expect.stringContaining('The recordings of the person’s sessions, if any: the request')
      ])
    )
    const names = task.receipt.stores.map(({ store }: { store: string }) => store)
    expect(names).toEqual(expect.arrayContaining(['persons', 'distinct_ids', 'queued_requests']))
    expect(names).not.toContain('events')
    const verified = await call(project, 'POST', 'persons/deletion_receipts/verify', task.receipt)
    expect(verified.body.valid).toBe(true)
  })

  it('that keeps events counts late events in its receipt', async () => {
    const town = await newTown()
    const { project, call, drain } = town
    const late = project.message([{ event: 'late', distinct_id: 'ada' }])
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['ada'] })
    await consume([late])
    await drain()

    const [task] = (await status(town)).results
    expect([task.status, task.receipt.late_events_dropped]).toEqual(['completed', 1])
  })

  it('has the events purged by the next weekly run, with a receipt', async () => {
    const town = await newTown()
    const { project, ada, call, drain, cron } = town
    await call(project, 'DELETE', `persons/${ada.uuid}?delete_events=true`)
    await drain()
    const before = (await status(town)).results[0]
    expect(before).toMatchObject({
      status: 'queued',
      person_uuid: ada.uuid,
      receipt: null,
      delete_verified_at: null
    })
    expect(before.events).toEqual({ found: null, removed: 0, remaining: null, dropped: 0 })
    expect(new Date(before.scheduled_for).getUTCDay()).toBe(0)
    expect(before.scheduled_for).toMatch(/T05:00:00Z$/)

    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 10, versions: 1 })
    const [task] = (await status(town)).results
    expect(task).toMatchObject({
      status: 'completed',
      events: { found: 22, removed: 22, remaining: 0, dropped: 0 }
    })
    expect(task.receipt).toMatchObject({
      person_uuid: ada.uuid,
      delete_events: true,
      stores: expect.arrayContaining([
        { store: 'events', found: 22, removed: 22, remaining: 0 },
        { store: 'persons', found: 1, removed: 1, remaining: 0 },
        { store: 'distinct_ids', found: 2, removed: 2, remaining: 0 },
        { store: 'search_index', found: 1, removed: 1, remaining: 0 },
        { store: 'dead_letters', found: 0, removed: 0, remaining: 0 }
      ])
    })
    const verify = (receipt: object) =>
      call(project, 'POST', 'persons/deletion_receipts/verify', receipt)
    expect((await verify(task.receipt)).body.valid).toBe(true)
    const [first, ...rest] = task.receipt.stores
    expect(
      (await verify({ ...task.receipt, stores: [{ ...first, removed: 99 }, ...rest] })).body.valid
    ).toBe(false)
    expect((await verify({ ...task.receipt, extra: 1 })).body.valid).toBe(false)
    const noted = [{ ...first, note: 'x' }, ...rest]
    expect((await verify({ ...task.receipt, stores: noted })).body.valid).toBe(false)

    const endpoints = [
      'GET deletion_status',
      'POST bulk_delete',
      `GET ../receipts/${task.receipt.id}`
    ]
    const faults = [
      ['', 'is missing'],
      ['changeme', 'has fewer than 32 characters']
    ] as const
    for (const [secret, fault] of faults) {
      const answers = await Promise.all(
        endpoints.map((endpoint) =>
          askWithSecret(project, endpoint, { distinct_ids: ['bob'] }, secret)
        )
      )
      for (const { status, body } of answers) {
        expect([status, body]).toEqual([
          503,
          {
            type: 'server_error',
            code: 'unavailable',
            detail: `Receipts cannot be signed or verified: the secret RECEIPT_SECRET ${fault}. A missing secret is generated locally by npm run dev or npm start, and on Cloudflare by npm run deploy.`,
            attr: null
          }
        ])
      }
    }
  })

  it('leaves no name and no property of the person in any table', async () => {
    const { project, call, drain, cron, held } = await newTown()
    const secret = `ǂǂǂ${crypto.randomUUID()}`
    await project.ingest([
      identify(secret, `anon-${secret}`, { email: `${secret}@example.com`, note: secret }),
      {
        event: 'said',
        distinct_id: secret,
        properties: { $set: { plan: secret }, message: secret }
      },
      { event: '$merge_dangerously', distinct_id: secret, properties: { alias: 'bob' } }
    ])
    expect(await countSearchTerms('ǂ')).toBeGreaterThan(0)
    expect(await tablesWith(secret)).toEqual([
      'distinct_ids',
      'events',
      'person_versions',
      'persons',
      'persons_search',
      'persons_search_content'
    ])

    await call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: [secret],
      delete_events: true
    })
    await cron(WEEKLY, Date.now() + 1000)
    expect(held.length).toBeGreaterThan(0)
    await drain()

    expect(await tablesWith(secret)).toEqual([])
    expect(await countSearchTerms('ǂ')).toBe(0)
  })
})

describe('a deletion with concurrent work', () => {
  const outcome = async (town: Town) => {
    const rows = await countRows(town.project.id)
    const { count } = await status(town)
    return { ...rows, tasks: count }
  }

  it.each([2, 3, 4].flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]))(
    'is done completely or not at all if it is cut at call %i, %s it takes effect, and can be repeated',
    async (call, side) => {
      const town = await newTown()
      const { project, ada } = town
      const DB = aroundCalls(env.DB, async (run, at) => {
        const result = at === call && side === 'before' ? undefined : await run()
        if (at === call) {
          throw new Error('D1_ERROR: Network connection lost.')
        }
        return result as Awaited<ReturnType<typeof run>>
      })

      const path = `persons/${ada.id}?delete_events=true`

      const cut = await town.call(project, 'DELETE', path, undefined, { DB })

      expect(cut.status).toBe(503)
      const isDone = call === 4 && side === 'after'
      expect(await outcome(town)).toMatchObject(
        isDone ? { persons: 1, tasks: 1 } : { persons: 2, tasks: 0, distinct_ids: 3 }
      )
      const again = await town.call(project, 'DELETE', path)

      expect(again.status).toBe(isDone ? 404 : 204)
      expect(await outcome(town)).toMatchObject({
        persons: 1,
        person_count: 1,
        distinct_ids: 1,
        tasks: 1,
        events: 32
      })
    }
  )

  it.each([3, 4])(
    'includes data that capture adds to the person just before call %i of the request',
    async (call) => {
      const town = await newTown()
      const { project, ada } = town
      const { DB, isReached } = beforeCall(env.DB, call, () =>
        project.ingest([
          {
            event: '$identify',
            distinct_id: 'ada',
            properties: { $anon_distinct_id: 'tablet', $set: { n: 1 } }
          },
          { event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: 'bob' } }
        ])
      )
      const path = `persons/${ada.id}`

      const { status } = await town.call(project, 'DELETE', path, undefined, { DB })

      expect([isReached(), status]).toEqual([true, 204])
      await town.drain()

      expect(await countRows(project.id)).toMatchObject({
        persons: 0,
        person_count: 0,
        distinct_ids: 0,
        versions: 0
      })
    }
  )

  it.each([2, 3])(
    'is not undone by a batch of events that it interrupts at call %i',
    async (call) => {
      const town = await newTown()
      const { project, ada } = town
      const { DB, isReached } = beforeCall(env.DB, call, () =>
        town.call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
      )
      const message = project.message([
        {
          event: '$identify',
          distinct_id: 'ada',
          properties: { $set: { email: 'back@example.com' } }
        },
        {
          event: '$identify',
          distinct_id: 'ada',
          properties: { $anon_distinct_id: 'new', $set: { back: 1 } }
        },
        { event: 'new kind', distinct_id: 'anon-ada' }
      ])
      await consume([message], 1, { DB })
      expect(isReached()).toBe(true)
      await town.cron(WEEKLY, Date.now() + 1000)
      await town.drain()

      expect(await countRows(project.id)).toMatchObject({
        persons: 1,
        person_count: 1,
        distinct_ids: 1,
        events: 10
      })
      expect((await town.call(project, 'GET', 'persons?search=back@ex')).body.count).toBe(0)
    }
  )

  it('does not bring back a person who was created and erased between a read and a write', async () => {
    const town = await newTown()
    const { project } = town
    let done = false
    const message = project.message([{ event: 'seen', distinct_id: 'eve' }])
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements.length > 5 && !done) {
        done = true
        await project.ingest([{ event: 'seen first', distinct_id: 'eve' }])
        await town.call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['eve'] })
      }
      return run()
    })
    await consume([message], 1, { DB })
    expect(done).toBe(true)

    expect((await town.call(project, 'GET', 'persons?distinct_id=eve')).body.count).toBe(0)
  })
})

it.each(['yes', '', '2', 'null', 'on'])(
  'a deletion with delete_events=%s is refused',
  async (value) => {
    const { project, ada, call } = await newTown()
    const { status, body } = await call(
      project,
      'DELETE',
      `persons/${ada.id}?delete_events=${value}`
    )
    expect([status, body.attr]).toEqual([400, 'delete_events'])
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
  }
)

it.each(['false', '0', 'False'])(
  'a deletion with delete_events=%s keeps the events',
  async (value) => {
    const { project, ada, call } = await newTown()
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=${value}`)
    expect((await call(project, 'GET', 'persons/deletion_status')).body.results).toMatchObject([
      { delete_events: false }
    ])
  }
)
