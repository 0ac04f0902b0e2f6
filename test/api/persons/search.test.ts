import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { encodeCursor } from '../../../src/http/page.ts'
import type { JsonObject } from '../../../src/json.ts'
import {
  BASE,
  newProject,
  request,
  type TestEvent,
  type TestProject
} from '../../support/project.ts'

type ListedPerson = {
  id: number
  uuid: string
  name: string
  distinct_ids: string[]
  properties: JsonObject
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const NOBODY = { count: 0, next: null, previous: null, results: [] }

/** A person, seen for the first time on this day of November 2024. */
const person = (day: number, distinctId: string, properties: JsonObject = {}): TestEvent => ({
  event: '$set',
  distinct_id: distinctId,
  timestamp: Date.UTC(2024, 10, day),
  properties: { $set: properties }
})

/** p1 … pn, each created a day after the one before. */
const people = (count: number) =>
  Array.from({ length: count }, (_, i) => person(i + 1, `p${i + 1}`))

const distinctIds = (body: { results: ListedPerson[] }) =>
  body.results.map((listed) => listed.distinct_ids[0])
const list = (project: TestProject, query: string) => project.call('GET', `persons?${query}`)
const follow = (project: TestProject, url: string) =>
  project.call('GET', `persons${new URL(url).search}`)

async function walk(
  project: TestProject,
  query: string,
  between: (page: number) => Promise<unknown> = async () => {}
) {
  const pages = []
  let { body } = await list(project, query)
  pages.push(body)
  while (body.next) {
    if (pages.length === 50) {
      throw new Error('next leads in a circle')
    }
    await between(pages.length)
    body = (await follow(project, body.next)).body
    pages.push(body)
  }
  return pages
}

describe('the list', () => {
  it('shows a person as documented', async () => {
    const project = await newProject()
    await project.ingest([
      {
        event: '$identify',
        uuid: '01a1f000-0000-7000-8000-000000000001',
        distinct_id: 'ada',
        timestamp: Date.parse('2024-11-20T10:00:00.123Z'),
        properties: {
          $anon_distinct_id: 'anon-1',
          $set: { email: 'ada@example.com', plan: 'pro', tags: ['a', 'b'] }
        }
      }
    ])

    const { status, body } = await list(project, '')

    expect(status).toBe(200)
    expect(body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: expect.any(Number),
          name: 'ada@example.com',
          distinct_ids: expect.arrayContaining(['ada', 'anon-1']),
          properties: {
            $creator_event_uuid: '01a1f000-0000-7000-8000-000000000001',
            email: 'ada@example.com',
            plan: 'pro',
            tags: ['a', 'b']
          },
          created_at: '2024-11-20T10:00:00.123Z',
          uuid: expect.stringMatching(UUID_V7)
        }
      ]
    })
    expect(Number.isSafeInteger(body.results[0].id)).toBe(true)
  })

  it('is empty in a project without persons', async () => {
    const project = await newProject()

    const { status, body } = await list(project, '')

    expect(status).toBe(200)
    expect(body).toEqual(NOBODY)
  })

  it('has the newest person first, whatever the order of arrival', async () => {
    const project = await newProject()
    await project.ingest([person(2, 'second')])
    await project.ingest([person(1, 'first'), person(3, 'third')])

    const { body } = await list(project, '')

    expect(distinctIds(body)).toEqual(['third', 'second', 'first'])
  })

  it('has the higher id first among persons of one moment', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a')])
    await project.ingest([person(1, 'b')])
    await project.ingest([person(1, 'c')])

    const { body } = await list(project, '')
    const ids = body.results.map(({ id }: ListedPerson) => id)

    expect(distinctIds(body)).toEqual(['c', 'b', 'a'])
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a))
  })

  it('does not know an identity without a person', async () => {
    const project = await newProject()
    await project.ingest([
      { distinct_id: 'nobody', properties: { $process_person_profile: false } }
    ])

    expect((await list(project, '')).body).toEqual(NOBODY)
    expect((await list(project, 'distinct_id=nobody')).body).toEqual(NOBODY)
    expect((await list(project, 'search=nobody')).body).toEqual(NOBODY)
  })

  it('counts exactly after persons were merged', async () => {
    const project = await newProject()
    await project.ingest(people(3))
    await project.ingest([
      {
        event: '$merge_dangerously',
        distinct_id: 'p1',
        timestamp: Date.UTC(2024, 10, 20),
        properties: { alias: 'p2' }
      }
    ])

    const { body } = await list(project, '')

    expect(body.count).toBe(2)
    expect(body.results).toHaveLength(2)
  })

  it('ignores parameters that it does not know', async () => {
    const project = await newProject()
    await project.ingest(people(1))

    const { status, body } = await list(
      project,
      'include_total=1&foo=bar&__proto__=x&is_identified=false'
    )

    expect([status, body.count]).toEqual([200, 1])
  })
})

