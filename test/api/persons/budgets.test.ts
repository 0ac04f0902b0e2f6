import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeCursor } from '../../../src/http/page.ts'
import { openSecret } from '../../../src/ledger/secret.ts'
import { measure } from '../../support/measure.ts'
import { db, newProject, type TestProject } from '../../support/project.ts'
import { seedPersons } from '../../support/seed.ts'

/*
 * The rows that a request reads do not grow with the data of its project or of other projects. Rows
 * are counted in the request's log line and include the lookup of the key.
 */

const PERSONS = 100_000
const FIRST_ID = 1

/**
 * 100,000 persons, of whom 10 are at rare.example, 100 at few.example, 1,000 at some.example and
 * 10,000 at many.example.
 */
const EMAIL = `printf('user%06d@%s.example', n, case
  when n % 10000 = 0 then 'rare' when n % 1000 = 1 then 'few' when n % 100 = 2 then 'some' when n % 10 = 3 then 'many'
  else 'rest' end)`

let large: TestProject
let small: TestProject

beforeAll(async () => {
  large = await newProject()
  small = await newProject()
  await seedPersons(large.id, { count: PERSONS, email: EMAIL, firstId: FIRST_ID })
  await seedPersons(small.id, { count: 20, email: EMAIL, firstId: FIRST_ID + PERSONS })
  // The first use of the secret, and that of a key in an hour, are recorded, which must not be part of the measurement.
  await openSecret(env, db)
  await large.call('GET', 'persons?limit=1')
  await small.call('GET', 'persons?limit=1')
})

const emails = (body: { results: { name: string }[] }) => body.results.map(({ name }) => name)

describe('a page of 100,000 persons', () => {
  /** Returns the nth page of 100, reached by following `next`. */
  const page = (number: number) => {
    const before = (number - 1) * 100
    const last = PERSONS - before + 1
    const cursor = encodeCursor(
      { at: 1_700_000_000_000 + last * 1000, id: FIRST_ID + last - 1 },
      before
    )
    return `persons?limit=100&offset=${before}&cursor=${cursor}`
  }

  it('is the page that `next` leads to', async () => {
    const first = await measure(large, 'persons?limit=100')
    const second = await measure(large, `persons${new URL(first.body.next).search}`)
    const jumped = await measure(large, page(2))

    expect(new URL(first.body.next).search).toBe(new URL(`https://x/${page(2)}`).search)
    expect(emails(second.body)).toEqual(emails(jumped.body))
    expect(emails(second.body)[0]).toBe('user099900@rest.example')
  })

  it.each([
    [1, 'persons?limit=100', 'user100000@rare.example'],
    [2, page(2), 'user099900@rest.example'],
    [500, page(500), 'user050100@rest.example'],
    [1_000, page(1_000), 'user000100@rest.example']
  ])('reads at most 5 rows for each person, plus 20: page %i', async (_, path, first) => {
    const { status, body, rows, trips } = await measure(large, path)

    expect([status, body.results.length, body.count]).toEqual([200, 100, PERSONS])
    expect(emails(body)[0]).toBe(first)
    expect(rows).toBeLessThanOrEqual(5 * 100 + 20)
    expect(trips).toBe(1)
  })

  it('reads the same for page 1,000 as for page 2', async () => {
    const second = await measure(large, page(2))
    const last = await measure(large, page(1_000))

    expect(Math.abs(last.rows - second.rows)).toBeLessThanOrEqual(10)
  })

  it.each([1, 10, 1_000])('reads in proportion to its size: %i', async (limit) => {
    const { status, body, rows, trips } = await measure(large, `persons?limit=${limit}`)

    expect([status, body.results.length]).toEqual([200, limit])
    expect(rows).toBeLessThanOrEqual(5 * limit + 20)
    expect(trips).toBe(1)
  })

  it('is counted without reading the persons', async () => {
    const { body, rows } = await measure(large, 'persons?limit=1')

    expect(body.count).toBe(PERSONS)
    expect(rows).toBeLessThanOrEqual(20)
  })
})

