import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { beforeCall, cutAt } from '../../support/faults.ts'
import { expectSound } from '../../support/invariants.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const AT = Date.UTC(2026, 10, 1)

/** Creates a project with Ada, whose three distinct ids have one, two and three `page` events. */
async function newAda() {
  const project = await newProject()
  const page = (distinct_id: string, n: number) => ({
    event: 'page',
    distinct_id,
    timestamp: AT + n
  })
  await project.ingest(
    [
      {
        event: '$identify',
        distinct_id: 'ada',
        timestamp: AT,
        properties: { $set: { plan: 'pro' } }
      },
      {
        event: '$create_alias',
        distinct_id: 'ada',
        timestamp: AT + 1,
        properties: { alias: 'phone' }
      },
      {
        event: '$create_alias',
        distinct_id: 'ada',
        timestamp: AT + 2,
        properties: { alias: 'tablet' }
      },
      page('ada', 3),
      page('phone', 4),
      page('phone', 5),
      ...[6, 7, 8].map((n) => page('tablet', n))
    ],
    AT + 100
  )
  const [row] = await db.all<{ id: number; uuid: string }>(
    sql`select id, uuid from persons where project_id = ${project.id}`
  )
  if (!row) {
    throw new Error('There is no Ada.')
  }
  return { project, ada: row, path: `persons/${row.id}/` }
}

/** Returns each person's number of `page` events, by the person's distinct ids: `{ 'ada,phone': 3 }`. */
async function pagesOf(project: TestProject): Promise<Record<string, number>> {
  const rows = await db.all<{ ids: string; pages: number }>(sql`
    select (select group_concat(distinct_id) from
              (select distinct_id from distinct_ids where person_id = p.id order by distinct_id)) as ids,
           (select count(*) from distinct_ids d cross join events e on e.identity = d.key
            join event_names n on n.id = e.event_id and n.name = 'page' where d.person_id = p.id) as pages
    from persons p where p.project_id = ${project.id} order by ids`)
  return Object.fromEntries(rows.map(({ ids, pages }) => [ids, pages]))
}

const split = (project: TestProject, path: string, json?: Json, bindings?: Partial<Env>) =>
  project.send('POST', `${path}split/`, json, bindings)

const merge = (project: TestProject, into: string, from: string) =>
  project.ingest([{ event: '$merge_dangerously', distinct_id: into, properties: { alias: from } }])

const personWith = async (project: TestProject, distinctId: string) =>
  (await project.call('GET', `persons?distinct_id=${distinctId}`)).body.results[0]

const APART = { ada: 1, phone: 2, tablet: 3 }

