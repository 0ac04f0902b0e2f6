import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { writeBatch } from '../../../../src/db/batch.ts'
import type { ActivityEntry } from '../../../../src/persons/activity/entry.ts'
import { activityStatements } from '../../../../src/persons/activity/store.ts'
import { UUID_V7 } from '../../../support/capture.ts'
import { beforeCall } from '../../../support/faults.ts'
import { expectSound } from '../../../support/invariants.ts'
import { consume, db, newProject, type TestProject } from '../../../support/project.ts'
import { untilQuiet } from '../../../support/queue.ts'

afterAll(untilQuiet)

const NOT_FOUND = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null }

type Row = { id: string; activity: string; item_id: string; detail: { changes: unknown[] } }

async function newAda() {
  const project = await newProject()
  await project.ingest([
    {
      event: '$identify',
      distinct_id: 'ada',
      properties: { $set: { plan: 'free', theme: 'dark', tags: ['a'] } }
    }
  ])
  const { body } = await project.call('GET', 'persons')
  const ada: { id: number; uuid: string } = body.results[0]
  return { project, ada, path: `persons/${ada.id}/` }
}

const idOf = async (project: TestProject, distinctId: string): Promise<number> =>
  (await project.call('GET', `persons?distinct_id=${distinctId}`)).body.results[0].id

const changesOf = (body: { results: Row[] }) =>
  body.results.map(({ activity, detail }) => [activity, ...detail.changes])