describe('a page', () => {
  it('holds 100 persons unless something else is asked for', async () => {
    const project = await newProject()
    await project.ingest(people(101))

    const { body } = await list(project, '')

    expect(body.results).toHaveLength(100)
    expect(body.count).toBe(101)
    expect(new URL(body.next).searchParams.get('offset')).toBe('100')
  })

  it('holds as many as asked for, and says where the next one is', async () => {
    const project = await newProject()
    await project.ingest(people(5))

    const { body } = await list(project, 'limit=2')
    const next = new URL(body.next)

    expect(distinctIds(body)).toEqual(['p5', 'p4'])
    expect([body.count, body.previous]).toEqual([5, null])
    expect(next.origin + next.pathname).toBe(`${BASE}/api/environments/${project.id}/persons`)
    expect(Object.fromEntries(next.searchParams)).toEqual({
      limit: '2',
      offset: '2',
      cursor: expect.any(String)
    })
  })

  it('has no next when it ends with the last person', async () => {
    const project = await newProject()
    await project.ingest(people(4))

    const pages = await walk(project, 'limit=2')

    expect(pages.map(({ results }) => results.length)).toEqual([2, 2])
  })

  it('holds at most 1,000 persons, however many are asked for, and there are more behind it', async () => {
    const project = await newProject()
    const events = Array.from({ length: 1_001 }, (_, i) => person(1, `p${i}`))
    await project.ingest(events.slice(0, 501))
    await project.ingest(events.slice(501))

    const first = (await list(project, 'limit=5000')).body
    const second = (await follow(project, first.next)).body

    expect([first.results.length, first.count]).toEqual([1_000, 1_001])
    expect(new URL(first.next).searchParams.get('limit')).toBe('1000')
    expect([second.results.length, second.next]).toEqual([1, null])
  })

  const NO_INTEGER = 'A valid integer is required.'
  const TOO_SMALL = 'Ensure this value is greater than or equal to'

  it.each([
    ['limit', '0', `${TOO_SMALL} 1.`],
    ['limit', '-1', `${TOO_SMALL} 1.`],
    ['limit', '-0', NO_INTEGER],
    ['limit', 'abc', NO_INTEGER],
    ['limit', '1.5', NO_INTEGER],
    ['limit', '', NO_INTEGER],
    ['limit', '1e3', NO_INTEGER],
    ['limit', '%2010', NO_INTEGER],
    ['limit', '99999999999999999999', NO_INTEGER],
    ['offset', '-1', `${TOO_SMALL} 0.`],
    ['offset', 'abc', NO_INTEGER],
    ['offset', '1.5', NO_INTEGER],
    ['offset', '', NO_INTEGER],
    ['offset', '99999999999999999999', NO_INTEGER]
  ])('refuses %s=%s', async (name, value, detail) => {
    const project = await newProject()

    const { status, body } = await list(project, `${name}=${value}`)

    expect(status).toBe(400)
    expect(body).toEqual({ type: 'validation_error', code: 'invalid_input', detail, attr: name })
  })

  it('starts at the offset', async () => {
    const project = await newProject()
    await project.ingest(people(5))

    const { body } = await list(project, 'limit=2&offset=2')

    expect(distinctIds(body)).toEqual(['p3', 'p2'])
    expect(body.count).toBe(5)
    expect(body.previous).toBe(`${BASE}/api/environments/${project.id}/persons?limit=2`)
  })

  it('is reached by offsets alone, each person once', async () => {
    const project = await newProject()
    await project.ingest(people(5))

    const pages = await Promise.all(
      ['0', '2', '4'].map((offset) => list(project, `limit=2&offset=${offset}`))
    )

    expect(pages.flatMap(({ body }) => distinctIds(body))).toEqual(['p5', 'p4', 'p3', 'p2', 'p1'])
    expect(pages.map(({ body }) => body.next !== null)).toEqual([true, true, false])
  })

  it('is empty behind the last person, and leads back', async () => {
    const project = await newProject()
    await project.ingest(people(3))

    const { status, body } = await list(project, 'limit=2&offset=10')

    expect(status).toBe(200)
    expect(body).toEqual({
      count: 3,
      next: null,
      previous: `${BASE}/api/environments/${project.id}/persons?limit=2&offset=8`,
      results: []
    })
  })

  it('leads back page by page to the first', async () => {
    const project = await newProject()
    await project.ingest(people(5))

    const third = (await list(project, 'limit=2&offset=4')).body
    const second = (await follow(project, third.previous)).body
    const first = (await follow(project, second.previous)).body

    expect(distinctIds(second)).toEqual(['p3', 'p2'])
    expect(distinctIds(first)).toEqual(['p5', 'p4'])
    expect(first.previous).toBeNull()
  })

  it('keeps the other parameters and the path of the request in its links', async () => {
    const project = await newProject()
    await project.ingest([1, 2, 3].map((n) => person(n, `p${n}`, { email: `p${n}@example.com` })))

    const { body } = await request(
      'GET',
      `/api/projects/@current/persons/?search=a%26b%3D%2B%20%C3%A9&search=example.com&limit=1&offset=1&foo=b%20r`,
      { Authorization: `Bearer ${project.key}` }
    )
    const [next, previous] = [new URL(body.next), new URL(body.previous)]

    expect(next.pathname).toBe('/api/projects/@current/persons/')
    expect(next.searchParams.getAll('search')).toEqual(['a&b=+ é', 'example.com'])
    expect(next.searchParams.get('foo')).toBe('b r')
    expect([next.searchParams.get('offset'), previous.searchParams.get('offset')]).toEqual([
      '2',
      null
    ])
    expect(previous.searchParams.get('foo')).toBe('b r')
    expect(previous.searchParams.get('cursor')).toBeNull()
  })
})