describe('POST persons/{id}/split/', () => {
  it.each<[string, Json | undefined]>([
    ['no body', undefined],
    ['an empty body', {}],
    ['the body as documented', { properties: { plan: 'x' } }],
    ['nulls', { main_distinct_id: null, distinct_ids_to_split: null }]
  ])('makes a person from each distinct id except the first: %s', async (_, json) => {
    const { project, ada, path } = await newAda()
    const { body: before } = await project.call('GET', path)
    const from = Date.now()

    const { status, body } = await split(project, path, json)

    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      persons: ['phone', 'tablet'].map((id) => ({
        id: expect.any(Number),
        name: id,
        distinct_ids: [id],
        properties: {},
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      }))
    })
    expect(Date.parse(body.persons[0].created_at)).toBeGreaterThanOrEqual(from)
    expect((await project.call('GET', path)).body).toEqual({ ...before, distinct_ids: ['ada'] })
    expect((await project.call('GET', `persons/${body.persons[1].id}`)).body).toEqual(
      body.persons[1]
    )
    expect((await project.call('GET', 'persons')).body.count).toBe(3)
    expect(await pagesOf(project)).toEqual(APART)
    expect(new Set([ada.id, ...body.persons.map(({ id }: { id: number }) => id)]).size).toBe(3)
    await expectSound(project.id)
  })

  it.each<[Json, string[], Record<string, number>]>([
    [{ main_distinct_id: 'tablet' }, ['ada', 'phone'], { tablet: 3, ada: 1, phone: 2 }],
    [{ distinct_ids_to_split: ['phone'] }, ['phone'], { 'ada,tablet': 4, phone: 2 }],
    [{ distinct_ids_to_split: ['tablet', 'ada', 'tablet'] }, ['ada', 'tablet'], APART],
    [
      { distinct_ids_to_split: ['phone'], main_distinct_id: null },
      ['phone'],
      { 'ada,tablet': 4, phone: 2 }
    ]
  ])('splits off the requested distinct ids: %j', async (json, names, pages) => {
    const { project, ada, path } = await newAda()

    const { status, body } = await split(project, path, json)

    expect([status, body.persons.map(({ name }: { name: string }) => name)]).toEqual([200, names])
    expect(await pagesOf(project)).toEqual(pages)
    const { body: original } = await project.call('GET', path)
    expect([original.uuid, original.properties.plan]).toEqual([ada.uuid, 'pro'])
    await expectSound(project.id)
  })

  const long = 'long-'.repeat(50)
  const stored = long.slice(0, 200)

  it.each<[string, Json, string]>([
    ['stays', { main_distinct_id: long }, 'ada'],
    ['leaves', { distinct_ids_to_split: [long] }, stored]
  ])('takes a distinct id that is longer than what is stored, and %s', async (_, json, leaving) => {
    const project = await newProject()
    await project.ingest([
      { event: '$identify', distinct_id: stored, properties: { $anon_distinct_id: 'ada' } }
    ])
    const person = await personWith(project, 'ada')

    const { status, body } = await split(project, `persons/${person.id}/`, json)

    expect([status, body]).toMatchObject([200, { persons: [{ distinct_ids: [leaving] }] }])
  })

  it.each([undefined, { main_distinct_id: 'ada' }, { distinct_ids_to_split: ['ada'] }])(
    'splits nothing off a person with a single distinct id: %j',
    async (json) => {
      const project = await newProject()
      await project.ingest([{ event: '$identify', distinct_id: 'ada' }])
      const { id } = await personWith(project, 'ada')

      const { status, body } = await split(project, `persons/${id}/`, json)

      expect([status, body]).toEqual([200, { success: true, persons: [] }])
      expect((await project.call('GET', 'persons/activity')).body.count).toBe(0)
    }
  )

  it.each<[Json, string, string, string]>([
    [
      { main_distinct_id: 'eve' },
      'invalid_input',
      '"eve" is not a distinct id of this person.',
      'main_distinct_id'
    ],
    [
      { main_distinct_id: '' },
      'invalid_input',
      '"" is not a distinct id of this person.',
      'main_distinct_id'
    ],
    [{ main_distinct_id: 1 }, 'invalid_input', 'Not a valid string.', 'main_distinct_id'],
    [
      { distinct_ids_to_split: ['phone', 'eve'] },
      'invalid_input',
      '"eve" is not a distinct id of this person.',
      'distinct_ids_to_split'
    ],
    [
      { distinct_ids_to_split: 'phone' },
      'invalid_input',
      'Expected a list of items.',
      'distinct_ids_to_split'
    ],
    [
      { distinct_ids_to_split: [] },
      'invalid_input',
      'This list may not be empty.',
      'distinct_ids_to_split'
    ],
    [
      { distinct_ids_to_split: ['phone', 5] },
      'invalid_input',
      'Not a valid string.',
      'distinct_ids_to_split__1'
    ],
    [
      { distinct_ids_to_split: ['ada', 'phone', 'tablet'] },
      'invalid_input',
      'At least one distinct id must stay with the person: leave one out.',
      'distinct_ids_to_split'
    ],
    [
      { distinct_ids_to_split: ['phone'], main_distinct_id: 'ada' },
      'invalid_input',
      'Send either `distinct_ids_to_split` or `main_distinct_id`, not both.',
      'distinct_ids_to_split'
    ]
  ])('refuses %j', async (json, code, detail, attr) => {
    const { project, path } = await newAda()

    const { status, body } = await split(project, path, json)

    expect([status, body]).toEqual([400, { type: 'validation_error', code, detail, attr }])
    expect(await pagesOf(project)).toEqual({ 'ada,phone,tablet': 6 })
  })

  it('does not find an unknown person', async () => {
    const { project } = await newAda()

    expect((await split(project, 'persons/999999999/')).status).toBe(404)
  })

  it('refuses a distinct id of another project', async () => {
    const { project, path } = await newAda()
    const other = await newProject()
    await other.ingest([{ event: '$identify', distinct_id: 'theirs' }])

    const { status } = await split(project, path, { distinct_ids_to_split: ['theirs'] })

    expect(status).toBe(400)
  })

  it('is listed in the person’s activity', async () => {
    const { project, ada, path } = await newAda()
    await split(project, path, { main_distinct_id: 'phone' })

    const { body } = await project.call('GET', `${path}activity/`)

    expect(body).toMatchObject({
      count: 1,
      results: [
        {
          user: { email: project.user.email },
          key: { label: 'test' },
          activity: 'split_person',
          item_id: String(ada.id),
          detail: {
            name: ada.uuid,
            changes: [
              {
                type: 'Person',
                action: 'split',
                field: 'distinct_ids',
                before: null,
                after: { distinct_ids: ['ada', 'phone', 'tablet'], split_off: ['ada', 'tablet'] }
              }
            ]
          }
        }
      ]
    })
  })

  it('answers one row as CSV', async () => {
    const { project, path } = await newAda()

    const { text } = await project.send('POST', `${path}split/?format=csv`)

    expect(text).toMatch(/^persons,success\r\n"\[\{""id"":\d+,""name"":""phone"",.*\}\]",true\r\n$/)
  })

  it('splits for a client that prefers the empty body, too', async () => {
    const { project, path } = await newAda()

    const { status, text } = await project.call('POST', `${path}split/`, {
      Prefer: 'return=minimal'
    })

    expect([status, text]).toEqual([200, ''])
    expect(await pagesOf(project)).toEqual(APART)
  })
})