describe('GET persons/{id}/activity/', () => {
  it('is empty for a person without activity', async () => {
    const { project, path } = await newAda()

    const { status, body } = await project.call('GET', `${path}activity/`)

    expect([status, body]).toEqual([200, { count: 0, next: null, previous: null, results: [] }])
  })

  it('shows who changed which properties, with which key and when, newest first', async () => {
    const { project, ada, path } = await newAda()
    const from = Date.now()
    await project.send('PATCH', path, {
      properties: { plan: 'pro', theme: 'dark', seats: 5, tags: ['a', 'b'] }
    })
    await project.send('POST', `${path}delete_property/`, { $unset: 'theme' })

    const { status, body } = await project.call('GET', `${path}activity/`)

    const common = {
      id: expect.stringMatching(UUID_V7),
      user: { id: project.user.id, first_name: 'Ada', email: project.user.email, is_system: false },
      key: { id: expect.any(Number), label: 'test' },
      scope: 'Person',
      item_id: String(ada.id),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/)
    }
    const detail = { name: null, short_id: null, trigger: null, type: null }
    const change = { type: 'Person', action: 'changed', field: 'properties' }
    expect(status).toBe(200)
    expect(body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [
        {
          ...common,
          activity: 'delete_property',
          detail: {
            ...detail,
            name: ada.uuid,
            changes: [{ ...change, before: { theme: 'dark' }, after: {} }]
          }
        },
        {
          ...common,
          activity: 'updated',
          detail: {
            ...detail,
            changes: [
              {
                ...change,
                before: { plan: 'free', tags: ['a'] },
                after: { plan: 'pro', seats: 5, tags: ['a', 'b'] }
              }
            ]
          }
        }
      ]
    })
    expect(Date.parse(body.results[0].created_at)).toBeGreaterThanOrEqual(from)
    expect((await project.call('GET', `persons/${ada.uuid}/activity`)).body).toEqual(body)
    expect((await project.call('GET', 'persons/activity')).body).toEqual(body)
  })

  it('names the user as at the time of the change', async () => {
    const { project, path } = await newAda()
    await project.send('PATCH', path, { properties: { plan: 'pro' } })
    await db.run(sql`update users set first_name = 'Grace' where id = ${project.user.id}`)

    const { body } = await project.call('GET', `${path}activity/`)

    expect(body.results[0].user.first_name).toBe('Ada')
  })

  it('shows a merge by events, and below it the entries of the merged person', async () => {
    const { project, ada, path } = await newAda()
    await project.ingest([
      { distinct_id: 'phone', properties: { $set: { app: 1 } } },
      { distinct_id: 'eve', properties: { $set: { app: 2 } } }
    ])
    const phone = await idOf(project, 'phone')
    await project.send('PATCH', `persons/${phone}/`, { properties: { app: 2 } })
    const received = Date.UTC(2026, 10, 1)
    const { body: before } = await project.call('GET', `persons/${phone}/`)

    await project.ingest(
      [{ event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'phone' } }],
      received
    )

    const { body } = await project.call('GET', `${path}activity/`)
    expect(body.results).toMatchObject([
      {
        user: { id: null, first_name: 'System', email: null, is_system: true },
        key: null,
        activity: 'merged',
        item_id: String(ada.id),
        detail: {
          changes: [
            {
              type: 'Person',
              action: 'merged',
              field: 'distinct_ids',
              before: null,
              after: { uuid: before.uuid, distinct_ids: ['phone'] }
            }
          ]
        },
        created_at: '2026-11-01T00:00:00Z'
      },
      { activity: 'updated', item_id: String(phone) }
    ])
    expect(body.count).toBe(2)
    expect((await project.call('GET', `persons/${phone}/activity`)).status).toBe(404)
    await expectSound(project.id)
  })

  it('follows a person through merges of merged persons', async () => {
    const { project, path } = await newAda()
    await project.ingest([{ distinct_id: 'x' }, { distinct_id: 'y' }, { distinct_id: 'z' }])
    await project.send('PATCH', `persons/${await idOf(project, 'z')}/`, {
      properties: { from: 'z' }
    })
    const merge = (into: string, from: string) => ({
      event: '$merge_dangerously',
      distinct_id: into,
      properties: { alias: from }
    })

    await project.ingest([merge('y', 'z')])
    await project.ingest([
      { ...merge('x', 'y'), timestamp: Date.now() - 10 },
      { ...merge('ada', 'x'), timestamp: Date.now() - 5 }
    ])

    const { body } = await project.call('GET', `${path}activity/`)
    expect(body.results.map(({ activity }: Row) => activity)).toEqual([
      'merged',
      'merged',
      'merged',
      'updated'
    ])
    expect(changesOf(body).slice(0, 3)).toMatchObject([
      ['merged', { after: { distinct_ids: ['x'] } }],
      ['merged', { after: { distinct_ids: ['y', 'z'] } }],
      ['merged', { after: { distinct_ids: ['z'] } }]
    ])
    await expectSound(project.id)
  })

  it('leaves out distinct ids that were erased', async () => {
    const { project, path } = await newAda()
    await project.ingest([{ distinct_id: 'phone', properties: { $set: { app: 1 } } }])
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'phone' } }
    ])
    await db.run(
      sql`delete from distinct_ids where project_id = ${project.id} and distinct_id = 'phone'`
    )

    const { body, text } = await project.call('GET', `${path}activity/`)

    expect(changesOf(body)).toMatchObject([['merged', { after: { distinct_ids: [] } }]])
    expect(text).not.toContain('phone')
  })

  it.each([1, 2, 3])(
    'shows a merge once if two consumers process it, one before call %i of the other',
    async (call) => {
      const { project, path } = await newAda()
      await project.ingest([{ distinct_id: 'phone', properties: { $set: { app: 1 } } }])
      const message = project.message([
        { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'phone' } }
      ])
      const { DB, isReached } = beforeCall(env.DB, call, () => consume([message]))

      await consume([message], 1, { DB })

      expect(isReached()).toBe(true)
      expect((await project.call('GET', `${path}activity/`)).body.count).toBe(1)
      await expectSound(project.id)
    }
  )

  it('does not find an unknown person, and refuses an invalid id', async () => {
    const { project } = await newAda()
    const other = await newAda()

    for (const id of [999_999_999, other.ada.id, other.ada.uuid]) {
      for (const query of ['', '?format=csv']) {
        expect(await project.call('GET', `persons/${id}/activity/${query}`)).toMatchObject({
          status: 404,
          body: NOT_FOUND
        })
      }
    }
    expect((await project.call('GET', 'persons/ada/activity/')).body).toMatchObject({ attr: 'id' })
  })

  it('is empty for a client that prefers the documented empty body', async () => {
    const { project, path } = await newAda()

    const { status, text } = await project.call('GET', `${path}activity/`, {
      Prefer: 'return=minimal'
    })

    expect([status, text]).toEqual([200, ''])
  })
})