describe('walking through next', () => {
  it('meets each person exactly once, also those that come in meanwhile behind the cursor', async () => {
    const project = await newProject()
    await project.ingest(people(9))

    const pages = await walk(project, 'limit=2', (page) =>
      project.ingest([
        person(28, `newer-${page}`),
        { ...person(1, `older-${page}`), timestamp: Date.UTC(2023, 0, page) }
      ])
    )
    const met = pages.flatMap(distinctIds)

    expect(new Set(met).size).toBe(met.length)
    expect(met.filter((id) => id?.startsWith('p'))).toEqual([
      'p9',
      'p8',
      'p7',
      'p6',
      'p5',
      'p4',
      'p3',
      'p2',
      'p1'
    ])
    expect(met.filter((id) => id?.startsWith('newer'))).toEqual([])
    expect(met.filter((id) => id?.startsWith('older'))).not.toEqual([])
    expect(pages.slice(0, -1).map(({ results }) => results.length)).toEqual(
      pages.slice(0, -1).map(() => 2)
    )
  })

  it('meets each person of one moment exactly once', async () => {
    const project = await newProject()
    await project.ingest(Array.from({ length: 7 }, (_, i) => person(1, `p${i}`)))

    const met = (await walk(project, 'limit=2')).flatMap(distinctIds)

    expect(met.toSorted()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'])
  })

  it('carries the count of a filtered list, and counts anew for another filter', async () => {
    const project = await newProject()
    await project.ingest(
      [1, 2, 3, 4].map((n) => person(n, `p${n}`, { email: `p${n}@example.com` }))
    )

    const first = (await list(project, 'search=example&limit=2')).body
    await project.ingest([person(5, 'p5', { email: 'p5@example.com' })])
    const second = (await follow(project, first.next)).body
    const other = (
      await list(
        project,
        `search=p1@example&cursor=${new URL(first.next).searchParams.get('cursor')}`
      )
    ).body

    expect([first.count, second.count]).toEqual([4, 4])
    expect(distinctIds(second)).toEqual(['p2', 'p1'])
    expect(other.count).toBe(1)
  })

  it('shows the true count of the unfiltered list on every page', async () => {
    const project = await newProject()
    await project.ingest(people(4))

    const pages = await walk(project, 'limit=2', () => project.ingest([person(28, 'newer')]))

    expect(pages.map(({ count }) => count)).toEqual([4, 5])
  })

  it.each([
    ['garbage', 'garbage'],
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no JSON', btoa('{"at":1')],
    ['no object', encodeCursor([1, 2])],
    ['a missing part', encodeCursor({ at: 1 })],
    ['text for a number', encodeCursor({ at: '1', id: 1 })],
    ['a fraction', encodeCursor({ at: 1.5, id: 1 })],
    ['SQL', encodeCursor({ at: 1, id: '1) or 1=1 --' })],
    ['a negative count', encodeCursor({ at: 1, id: 1, counted: { count: -1, filters: 'x' } })],
    ['more than a cursor holds', 'a'.repeat(501)]
  ])('refuses a cursor with %s', async (_, cursor) => {
    const project = await newProject()

    const { status, body } = await list(project, `cursor=${encodeURIComponent(cursor)}`)

    expect(status).toBe(400)
    expect(body).toMatchObject({ type: 'validation_error', attr: 'cursor' })
  })
})

describe('a filter', () => {
  it('finds the person with a distinct id', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'ada'), person(2, 'ada2'), person(3, 'Ada')])

    const { status, body } = await list(project, 'distinct_id=ada')

    expect([status, body.count, body.next]).toEqual([200, 1, null])
    expect(distinctIds(body)).toEqual(['ada'])
  })

  it.each([
    "o'hara",
    '100%',
    'a_b',
    '"quoted"',
    'a*b',
    'a+b c',
    'é',
    '日本語',
    '{"a":1}',
    '🙂',
    'a\\b',
    'x'.repeat(200)
  ])('finds the distinct id %s and no other', async (id) => {
    const project = await newProject()
    await project.ingest([person(1, id), person(2, 'other'), person(3, 'aXb')])
    const query = encodeURIComponent(id)

    const filtered = await list(project, `distinct_id=${query}`)
    const searched = await list(project, `search=${query}`)

    expect(distinctIds(filtered.body)).toEqual([id])
    expect(distinctIds(searched.body)).toEqual([id])
    expect([filtered.body.count, searched.body.count]).toEqual([1, 1])
  })

  it('finds every person with an e-mail, exactly as written', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { email: 'ada@example.com' }),
      person(2, 'b', { email: 'Ada@example.com' }),
      person(3, 'c', { email: 'ada@example.com' }),
      person(4, 'd', { email: 'ada@example.com.au' }),
      person(5, 'e', { Email: 'ada@example.com' }),
      person(6, 'f', { name: 'ada@example.com' })
    ])

    const exact = await list(project, 'email=ada@example.com')
    const upper = await list(project, 'email=Ada@example.com')
    const none = await list(project, 'email=ADA@example.com')

    expect([exact.body.count, distinctIds(exact.body)]).toEqual([2, ['c', 'a']])
    expect([upper.body.count, distinctIds(upper.body)]).toEqual([1, ['b']])
    expect(none.body).toEqual(NOBODY)
  })

  it('finds an e-mail with a plus', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: 'ada+x@example.com' })])

    expect((await list(project, 'email=ada%2Bx@example.com')).body.count).toBe(1)
  })

  it('finds the e-mail of now and not that of before', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: 'old@example.com' })])
    await project.ingest([person(2, 'a', { email: 'new@example.com' })])

    expect((await list(project, 'email=old@example.com')).body).toEqual(NOBODY)
    expect((await list(project, 'search=old@')).body).toEqual(NOBODY)
    expect((await list(project, 'email=new@example.com')).body.count).toBe(1)
    expect((await list(project, 'search=new@')).body.count).toBe(1)
  })

  it('finds nobody by the e-mail of a person who was merged away', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'kept', { email: 'kept@example.com' }),
      person(2, 'gone', { email: 'gone@example.com' })
    ])
    await project.ingest([
      {
        event: '$merge_dangerously',
        distinct_id: 'kept',
        timestamp: Date.UTC(2024, 10, 3),
        properties: { alias: 'gone', $set: { email: 'kept@example.com' } }
      }
    ])

    expect((await list(project, 'search=gone@')).body).toEqual(NOBODY)
    expect((await list(project, 'search=kept@')).body.count).toBe(1)
    expect((await list(project, 'search=gone')).body.count).toBe(1)
  })

  it.each([
    'distinct_id=',
    'email=',
    'search=',
    'properties=',
    'properties=[]',
    'distinct_id=&email=&search='
  ])('that is empty filters nothing: %s', async (query) => {
    const project = await newProject()
    await project.ingest(people(2))

    const { status, body } = await list(project, query)

    expect([status, body.count, body.results.length]).toEqual([200, 2, 2])
  })

  it.each([
    ['email=ada@example.com&distinct_id=a', ['a']],
    ['email=ada@example.com&distinct_id=b', []],
    ['email=ada@example.com&search=example', ['c', 'a']],
    ['email=ada@example.com&search=bob', []],
    ['search=example&distinct_id=b', ['b']],
    ['search=ada&distinct_id=b', []],
    ['search=a&email=ada@example.com&distinct_id=c', ['c']],
    ['search=b&distinct_id=a', []]
  ])('and another have both to match: %s', async (query, expected) => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { email: 'ada@example.com' }),
      person(2, 'b', { email: 'bob@example.com' }),
      person(3, 'c', { email: 'ada@example.com' })
    ])

    const { body } = await list(project, query)

    expect([body.count, distinctIds(body)]).toEqual([expected.length, expected])
  })

  it.each(['distinct_id', 'email', 'search'])(
    '%s may not be longer than 1,000 characters',
    async (name) => {
      const project = await newProject()

      const { status, body } = await list(project, `${name}=${'x'.repeat(1_001)}`)

      expect(status).toBe(400)
      expect(body).toEqual({
        type: 'validation_error',
        code: 'max_length',
        detail: 'Ensure this field has no more than 1000 characters.',
        attr: name
      })
    }
  )

  it.each(['properties=x', 'properties=[{', 'properties=1', 'properties="email"'])(
    'on properties is refused and not ignored: %s',
    async (query) => {
      const project = await newProject()

      const { status, body } = await list(project, query)

      expect(status).toBe(400)
      expect(body).toMatchObject({ type: 'validation_error', code: 'invalid_input' })
      expect(body.attr).toMatch(/^properties/)
    }
  )
})