describe('after a split', () => {
  it('each distinct id has its later events and properties to itself, and $identify can merge it', async () => {
    const { project, path } = await newAda()
    await split(project, path)

    await project.ingest([
      { event: 'page', distinct_id: 'phone', properties: { $set: { app: 2 } } },
      { event: 'page', distinct_id: 'ada', properties: { $set: { app: 1 } } }
    ])
    expect((await personWith(project, 'phone')).properties).toMatchObject({ app: 2 })
    expect((await personWith(project, 'ada')).properties).toMatchObject({ app: 1, plan: 'pro' })
    expect(await pagesOf(project)).toEqual({ ada: 2, phone: 3, tablet: 3 })

    await project.ingest([
      { event: '$identify', distinct_id: 'eve', properties: { $anon_distinct_id: 'phone' } }
    ])
    expect(await pagesOf(project)).toEqual({ ada: 2, 'eve,phone': 3, tablet: 3 })
    await expectSound(project.id)
  })

  it('every event counts once, however often the ids are merged and split again', async () => {
    const { project, path } = await newAda()
    for (let round = 0; round < 3; round += 1) {
      await split(project, path, { main_distinct_id: 'ada' })
      expect(await pagesOf(project)).toEqual(APART)
      await project.send('PATCH', `persons/${(await personWith(project, 'phone')).id}/`, {
        properties: { round }
      })
      await project.ingest([{ distinct_id: 'tablet', properties: { $set: { tablet: round } } }])
      await merge(project, 'tablet', 'phone')
      expect(await pagesOf(project)).toEqual({ ada: 1, 'phone,tablet': 5 })
      await merge(project, 'ada', 'tablet')
      expect(await pagesOf(project)).toEqual({ 'ada,phone,tablet': 6 })
      await expectSound(project.id)
    }
    expect((await project.call('GET', path)).body.properties).toMatchObject({
      plan: 'pro',
      round: 2,
      tablet: 2
    })
  })

  it('a new person can be split again, and the original person can be merged into it', async () => {
    const { project, path } = await newAda()
    await split(project, path, { distinct_ids_to_split: ['phone', 'tablet'] })
    await merge(project, 'phone', 'tablet')
    const part = await personWith(project, 'phone')

    await split(project, `persons/${part.id}/`, { main_distinct_id: 'tablet' })
    expect(await pagesOf(project)).toEqual(APART)

    await merge(project, 'phone', 'ada')
    expect(await pagesOf(project)).toEqual({ 'ada,phone': 3, tablet: 3 })
    expect((await personWith(project, 'phone')).properties).toMatchObject({ plan: 'pro' })
    await expectSound(project.id)
  })

  it('the person does not need the versions of an identity that left', async () => {
    const { project, ada, path } = await newAda()
    await split(project, path, { main_distinct_id: 'tablet' })

    await db.run(sql`delete from person_versions where (id >> 24) in
      (select key from distinct_ids where project_id = ${project.id} and distinct_id <> 'tablet')`)

    const [current] = await db.all<{ properties: string }>(sql`
      select json(v.properties) as properties from persons p join person_versions v on v.id = p.version
      where p.id = ${ada.id}`)
    expect(JSON.parse(current?.properties ?? '{}')).toMatchObject({ plan: 'pro' })
  })
})