describe('a filter on properties', () => {
  const at = (domain: string) =>
    `persons?properties=${encodeURIComponent(JSON.stringify([{ key: 'email', value: `@${domain}.example`, operator: 'icontains', type: 'person' }]))}`

  it('examines each person once if all matches are on the page', async () => {
    const { status, body, rows } = await measure(large, at('rare'))

    expect([status, body.results.length, body.count, body.next]).toEqual([200, 10, 10, null])
    // Two rows for each person: its entry in the index, and its row.
    expect(rows).toBeLessThanOrEqual(2 * PERSONS + 5 * 10 + 20)
  })

  it.each([
    ['of a full page', '', 100, 1_000],
    ['of the last page', '&offset=950', 50, 1_000],
    ['of an empty page behind the last', '&offset=2000', 0, 1_000]
  ])('counts the matches %s', async (_, page, length, count) => {
    const { status, body } = await measure(large, `${at('some')}${page}`)

    expect([status, body.results.length, body.count]).toEqual([200, length, count])
  })
})

describe('one person among 100,000', () => {
  it.each([
    ['e-mail', 'persons?email=user000007@rest.example'],
    ['distinct id', 'persons?distinct_id=b-7'],
    ['exact distinct id in search', 'persons?search=a-7'],
    ['whole e-mail in search', 'persons?search=USER000007@rest.example'],
    ['e-mail and search', 'persons?email=user000007@rest.example&search=example'],
    ['distinct id and search', 'persons?distinct_id=b-7&search=example']
  ])('is found by %s in at most 20 rows and 1 round trip', async (_, path) => {
    const { status, body, rows, trips } = await measure(large, path)

    expect([status, body.count, emails(body)]).toEqual([200, 1, ['user000007@rest.example']])
    expect(rows).toBeLessThanOrEqual(20)
    expect(trips).toBe(1)
  })

  it.each([
    ['integer id', 'persons/7'],
    ['uuid', 'persons/00000000-0000-7000-8000-000000000007']
  ])('is retrieved by %s in at most 20 rows and 1 round trip', async (_, path) => {
    const { status, body, rows, trips } = await measure(large, path)

    expect([status, body.name]).toEqual([200, 'user000007@rest.example'])
    expect(rows).toBeLessThanOrEqual(20)
    expect(trips).toBe(1)
  })

  it.each([
    'persons?email=nobody@rest.example',
    'persons?distinct_id=c-7',
    'persons?search=nobody'
  ])('is reported missing from the list after at most 20 rows: %s', async (path) => {
    const { status, body, rows, trips } = await measure(large, path)

    expect([status, body.count]).toEqual([200, 0])
    expect(rows).toBeLessThanOrEqual(20)
    expect(trips).toBe(1)
  })

  it.each(['persons/9999999', 'persons/00000000-0000-7000-8000-ffffffffffff'])(
    'is not found in at most 20 rows: %s',
    async (path) => {
      const { status, rows, trips } = await measure(large, path)

      expect(status).toBe(404)
      expect(rows).toBeLessThanOrEqual(20)
      expect(trips).toBe(1)
    }
  )
})