describe('search', () => {
  const EMAIL = 'Ada.Lovelace+news@Sub.Example.COM'

  it.each([
    'Ada.Lovelace+news@Sub.Example.COM',
    'ada.lovelace+news@sub.example.com',
    'ADA.',
    'lace+NEWS',
    '@',
    '.c',
    'Ad',
    'com',
    'lovelace+news@sub.example.c'
  ])('finds a part of an e-mail in any case: %s', async (term) => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: EMAIL }), person(2, 'b', { email: 'b-b' })])

    const { status, body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect([status, body.count, distinctIds(body)]).toEqual([200, 1, ['a']])
  })

  it.each([
    'q',
    'zz',
    'ada lovelace',
    'lovelace ada',
    'ada*',
    'a%e',
    'a_a',
    '"ada"',
    "ada'",
    'OR',
    'NOT ada',
    'search:ada',
    '^ada',
    'ada.lovelace+news@sub.example.comm'
  ])('takes a term as it is and finds nobody with %s', async (term) => {
    const project = await newProject()
    await project.ingest([person(1, 'p', { email: EMAIL })])

    const { status, body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect(status).toBe(200)
    expect(body).toEqual(NOBODY)
  })

  it.each([
    '%',
    '_',
    '"',
    "'",
    '*',
    '""',
    "''",
    '100%',
    'a_b',
    'say "hi"',
    "o'h",
    'x*y',
    '(',
    'a AND',
    '\\',
    '--',
    '🙂',
    '🙂🙂',
    '日本',
    '日本語'
  ])('finds %s where it is, and nowhere else', async (term) => {
    const project = await newProject()
    await project.ingest([
      person(1, 'with', { name: `~${term}~` }),
      person(2, 'without', { name: 'abc axb xaay' })
    ])

    const { status, body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect([status, body.count, distinctIds(body)]).toEqual([200, 1, ['with']])
  })

  it.each([
    ['É composed', 'Éric@example.com', '\u00c9ric'],
    ['É decomposed', '\u00c9ric@example.com', 'E\u0301ric'],
    ['é for É', '\u00c9ric@example.com', '\u00e9ric'],
    ['é decomposed for É', '\u00c9ric@example.com', 'e\u0301ric'],
    ['É for é decomposed', 'e\u0301ric@example.com', '\u00c9RIC'],
    ['one letter, É for é decomposed', 'e\u0301ric@example.com', '\u00c9'],
    ['two letters', 'e\u0301ric@example.com', '\u00c9R'],
    ['Cyrillic', 'ИВАН@example.com', 'иван'],
    ['Greek', 'ΣΊΣΥΦΟΣ', 'σίσυφος']
  ])('takes letters for the same in either case and form: %s', async (_, email, term) => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email }), person(2, 'b', { email: 'eric@example.com' })])

    const { body } = await list(project, `search=${encodeURIComponent(term)}`)

    expect([body.count, distinctIds(body)]).toEqual([1, ['a']])
  })

  it('finds a term of more than 50 bytes', async () => {
    const project = await newProject()
    const local = 'a-very-long-local-part-of-an-address-that-goes-on-and-on-é'
    await project.ingest([
      person(1, 'a', { email: `${local}@example.com` }),
      person(2, 'b', { email: `${local.replace('goes', 'went')}@example.com` })
    ])

    const { body } = await list(
      project,
      `search=${encodeURIComponent(`${local.toUpperCase()}@EXAMPLE`)}`
    )

    expect([body.count, distinctIds(body)]).toEqual([1, ['a']])
  })

  it.each(['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName'])(
    'looks in the property %s',
    async (key) => {
      const project = await newProject()
      await project.ingest([person(1, 'a', { [key]: 'Needle in here' })])

      expect((await list(project, 'search=needle%20in')).body.count).toBe(1)
    }
  )

  it('looks in no other property', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { plan: 'needle', nested: { email: 'needle' } })])

    expect((await list(project, 'search=needle')).body).toEqual(NOBODY)
  })

  it('does not find a term across two properties', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a', { email: 'one@x.com', name: 'Two' })])

    expect((await list(project, 'search=comtwo')).body).toEqual(NOBODY)
    expect((await list(project, `search=${encodeURIComponent('com\u001ftwo')}`)).body).toEqual(
      NOBODY
    )
    expect((await list(project, `search=${encodeURIComponent('m\u001ft')}`)).body).toEqual(NOBODY)
  })

  it('finds a distinct id only as a whole, and in its own case', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'User-42')])

    expect((await list(project, 'search=User-42')).body.count).toBe(1)
    expect((await list(project, 'search=User')).body).toEqual(NOBODY)
    expect((await list(project, 'search=user-42')).body).toEqual(NOBODY)
  })

  it('finds a uuid only as a whole, in either case', async () => {
    const project = await newProject()
    await project.ingest(people(2))
    const { uuid } = (await list(project, '')).body.results[0]

    expect((await list(project, `search=${uuid}`)).body.count).toBe(1)
    expect((await list(project, `search=${uuid.toUpperCase()}`)).body.count).toBe(1)
    expect((await list(project, `search=${uuid.slice(0, -1)}`)).body).toEqual(NOBODY)
  })

  it('shows a person once who is found in more than one way', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'ada@example.com', { email: 'ada@example.com', name: 'ada@example.com' }),
      person(2, 'b', { email: 'not-ada@example.com' })
    ])

    const { body } = await list(project, 'search=ada@example.com')

    expect([body.count, distinctIds(body)]).toEqual([2, ['b', 'ada@example.com']])
  })

  it('pages through its matches, newest first', async () => {
    const project = await newProject()
    await project.ingest([
      ...[1, 2, 3, 4, 5].map((n) => person(n, `p${n}`, { email: `p${n}@example.com` })),
      person(6, 'other', { email: 'other@elsewhere.org' })
    ])

    const pages = await walk(project, 'search=EXAMPLE&limit=2')

    expect(pages.map(distinctIds)).toEqual([['p5', 'p4'], ['p3', 'p2'], ['p1']])
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 5])
  })

  it.each(['search', 'distinct_id', 'email'])('has no null characters in its %s', async (name) => {
    const { status, body } = await list(await newProject(), `${name}=ada%00`)

    expect([status, body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'invalid_input',
        detail: 'Null characters are not allowed.',
        attr: name
      }
    ])
  })

  it('finds a name that holds half a surrogate pair or a NUL', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { name: 'half\ud800needle', email: 'nul\u0000needle@example.com' })
    ])

    const { status, body } = await list(project, 'search=needle')

    expect([status, body.count, distinctIds(body)]).toEqual([200, 1, ['a']])
  })
})