describe('pages of activity', () => {
  const ACTOR = {
    user: { id: 1, first_name: 'Grace', email: 'g@example.com' },
    key: { id: 1, label: 'k' }
  }

  /** Creates twelve numbered entries of Ada, each followed by an entry of somebody else. */
  async function newLog() {
    const { project, ada, path } = await newAda()
    const entry = (itemId: number, n: number): ActivityEntry => ({
      scope: 'Person',
      itemId,
      activity: 'updated',
      actor: ACTOR,
      detail: {
        name: null,
        changes: [
          { type: 'Person', action: 'changed', field: 'properties', before: {}, after: { n } }
        ]
      },
      at: 1_700_000_000_000
    })
    const entries = Array.from({ length: 12 }, (_, n) => [
      entry(ada.id, n),
      entry(ada.id + 1_000_000, 100 + n)
    ]).flat()
    await writeBatch(db, activityStatements(project.id, entries))
    return { project, path: `${path}activity/`, ada }
  }
  const numbers = (body: { results: { detail: { changes: { after: { n: number } }[] } }[] }) =>
    body.results.map(({ detail }) => detail.changes[0]?.after.n)
  const follow = (project: TestProject, url: string) =>
    project.call('GET', url.split(`${project.id}/`)[1] ?? '')

  it('lead to the next page, with each entry once', async () => {
    const { project, path } = await newLog()

    const first = await project.call('GET', `${path}?limit=5`)
    const second = await follow(project, first.body.next)
    const third = await follow(project, second.body.next)

    expect([first, second, third].map(({ body }) => numbers(body))).toEqual([
      [11, 10, 9, 8, 7],
      [6, 5, 4, 3, 2],
      [1, 0]
    ])
    expect([first, second, third].map(({ body }) => body.count)).toEqual([12, 12, 12])
    expect(third.body.next).toBeNull()
    expect(first.body.previous).toBeNull()
    expect(numbers((await follow(project, third.body.previous)).body)).toEqual([6, 5, 4, 3, 2])
  })

  it('stay the same while new entries arrive', async () => {
    const { project, path, ada } = await newLog()
    const first = await project.call('GET', `${path}?limit=5`)
    await project.send('PATCH', `persons/${ada.id}/`, { properties: { n: 99 } })

    const { body } = await follow(project, first.body.next)

    expect(numbers(body)).toEqual([6, 5, 4, 3, 2])
    expect((await project.call('GET', path)).body.count).toBe(13)
  })

  it.each([
    ['limit=5&offset=10', [1, 0]],
    ['limit=5&page=1', [11, 10, 9, 8, 7]],
    ['limit=5&page=3', [1, 0]],
    ['limit=5&page=4', []],
    ['offset=12', []]
  ])('can be requested by number: %s', async (query, expected) => {
    const { project, path } = await newLog()

    const { status, body } = await project.call('GET', `${path}?${query}`)

    expect([status, body.count, numbers(body)]).toEqual([200, 12, expected])
  })

  it('lead on from a numbered page, and back', async () => {
    const { project, path } = await newLog()
    const { body } = await project.call('GET', `${path}?limit=5&page=2`)

    expect(new URL(body.next).searchParams.has('page')).toBe(false)
    expect(numbers((await follow(project, body.next)).body)).toEqual([1, 0])
    expect(numbers((await follow(project, body.previous)).body)).toEqual([11, 10, 9, 8, 7])
  })

  it('of a whole project have the entries of all persons, including deleted persons', async () => {
    const { project } = await newLog()

    const { body } = await project.call('GET', 'persons/activity/?limit=3')

    expect([body.count, numbers(body)]).toEqual([24, [111, 11, 110]])
    expect(numbers((await follow(project, body.next)).body)).toEqual([10, 109, 9])
  })

  it('of one person do not reuse the count of another', async () => {
    const { project, path, ada } = await newLog()
    await project.ingest([{ distinct_id: 'eve' }])
    const { body } = await project.call('GET', `${path}?limit=5`)
    const cursor = new URL(body.next).searchParams.get('cursor')

    const eve = await project.call(
      'GET',
      `persons/${await idOf(project, 'eve')}/activity/?cursor=${cursor}`
    )

    expect(eve.body).toMatchObject({ count: 0, next: null, results: [] })
    expect(
      (await project.call('GET', `persons/${ada.uuid}/activity/?cursor=${cursor}`)).body.count
    ).toBe(12)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['offset=-1', 'offset'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=last', 'page'],
    ['cursor=x', 'cursor'],
    ['format=xml', 'format']
  ])('are refused for %s', async (query, attr) => {
    const { project, path } = await newLog()

    for (const list of [path, 'persons/activity/']) {
      const { status, body } = await project.call('GET', `${list}?${query}`)
      expect([status, body.attr, body.type]).toEqual([400, attr, 'validation_error'])
    }
  })

  it('can be requested by number in CSV, with a limit above the largest page of JSON', async () => {
    const { project, path } = await newLog()
    const rowsOf = async (query: string) =>
      (await project.call('GET', `${path}?format=csv&${query}`)).text.split('\r\n').slice(1, -1)

    expect(await rowsOf('limit=5&page=3')).toEqual(await rowsOf('limit=5&offset=10'))
    expect(await rowsOf('limit=5000&page=1')).toHaveLength(12)
    await db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1100)
      insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
      select project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at
      from numbers cross join (select * from activity where project_id = ${project.id} order by id limit 1)`)
    const pages = [await rowsOf('limit=1100&page=1'), await rowsOf('limit=1100&page=2')]
    expect(pages.map((rows) => rows.length)).toEqual([1100, 12])
  })

  it('cannot be requested by number in CSV without a limit', async () => {
    const { project, path } = await newLog()

    const { status, body } = await project.call('GET', `${path}?format=csv&page=2`)

    expect([status, body.attr]).toEqual([400, 'page'])
    expect(body.detail).toBe('In CSV, `page` needs a `limit`.')
  })

  it('show as many distinct ids of an entry as fit', async () => {
    const { project, ada } = await newAda()
    await db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5000)
      insert into distinct_ids (key, project_id, distinct_id, person_id)
      select 1000000 + n, ${project.id}, n || printf('%.*c', 195, char(1)), ${ada.id} from numbers`)
    const keys = await db.all<{ key: number }>(
      sql`select key from distinct_ids where project_id = ${project.id} order by key`
    )
    const ids = keys.map(({ key }) => key)
    const entry: ActivityEntry = {
      scope: 'Person',
      itemId: ada.id,
      activity: 'split_person',
      actor: ACTOR,
      detail: {
        name: ada.uuid,
        changes: [
          {
            type: 'Person',
            action: 'split',
            field: 'distinct_ids',
            before: null,
            after: null,
            identities: { distinct_ids: ids, split_off: ids.slice(1) }
          }
        ]
      },
      at: 0
    }
    await writeBatch(db, activityStatements(project.id, [entry]))

    const { status, body } = await project.call('GET', 'persons/activity/')

    const { distinct_ids, split_off } = body.results[0].detail.changes[0].after
    expect([status, distinct_ids[0]]).toEqual([200, 'ada'])
    expect(distinct_ids.length).toBeGreaterThan(800)
    expect(split_off).toEqual(distinct_ids.slice(1))
  })

  it('have one row for each entry as CSV, and every entry without a limit', async () => {
    const { project, path } = await newLog()

    const all = await project.call('GET', `${path}?format=csv`)
    const some = await project.call('GET', `${path}?format=csv&limit=2&offset=1`)

    const [header, first, ...rest] = all.text.split('\r\n')
    expect(header).toBe(
      'activity,created_at,detail.changes,detail.name,detail.short_id,detail.trigger,detail.type,id,item_id,key.id,key.label,scope,user.email,user.first_name,user.id,user.is_system'
    )
    expect(first).toMatch(
      /^updated,2023-11-14T22:13:20Z,"\[\{""type"":""Person"".*""after"":\{""n"":11\}\}\]",,,,,[-0-9a-f]{36},\d+,1,k,Person,g@example\.com,Grace,1,false$/
    )
    expect(rest).toHaveLength(12)
    expect(some.text.split('\r\n').slice(1, -1)).toEqual(rest.slice(0, 2))
  })

  it('contain thousands of entries as CSV, even if the entries are large', async () => {
    const { project, path, ada } = await newLog()
    await db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2500)
      insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
      select ${project.id}, '00000000-0000-7000-8000-000000000000', 'Person', ${ada.id}, ${ada.id}, 'updated', null,
             json_object('name', printf('%04d', n), 'changes', json_array(json_object('type', 'Person', 'action', 'changed',
               'field', 'properties', 'before', null, 'after', json_object('x', printf('%.*c', 10000, 'x'))))), 0
      from numbers`)

    const { text } = await project.call('GET', `${path}?format=csv`)

    const names = [...text.matchAll(/,(\d{4}),,,,/g)].map(([, n]) => Number(n))
    expect(names).toEqual(Array.from({ length: 2500 }, (_, n) => 2500 - n))
    expect(text.split('\r\n')).toHaveLength(2500 + 12 + 2)
  })

  it('are refused as CSV before the file begins if it would take too many queries', async () => {
    const { project } = await newLog()
    await db.run(sql`update counters set value = 1000000
      where project_id = ${project.id} and name = 'activity'`)

    const { status, body } = await project.call('GET', 'persons/activity?format=csv')
    const part = await project.call('GET', 'persons/activity?format=csv&limit=900000')

    expect([status, body.code, body.attr]).toEqual([400, 'query_too_large', 'limit'])
    expect(part.status).toBe(200)
  })
})