describe('search by a part of an e-mail', () => {
  it.each([
    ['user050000@', 1],
    ['@rare', 10],
    ['few', 100],
    ['USER0500', 100],
    ['@some.', 1_000],
    ['0@r', 10_000],
    ['@many.example', 10_000],
    ['rest.exam', 88_890],
    ['example', 100_000]
  ])(
    'reads at most 4 rows for each match and 6 more for each on the page, plus 120: %s',
    async (term, matches) => {
      const { status, body, rows, trips } = await measure(
        large,
        `persons?search=${encodeURIComponent(term)}`
      )

      expect([status, body.count, body.results.length]).toEqual([
        200,
        matches,
        Math.min(matches, 100)
      ])
      expect(rows).toBeLessThanOrEqual(4 * matches + 6 * Math.min(matches, 100) + 120)
      expect(trips).toBe(1)
    }
  )

  it('reads less for the next page, which is not counted again', async () => {
    const first = await measure(large, 'persons?search=many')
    const second = await measure(large, `persons${new URL(first.body.next).search}`)

    expect([second.body.count, second.body.results.length]).toEqual([10_000, 100])
    expect(second.rows).toBeLessThanOrEqual(3 * 10_000 + 520)
    expect(second.rows).toBeLessThan(first.rows)
  })

  it.each([
    ['user000005', 1],
    ['many', 2],
    ['example', 20],
    ['user099999', 0]
  ])("reads nothing of another project's matches: %s", async (term, matches) => {
    const { status, body, rows } = await measure(small, `persons?search=${term}`)

    expect([status, body.count]).toEqual([200, matches])
    expect(rows).toBeLessThanOrEqual(10 * matches + 20)
  })

  it.each([
    ['us', 100_000],
    ['@', 100_000],
    ['q', 0]
  ])('finds terms too short for the index, without a limit on rows: %s', async (term, matches) => {
    const { status, body, trips } = await measure(
      large,
      `persons?search=${encodeURIComponent(term)}`
    )

    expect([status, body.count]).toEqual([200, matches])
    expect(trips).toBe(1)
  })
})

describe('a change of one person among 100,000', () => {
  it.each([
    ['PATCH', 'persons/70007', { properties: { plan: 'pro', seats: 5 } }, 20, 8],
    ['PATCH of the e-mail', 'persons/70008', { properties: { email: 'new@rest.example' } }, 22, 10],
    ['PATCH without a property', 'persons/70009', { properties: {} }, 12, 0],
    [
      'PATCH of a value that the person has already',
      'persons/70010',
      { properties: { email: 'user070010@rest.example' } },
      18,
      1
    ]
  ])('reads and writes a few rows: %s', async (_, path, json, read, write) => {
    const { status, rows, written, trips } = await measure(large, path, 'PATCH', json)

    expect(status).toBe(200)
    expect(rows).toBeLessThanOrEqual(read)
    expect(written).toBeLessThanOrEqual(write)
    expect(trips).toBe(write === 0 ? 2 : 3)
  })

  it('reads and writes a few rows: delete_property', async () => {
    const { status, rows, written, trips } = await measure(
      large,
      'persons/70011/delete_property/',
      'POST',
      {
        $unset: 'email'
      }
    )

    expect(status).toBe(200)
    expect(rows).toBeLessThanOrEqual(22)
    expect(written).toBeLessThanOrEqual(10)
    // One more than a PATCH: the head of the ledger.
    expect(trips).toBe(4)
  })

  it.each([2, 10, 500])(
    'reads at most 11 and writes at most 6 rows for each distinct id split off, plus 20: %i',
    async (leaving) => {
      const person = 70_100 + leaving
      const first = 10_000_000 + leaving * 1_000
      await env.DB.prepare(`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)
      insert into distinct_ids (key, project_id, distinct_id, person_id) select ? + n, ?, 'more-' || (? + n), ? from numbers`)
        .bind(leaving - 1, first, large.id, first, person)
        .run()

      const { status, body, rows, written, trips } = await measure(
        large,
        `persons/${person}/split/`,
        'POST'
      )

      expect([status, body.persons.length]).toEqual([200, leaving])
      expect(rows).toBeLessThanOrEqual(11 * body.persons.length + 20)
      expect(written).toBeLessThanOrEqual(6 * body.persons.length + 20)
      expect(trips).toBe(4)
    }
  )
})