describe("a person's name", () => {
  it.each<[string, JsonObject, string]>([
    ['email', { email: 'e@x.com', Email: 'E', $email: '$e', name: 'n', username: 'u' }, 'e@x.com'],
    ['Email', { Email: 'E', $email: '$e', name: 'n' }, 'E'],
    ['$email', { $email: '$e', name: 'n' }, '$e'],
    ['name', { name: 'n', Name: 'N' }, 'n'],
    ['Name', { Name: 'N', username: 'u' }, 'N'],
    ['username', { username: 'u', Username: 'U' }, 'u'],
    ['Username', { Username: 'U', UserName: 'UN' }, 'U'],
    ['UserName', { UserName: 'UN', plan: 'pro' }, 'UN'],
    ['the first that is not empty', { email: '', Email: null, name: '  ', username: 'u' }, 'u'],
    ['a number', { name: 42 }, '42'],
    ['not an object', { name: { first: 'Ada' } }, 'known-id']
  ])('is %s', async (_, properties, name) => {
    const project = await newProject()
    await project.ingest([person(1, 'known-id', properties)])

    const { body } = await list(project, '')

    expect(body.results[0].name).toBe(name)
  })

  const ANONYMOUS = '0190a8b5-6a45-7000-8000-0123456789ab'

  it('is the first distinct id that no SDK made up', async () => {
    const project = await newProject()
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: ANONYMOUS } }
    ])

    const { body } = await list(project, '')

    expect(body.results[0]).toMatchObject({ name: 'ada', distinct_ids: ['ada', ANONYMOUS] })
  })

  it('is the first distinct id when SDKs made up all', async () => {
    const project = await newProject()
    await project.ingest([person(1, ANONYMOUS)])

    expect((await list(project, '')).body.results[0].name).toBe(ANONYMOUS)
  })
})

