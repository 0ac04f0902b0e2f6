import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { seedNames } from '../../support/seed.ts'
import { numberedUuid } from '../../support/text.ts'

afterAll(untilQuiet)

const NOON = Date.parse('2025-06-03T12:00:00Z')

/** Returns the number of an event, which is the last part of its uuid. */
const numberOf = (uuid: string) => Number(uuid.slice(-6))

type Page = { next: string | null; searched_until: string | null; results: { id: string }[] }

/** Requests a page, and returns the numbers of its events. */
async function numbersOf(project: TestProject, query: string) {
  const { status, body } = await project.call('GET', `events?${query}`)
  expect(status).toBe(200)
  return (body as Page).results.map(({ id }) => numberOf(id))
}

/** Follows `next` to the end. Returns the numbers of all events. Every page but the last must be full. */
async function followAll(project: TestProject, query: string, limit: number) {
  const numbers: number[] = []
  let search: string | undefined = `?${query}&limit=${limit}`
  while (search !== undefined) {
    const { body } = await project.call('GET', `events${search}`)
    const { next, results }: Page = body
    numbers.push(...results.map(({ id }) => numberOf(id)))
    expect(results.length === limit || next === null).toBe(true)
    search = next === null ? undefined : new URL(next).search
  }
  return numbers
}

/** Reads pages by their `offset`, as some clients do, until one is not full. */
async function offsetAll(project: TestProject, query: string, limit: number) {
  const numbers: number[] = []
  for (let length = limit; length === limit; ) {
    const page = await numbersOf(project, `${query}&limit=${limit}&offset=${numbers.length}`)
    numbers.push(...page)
    length = page.length
  }
  return numbers
}

/** Seven events a minute apart, the newest last; 5 and 6 at the same time. */
const STORY: TestEvent[] = [
  { event: 'opened', distinct_id: 'ada', properties: { $set: { plan: 'free' } } },
  { event: '$pageview', distinct_id: 'ada', properties: { $session_id: 's1', price: 5 } },
  { event: '$pageview', distinct_id: 'bob', properties: { $session_id: 's2', price: '7' } },
  { event: 'bought', distinct_id: 'ada', properties: { $session_id: 's1', $set: { plan: 'pro' } } },
  { event: '$pageview', distinct_id: 'x', properties: { $process_person_profile: false } },
  { event: 'opened', distinct_id: 'ada' },
  { event: '$pageview', distinct_id: 'ada', properties: { $session_id: 's2' } }
].map((event, n) => ({
  ...event,
  uuid: numberedUuid(n),
  timestamp: NOON + 60_000 * (n === 6 ? 5 : n)
}))