describe('activity of 100,000 entries', () => {
  const OWN = 5_000

  beforeAll(async () => {
    const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${PERSONS})`
    await env.DB.prepare(`${numbers}
      insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
      select ?, '00000000-0000-7000-8000-000000000000', 'Person', 1, iif(n % ${PERSONS / OWN} = 0, 50, 60000 + n), 'merged', null,
             json_object('name', null, 'changes', json_array(json_object('type', 'Person', 'action', 'merged',
               'field', 'distinct_ids', 'before', null, 'after', null,
               'identities', json_object('distinct_ids', json_array(2, 3))))), n from numbers`)
      .bind(large.id)
      .run()
    await env.DB.prepare(`insert into counters (project_id, name, value) values (?, 'activity', ?)
      on conflict (project_id, name) do update set value = value + excluded.value`)
      .bind(large.id, PERSONS)
      .run()
  })

  it('reads at most 9 rows for each entry of a page that names two distinct ids, plus 20', async () => {
    const first = await measure(large, 'persons/activity/?limit=100')
    const second = await measure(large, `persons/activity/${new URL(first.body.next).search}`)
    const cursor = encodeCursor({ id: 5_000 }, 90_000)
    const last = await measure(large, `persons/activity/?limit=100&offset=90000&cursor=${cursor}`)

    for (const { status, body, rows, trips } of [first, second, last]) {
      expect([status, body.results.length]).toEqual([200, 100])
      expect(body.count).toBeGreaterThanOrEqual(PERSONS)
      expect(rows).toBeLessThanOrEqual(9 * 100 + 20)
      expect(trips).toBe(2)
    }
  })

  it('counts a person’s entries once, on the first page', async () => {
    const first = await measure(large, 'persons/50/activity/?limit=100')
    const second = await measure(large, `persons/50/activity/${new URL(first.body.next).search}`)

    expect([first.body.count, second.body.count]).toEqual([OWN, OWN])
    expect(first.rows).toBeLessThanOrEqual(OWN + 9 * 100 + 20)
    expect(second.rows).toBeLessThanOrEqual(9 * 100 + 20)
    expect([first.trips, second.trips]).toEqual([2, 2])
  })
})

describe('the timeline of a person', () => {
  const EVENTS = 20_000
  const KEY = encodeURIComponent('email')

  beforeAll(async () => {
    const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${EVENTS})`
    await large.ingest([
      { event: 'timeline', distinct_id: 'other', timestamp: Date.UTC(2026, 9, 1) }
    ])
    await env.DB.batch([
      env.DB.prepare(`insert into person_versions (id, project_id, properties)
        select (200 << 24) + value, ?, jsonb(json_object('email', value)) from json_each('[1,2,3,4]')`).bind(
        large.id
      ),
      env.DB.prepare(`${numbers}
        insert into events (project_id, event_id, timestamp, uuid, identity, version, properties)
        select ?1, (select id from event_names where project_id = ?1 and name = 'timeline'), ?2 + n * 1000, randomblob(16),
               200 + n % 2, (200 << 24) + 1 + n / ${EVENTS / 4 + 1}, jsonb('{}') from numbers`).bind(
        large.id,
        Date.UTC(2026, 9, 2)
      )
    ])
  })

  it.each([
    ['all its events', 'date_to=2026-10-05', EVENTS, 4],
    ['events by a name', 'date_to=2026-10-05&events=["timeline"]', EVENTS, 4],
    ['none of its events', 'date_to=2026-10-05&events=["other"]', 0, 0],
    ['a part of its events', 'date_to=2026-10-02T00:16:39Z', 999, 1]
  ])('reads at most 2 rows for each event, plus 60: %s', async (_, query, events, points) => {
    const path = `persons/100/properties_timeline/?date_from=2026-10-02T00:00:00Z&${query}&breakdown=${KEY}&breakdown_type=person`

    const { status, body, rows, written, trips } = await measure(large, path)

    expect([status, body.points.length]).toEqual([200, points])
    const counted = body.points.reduce(
      (sum: number, point: { relevant_event_count: number }) => sum + point.relevant_event_count,
      0
    )
    expect(counted).toBe(events)
    const inRange = query.includes('other') ? EVENTS : events
    expect(rows).toBeLessThanOrEqual(2 * inRange + 60)
    expect(written).toBe(0)
    expect(trips).toBeLessThanOrEqual(5 + EVENTS / 5_000)
  })
})