/** A person with this many distinct ids, put straight into the table. */
async function personWithDistinctIds(
  project: TestProject,
  count: number,
  name: (n: number) => string
) {
  await project.ingest([person(1, name(1))])
  const { id } = (await list(project, '')).body.results[0]
  for (let n = 2; n <= count; n += 1) {
    await addDistinctId(id, project.id, name(n))
  }
  return id
}

const addDistinctId = (personId: number, projectId: number, distinctId: string) =>
  env.DB.prepare(
    `insert into distinct_ids (key, project_id, distinct_id, person_id)
     select max(key) + 1000000, ?, ?, ? from distinct_ids`
  )
    .bind(projectId, distinctId, personId)
    .run()

describe('many distinct ids', () => {
  it.each([
    [100, 100, undefined],
    [101, 100, true]
  ])(
    'of a person, %i, are %i in the list, which says whether there are more',
    async (count, shown, truncated) => {
      const project = await newProject()
      const id = await personWithDistinctIds(project, count, (n) => `id-${n}`)

      const listed = (await list(project, '')).body.results[0]
      const retrieved = (await project.call('GET', `persons/${id}`)).body
      const csv = await list(project, 'format=csv')

      expect(listed.distinct_ids).toHaveLength(shown)
      expect(listed.distinct_ids.slice(0, 3)).toEqual(['id-1', 'id-2', 'id-3'])
      expect(listed.distinct_ids_truncated).toBe(truncated)
      expect(retrieved.distinct_ids).toHaveLength(count)
      expect(retrieved.distinct_ids_truncated).toBeUndefined()
      expect(csv.text).toContain(`""id-${count}""`)
    }
  )
})