describe('the list of events', () => {
  it.each([
    ['all events, newest first', '', [6, 5, 4, 3, 2, 1, 0]],
    ['the events of a name', 'event=$pageview', [6, 4, 2, 1]],
    ['no event of an unknown name', 'event=sold', []],
    ['the events of a distinct id', 'distinct_id=bob', [2]],
    ['no event of an unknown person', 'person_id=999999999', []],
    ['the events of a session', 'session_id=s1', [3, 1]],
    ['the events of a distinct id in a session', 'session_id=s2&distinct_id=ada', [6]],
    ['the events of a name and a distinct id', 'event=opened&distinct_id=ada', [5, 0]],
    ['no event of an unknown session', 'session_id=s9', []],
    ['the events of a period', 'after=2025-06-03T12:01&before=2025-06-03T12:03', [2, 1]],
    ['no event of an empty period', 'after=2025-06-03T12:01&before=2025-06-03T12:01', []],
    ['events with a property', `properties=[{"key":"price","operator":"gt","value":5}]`, [2]],
    [
      'events whose person had a property at that time',
      `properties=[{"key":"plan","value":"pro","type":"person"}]`,
      [6, 5, 3]
    ],
    [
      'events whose session fulfils a filter',
      `properties=[{"key":"$pageview_count","value":2,"type":"session"}]`,
      [6, 2]
    ],
    [
      'events with a property that matches a pattern',
      `properties=[{"key":"price","operator":"regex","value":"^[67]$"}]`,
      [2]
    ]
  ])('has %s: %s', async (_, query, expected) => {
    const project = await newProject()
    await project.ingest(STORY)

    const numbers = await numbersOf(project, query)
    // Events 5 and 6 have the same time: their order is that of their uuids.
    expect(numbers).toEqual(expected)
    expect(await followAll(project, query, 1)).toEqual(numbers)
    expect(await followAll(project, query, 2)).toEqual(numbers)
    expect(await offsetAll(project, query, 1)).toEqual(numbers)
    expect(await offsetAll(project, query, 2)).toEqual(numbers)
    for (const order of ['order=asc', 'orderBy=["timestamp"]', 'orderBy=timestamp%20ASC']) {
      expect(await numbersOf(project, `${query}&${order}`)).toEqual(numbers.toReversed())
    }
    expect(await followAll(project, `${query}&order=asc`, 2)).toEqual(numbers.toReversed())
    expect(await offsetAll(project, `${query}&order=asc`, 2)).toEqual(numbers.toReversed())
    expect(await numbersOf(project, `${query}&orderBy=["-timestamp"]`)).toEqual(numbers)
  })

  it('has an offset in the link to the next page, which finds that page without the cursor too', async () => {
    const project = await newProject()
    await project.ingest(STORY)

    const { body } = await project.call('GET', 'events?limit=2&offset=1&order=asc')
    const next = new URL(body.next)
    expect(body.results.map(({ id }: { id: string }) => numberOf(id))).toEqual([1, 2])
    expect([next.searchParams.get('limit'), next.searchParams.get('offset')]).toEqual(['2', '3'])
    next.searchParams.delete('cursor')
    const second = next.search.slice(1)
    expect(await numbersOf(project, second)).toEqual([3, 4])
  })

  it('answers HEAD like GET, without a body', async () => {
    const { status, headers, bytes } = await (await newProject()).call('HEAD', 'events')

    expect([status, headers.get('Content-Type'), bytes.length]).toEqual([
      200,
      'application/json',
      0
    ])
  })

  it('shows an event with its person', async () => {
    const project = await newProject()
    await project.ingest(STORY)
    const persons = await project.call('GET', 'persons?distinct_id=bob')
    const [{ id, uuid: person }] = persons.body.results

    const { body } = await project.call('GET', `events?person_id=${person}`)
    expect(body).toEqual({
      next: null,
      searched_until: null,
      results: [
        {
          id: numberedUuid(2),
          event: '$pageview',
          timestamp: '2025-06-03T12:02:00.000Z',
          distinct_id: 'bob',
          person: { id, uuid: person },
          session_id: 's2',
          properties: { $session_id: 's2', price: '7' }
        }
      ]
    })
    expect(await numbersOf(project, `person_id=${id}`)).toEqual([2])
  })

  it('shows events of an erased person without the person', async () => {
    const project = await newProject()
    await project.ingest(STORY)
    const persons = await project.call('GET', 'persons?distinct_id=bob')
    await project.call('DELETE', `persons/${persons.body.results[0].id}`)

    const { body } = await project.call('GET', 'events?session_id=s2')
    expect(body.results.at(-1)).toMatchObject({
      id: numberedUuid(2),
      distinct_id: null,
      person: null
    })
  })

  it('shows events in a project with very many event names, also those of a distinct id', async () => {
    const project = await newProject()
    await db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10001)
      insert into event_names (id, project_id, name) select 1e9 + n, ${project.id}, 'name ' || n from numbers`)
    await project.ingest([{ ...STORY[0], distinct_id: 'ada', event: 'the last name' } as TestEvent])

    expect(await numbersOf(project, 'distinct_id=ada')).toEqual([0])
    expect(await numbersOf(project, '')).toEqual([0])
  })

  it('shows nothing of another project', async () => {
    const [project, other] = [await newProject(), await newProject()]
    await project.ingest(STORY)
    const persons = await project.call('GET', 'persons?distinct_id=bob')

    for (const query of [
      '',
      `person_id=${persons.body.results[0].id}`,
      'session_id=s1',
      'distinct_id=ada'
    ]) {
      expect(await numbersOf(other, query)).toEqual([])
    }
  })

  it.each([
    ['after', 'after=soon'],
    ['before', 'before=soon'],
    ['after', 'after=2025-06-03&before=2025-06-02'],
    ['person_id', 'person_id=ada'],
    ['cursor', 'cursor=abc'],
    ['limit', 'limit=0'],
    ['properties', 'properties=[{"key":"a","type":"recording","value":1}]'],
    ['properties', 'properties=[{"key":"a","operator":"in","value":[]}]'],
    ['offset', 'offset=-1'],
    ['order', 'order=newest'],
    ['order', 'order=asc&orderBy=-timestamp'],
    ['orderBy', 'orderBy=event'],
    ['orderBy', 'orderBy=constructor'],
    ['orderBy', 'orderBy=["timestamp","event"]']
  ])('refuses a wrong %s: %s', async (attr, query) => {
    const { status, body } = await (await newProject()).call('GET', `events?${query}`)

    expect([status, body.attr]).toEqual([400, attr])
  })
})

describe('a page of many events', () => {
  const EVENTS = 60_000
  const NAMES = 30
  let project: TestProject

  beforeAll(async () => {
    project = await newProject()
    await db.run(sql`
      insert into event_names (project_id, name)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${NAMES})
      select ${project.id}, 'name' || i from n`)
    await db.run(sql`
      insert into distinct_ids (key, project_id, distinct_id) values (${project.id * 1000}, ${project.id}, 'many')`)
    await db.run(sql`
      insert into events (project_id, event_id, timestamp, uuid, identity, properties)
      with recursive n(i) as (select 0 union all select i + 1 from n where i < ${EVENTS - 1}),
      named as (select id, row_number() over (order by id) - 1 as place from event_names where project_id = ${project.id})
      select ${project.id}, named.id, ${NOON} + i * 1000, unhex(printf('%032x', i)), ${project.id * 1000},
        jsonb_object('even', i % 2, 'rare', iif(i = 20000, 'yes', 'no'))
      from n join named on named.place = iif(i % 3 = 0, 0, (i * 7919 / 5) % ${NAMES})`)
    await project.call('GET', 'events?limit=1')
  })

  /** Requests a page. Returns its cursors, the numbers of its events, and the rows that the request read. */
  async function measure(query: string) {
    const log = listenToLog()
    const { status, body } = await project.call('GET', `events?${query}`)
    const [line] = log.lines('request')
    vi.restoreAllMocks()
    expect(status).toBe(200)
    const { results, ...rest }: Page = body
    const numbers = results.map(({ id }) => Number.parseInt(id.replaceAll('-', ''), 16))
    return { ...rest, numbers, rows: Number(line?.rows_read) }
  }

  /** Returns this many numbers, counting down. */
  const down = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i)

  it('reads few rows, whatever the page', async () => {
    const first = await measure('limit=100')
    expect(first.numbers).toEqual(down(EVENTS - 1, 100))
    expect(first.rows).toBeLessThan(5_000)

    const second = await measure(new URL(first.next ?? '').search.slice(1))
    expect(second.numbers).toEqual(down(EVENTS - 101, 100))
    expect(second.rows).toBeLessThan(5_000)

    const far = await measure('limit=100&before=2025-06-03T13:00:00Z')
    expect(far.numbers).toEqual(down(3_599, 100))
    expect(far.rows).toBeLessThan(5_000)
  })

  it('reads few rows for the events of a name or of a distinct id', async () => {
    const named = await measure('limit=100&event=name1')
    expect(named.numbers).toHaveLength(100)
    expect(named.rows).toBeLessThan(1_500)

    const own = await measure('limit=100&distinct_id=many')
    expect(own.numbers).toEqual(down(EVENTS - 1, 100))
    expect(own.rows).toBeLessThan(2_500)
  })

  it('reads few rows if every second event matches', async () => {
    const even = await measure('limit=100&properties=[{"key":"even","value":0}]')
    expect(even.numbers).toEqual(down(EVENTS - 1, 200).filter((n) => n % 2 === 0))
    expect(even.rows).toBeLessThan(6_000)
  })

  it('has up to 10,000 events, in both orders', async () => {
    const whole = await measure('limit=10000')
    expect(whole.numbers).toEqual(down(EVENTS - 1, 10_000))
    expect(whole.rows).toBeLessThan(120_000)
    expect(new URL(whole.next ?? '').searchParams.get('limit')).toBe('10000')

    const oldest = await measure('limit=10001&order=asc')
    expect(oldest.numbers).toEqual(down(9_999, 10_000).toReversed())
    const next = new URL(oldest.next ?? '')
    next.searchParams.set('limit', '10')
    expect((await measure(next.search.slice(1))).numbers).toEqual(down(10_009, 10).toReversed())
  })

  it('begins at an offset, before which it only reads keys', async () => {
    const far = await measure('limit=100&offset=50000')
    expect(far.numbers).toEqual(down(EVENTS - 50_001, 100))
    expect(far.rows).toBeLessThan(70_000)
    const last = await measure('limit=1000&offset=59500')
    expect([last.numbers, last.next]).toEqual([down(499, 500), null])
    expect((await measure('offset=60000')).numbers).toEqual([])
  })

  it('is complete even if few events match', async () => {
    const rare = 'limit=10&properties=[{"key":"rare","value":"yes"}]'

    const part = '&after=2025-06-03T17:00:00Z&before=2025-06-03T18:00:00Z'
    expect(await measure(rare + part)).toMatchObject({
      numbers: [20_000],
      searched_until: null,
      next: null
    })
  })

  it('ends early after 20,000 events of which few match, and the next page continues the search', async () => {
    const rare = 'limit=10&properties=[{"key":"rare","value":"yes"}]&before=2025-06-03T18:00:00Z'
    const first = await measure(rare)
    expect(first.numbers).toEqual([20_000])
    expect(first.searched_until).toBe(new Date(NOON + 1_600_000).toISOString().replace('.000', ''))

    const second = await measure(new URL(first.next ?? '').search.slice(1))
    expect(second).toMatchObject({ numbers: [], searched_until: null, next: null })
    const skipping = await project.call('GET', `events?${rare}&offset=2`)
    expect([skipping.status, skipping.body.attr]).toEqual([400, 'offset'])
  })
})

it('events of more than 10,000 names are listed page by page, also those of the same moment', async () => {
  const project = await newProject()
  await project.ingest([{ event: 'first', timestamp: NOON - DAY, uuid: numberedUuid(20_000) }])
  // Each 3,000 events have the same time.
  await seedNames(project.id, 10_001, sql`${NOON} - n / 3000 * 1000`)

  const pages: number[][] = []
  let search: string | undefined = '?limit=1000'
  while (search !== undefined && pages.length < 4) {
    const { body } = await project.call('GET', `events${search}`)
    pages.push((body as Page).results.map(({ id }) => Number.parseInt(id.slice(-6), 16)))
    search = new URL((body as Page).next ?? '').search
  }

  const down = (from: number) => Array.from({ length: 1_000 }, (_, i) => from - i)
  expect(pages).toEqual([down(2_999), down(1_999), down(999), down(5_999)])
  const before = new Date(NOON - DAY + 1).toISOString()
  expect(await numbersOf(project, `before=${before}`)).toEqual([20_000])
})