describe('a split and capture at once', () => {
  const events = [
    { event: 'page', distinct_id: 'phone', timestamp: AT + 10, properties: { $set: { phone: 1 } } },
    { event: 'page', distinct_id: 'ada', timestamp: AT + 11, properties: { $set: { ada: 1 } } },
    { event: 'page', distinct_id: 'tablet', timestamp: AT + 12 }
  ]
  const after = { ada: 2, phone: 3, tablet: 4 }

  it.each([1, 2, 3, 4])(
    'store every event once if events come before call %i of the request',
    async (call) => {
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const { DB, isReached } = beforeCall(env.DB, call, () => project.ingest(events, AT + 100))

      const { status } = await split(project, path, {}, { DB })

      expect([status, isReached()]).toEqual([200, true])
      expect(await pagesOf(project)).toEqual(after)
      expect((await project.call('GET', path)).body.properties).toMatchObject({ phone: 1, ada: 1 })
      await expectSound(project.id)
    }
  )

  it.each([1, 2, 3])(
    'store every event once if the split comes before call %i of the consumer',
    async (call) => {
      const { project, path } = await newAda()
      const { DB, isReached } = beforeCall(env.DB, call, async () => {
        expect((await split(project, path)).status).toBe(200)
      })

      const { explicitAcks } = await consume([project.message(events, AT + 100)], 1, { DB })

      expect([isReached(), explicitAcks.length]).toEqual([true, 1])
      expect(await pagesOf(project)).toEqual(after)
      expect((await personWith(project, 'phone')).properties).toMatchObject({ phone: 1 })
      await expectSound(project.id)
    }
  )

  it.each([2, 3, 4])(
    'also split off a distinct id that is merged before call %i of the request',
    async (call) => {
      const { project, path } = await newAda()
      await project.ingest([{ event: 'page', distinct_id: 'eve' }])
      await project.call('GET', 'persons')
      const { DB, isReached } = beforeCall(env.DB, call, () => merge(project, 'ada', 'eve'))

      const { status } = await split(project, path, { main_distinct_id: 'ada' }, { DB })

      expect([isReached(), status]).toEqual([true, 200])
      expect(await pagesOf(project)).toEqual({ ada: 1, phone: 2, tablet: 3, eve: 1 })
      await expectSound(project.id)
    }
  )

  it.each([1, 2, 3, 4])(
    'split once if another request splits before call %i of the request',
    async (call) => {
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const { DB, isReached } = beforeCall(env.DB, call, async () => {
        expect((await split(project, path)).body.persons).toHaveLength(2)
      })

      const { status, body } = await split(project, path, {}, { DB })

      expect([isReached(), status, body.persons]).toEqual([true, 200, []])
      expect(await pagesOf(project)).toEqual(APART)
      expect((await project.call('GET', `${path}activity/`)).body.count).toBe(1)
      await expectSound(project.id)
    }
  )

  it.each([
    [2, 'before'],
    [2, 'after'],
    [3, 'before'],
    [3, 'after'],
    [4, 'before'],
    [4, 'after']
  ] as const)(
    'split all or nothing if the database fails from call %i on, %s that call takes effect',
    async (call, when) => {
      listenToLog()
      const { project, path } = await newAda()
      await project.call('GET', 'persons')
      const { DB, isReached } = cutAt(env.DB, call, when)

      const { status } = await split(project, path, {}, { DB })

      expect([isReached(), status]).toEqual([true, 503])
      const isDone = call === 4 && when === 'after'
      expect(await pagesOf(project)).toEqual(isDone ? APART : { 'ada,phone,tablet': 6 })
      await expectSound(project.id)

      expect((await split(project, path)).status).toBe(200)
      expect(await pagesOf(project)).toEqual(APART)
      expect((await project.call('GET', `${path}activity/`)).body.count).toBe(1)
      await expectSound(project.id)
    }
  )
})

it('splits thousands of distinct ids at once', async () => {
  const { project, ada, path } = await newAda()
  await db.run(sql`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
    insert into distinct_ids (key, project_id, distinct_id, person_id)
    select 1000000 + n, ${project.id}, 'many-' || n, ${ada.id} from numbers`)

  const { status, body } = await split(project, path)

  expect([status, body.persons.length]).toEqual([200, 10_002])
  expect((await project.call('GET', 'persons?limit=1')).body.count).toBe(10_003)
  await expectSound(project.id)
})