describe('a person on its own', () => {
  it('is found by its integer id and by its uuid, as the list shows it', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { email: 'ada@example.com' })])
    const listed = (await list(project, '')).body.results[0]

    const byId = await project.call('GET', `persons/${listed.id}/`)
    const byUuid = await project.call('GET', `persons/${listed.uuid}/`)
    const byUpperUuid = await project.call('GET', `persons/${listed.uuid.toUpperCase()}`)

    expect(byId.status).toBe(200)
    expect(byId.body).toEqual(listed)
    expect([byUuid.status, byUuid.body]).toEqual([200, listed])
    expect([byUpperUuid.status, byUpperUuid.body]).toEqual([200, listed])
  })

  it.each(['999999999', '0', '00000000-0000-7000-8000-000000000000', '999999999999999'])(
    'is not found: %s',
    async (id) => {
      const project = await newProject()

      const { status, body } = await project.call('GET', `persons/${id}`)

      expect(status).toBe(404)
      expect(body).toEqual({
        type: 'invalid_request',
        code: 'not_found',
        detail: 'Not found.',
        attr: null
      })
    }
  )

  it.each([
    'ada',
    '-1',
    '1.5',
    '1e3',
    '%201',
    '1;drop',
    'ada%40example.com',
    '0190a8b5-6a45-7000-8000',
    '%00',
    '%E0%A4%A',
    '9999999999999999',
    "1'--"
  ])('cannot have the id %s', async (id) => {
    const project = await newProject()

    const { status, body } = await project.call('GET', `persons/${id}`)

    expect(status).toBe(400)
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail:
        "A person's id is an integer or a UUID. To find a person by a distinct id, list persons with the query parameter distinct_id.",
      attr: 'id'
    })
  })

  it('keeps its uuid and id when its properties change', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { plan: 'free' })])
    const before = (await list(project, '')).body.results[0]
    await project.ingest([person(2, 'ada', { plan: 'pro' })])

    const { body } = await project.call('GET', `persons/${before.id}`)

    expect(body).toEqual({ ...before, properties: { ...before.properties, plan: 'pro' } })
  })
})

describe('CSV', () => {
  const RECORDS = /\r\n$/

  it('has one line for each person below a header of all keys, sorted', async () => {
    const project = await newProject()
    await project.ingest([
      {
        ...person(1, 'ada', { email: 'ada@example.com', plan: 'pro', n: 1, yes: true, none: null }),
        uuid: '01a1f000-0000-7000-8000-0000000000c1'
      },
      {
        ...person(2, 'bob', {
          address: { city: 'Paris', geo: { lat: -1.5 } },
          tags: ['a', { b: 1 }]
        }),
        uuid: '01a1f000-0000-7000-8000-0000000000c2'
      }
    ])
    const [bob, ada] = (await list(project, '')).body.results

    const { status, headers, text } = await list(project, 'format=csv')

    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="persons.csv"')
    expect(text.split('\r\n')).toEqual([
      'created_at,distinct_ids,id,name,properties.$creator_event_uuid,properties.address.city,properties.address.geo.lat,properties.email,properties.n,properties.none,properties.plan,properties.tags,properties.yes,uuid',
      `2024-11-02T00:00:00.000Z,"[""bob""]",${bob.id},bob,01a1f000-0000-7000-8000-0000000000c2,Paris,-1.5,,,,,"[""a"",{""b"":1}]",,${bob.uuid}`,
      `2024-11-01T00:00:00.000Z,"[""ada""]",${ada.id},ada@example.com,01a1f000-0000-7000-8000-0000000000c1,,,ada@example.com,1,,pro,,true,${ada.uuid}`,
      ''
    ])
  })

  it.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'say "hi"', '"say ""hi"""'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['letters of all kinds', 'é日🙂', 'é日🙂'],
    ['a formula', '=1+1', "'=1+1"],
    ['a plus', '+1', "'+1"],
    ['a minus', '-1', "'-1"],
    ['an at', '@SUM(A1)', "'@SUM(A1)"],
    ['a tab', '\t=1', "'\t=1"],
    ['a return before a formula', '\r=1', '"\'\r=1"'],
    ['a formula with a quote', '=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['a formula later on', 'a=1', 'a=1'],
    ['a negative number', -1.5, '-1.5'],
    ['an empty list', [], '[]'],
    ['a list', ['=1', 2], '"[""=1"",2]"'],
    ['false', false, 'false'],
    ['nothing', null, '']
  ])('writes %s as RFC 4180 and no spreadsheet trips over', async (_, value, cell) => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { x: value })])
    const { uuid } = (await list(project, '')).body.results[0]

    const { text } = await list(project, 'format=csv')

    expect(text.slice(text.indexOf('\r\n') + 2).endsWith(`,${cell},${uuid}\r\n`)).toBe(true)
    expect(text).toMatch(RECORDS)
  })

  it('keeps a formula out of its header too', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { 'a,"b"': 1 })])

    const { text } = await list(project, 'format=csv')

    expect(text.split('\r\n')[0]).toContain('"properties.a,""b"""')
  })

  it('comes for Accept: text/csv too, and not for clients that take JSON', async () => {
    const project = await newProject()
    await project.ingest(people(1))
    const accepting = (accept: string, query = '') =>
      project.call('GET', `persons${query}`, { Accept: accept })
    const types = await Promise.all([
      accepting('text/csv'),
      accepting('text/csv, */*;q=0.1'),
      accepting('application/json'),
      accepting('*/*'),
      accepting('text/csv', '?format=json'),
      accepting('application/json', '?format=csv')
    ])

    expect(types.map(({ headers }) => headers.get('Content-Type'))).toEqual([
      'text/csv; charset=utf-8',
      'text/csv; charset=utf-8',
      'application/json',
      'application/json',
      'application/json',
      'text/csv; charset=utf-8'
    ])
  })

  it.each(['xml', 'CSV', '', 'csv,json'])('is no other format: %s', async (format) => {
    const project = await newProject()
    await project.ingest(people(1))
    const { id } = (await list(project, '')).body.results[0]

    const listed = await list(project, `format=${format}`)
    const retrieved = await project.call('GET', `persons/${id}?format=${format}`)

    const refusal = {
      type: 'validation_error',
      code: 'invalid_choice',
      detail: `"${format}" is not a valid choice.`,
      attr: 'format'
    }
    expect([listed.status, listed.body]).toEqual([400, refusal])
    expect([retrieved.status, retrieved.body]).toEqual([400, refusal])
  })

  it('answers its errors as JSON', async () => {
    const project = await newProject()

    const { status, headers, body } = await list(project, 'format=csv&limit=0')

    expect(status).toBe(400)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'limit' })
  })

  it('has only its header for nobody', async () => {
    const project = await newProject()

    const { status, text } = await list(project, 'format=csv')

    expect([status, text]).toEqual([200, 'created_at,distinct_ids,id,name,uuid\r\n'])
  })

  const lines = (text: string) => text.split('\r\n').slice(1, -1)

  it('has no cap, and a limit beyond a page is not clamped', async () => {
    const project = await newProject()
    const events = Array.from({ length: 1_050 }, (_, i) => person(1, `p${i}`))
    await project.ingest(events.slice(0, 500))
    await project.ingest(events.slice(500))

    const [all, limited, few, rest] = await Promise.all([
      list(project, 'format=csv'),
      list(project, 'format=csv&limit=1010'),
      list(project, 'format=csv&limit=3'),
      list(project, 'format=csv&offset=1048')
    ])

    expect([all, limited, few, rest].map(({ text }) => lines(text).length)).toEqual([
      1_050, 1_010, 3, 2
    ])
  })

  it('is read in more than one page when persons are large, and has each once', async () => {
    const project = await newProject()
    const events = Array.from({ length: 24 }, (_, i) =>
      person(i + 1, `p${i + 1}`, { text: 'x'.repeat(400_000) })
    )
    for (const event of events) {
      await project.ingest([event])
    }

    const { text } = await list(project, 'format=csv')

    expect(lines(text).map((line) => line.slice(0, 10))).toEqual(
      events.map((_, i) => `2024-11-${String(24 - i).padStart(2, '0')}`)
    )
  })

  it('is filtered and ordered like the list', async () => {
    const project = await newProject()
    await project.ingest([
      person(1, 'a', { email: 'a@example.com' }),
      person(2, 'b', { email: 'b@elsewhere.org' }),
      person(3, 'c', { email: 'c@example.com' })
    ])

    const { text } = await list(project, 'format=csv&search=example')

    expect(lines(text).map((line) => line.slice(0, 10))).toEqual(['2024-11-03', '2024-11-01'])
    expect(text).not.toContain('elsewhere')
  })

  it('is one line for one person', async () => {
    const project = await newProject()
    await project.ingest([
      {
        ...person(1, 'ada', { email: 'ada@example.com', a: { b: 1 } }),
        uuid: '01a1f000-0000-7000-8000-0000000000c3'
      }
    ])
    const { id, uuid } = (await list(project, '')).body.results[0]

    const byFormat = await project.call('GET', `persons/${uuid}/?format=csv`)
    const byAccept = await project.call('GET', `persons/${id}`, { Accept: 'text/csv' })

    expect(byFormat.status).toBe(200)
    expect(byFormat.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(byFormat.text).toBe(
      'created_at,distinct_ids,id,name,properties.$creator_event_uuid,properties.a.b,properties.email,uuid\r\n' +
        `2024-11-01T00:00:00.000Z,"[""ada""]",${id},ada@example.com,01a1f000-0000-7000-8000-0000000000c3,1,ada@example.com,${uuid}\r\n`
    )
    expect(byAccept.text).toBe(byFormat.text)
  })
})
