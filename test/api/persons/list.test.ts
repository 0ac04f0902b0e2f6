import { describe, expect, it } from 'vitest'
import { encodeCursor } from '../../../src/http/page.ts'
import { UUID_V7 } from '../../support/capture.ts'
import {
  distinctIds,
  follow,
  type ListedPerson,
  list,
  NOBODY,
  people,
  person,
  walk
} from '../../support/persons.ts'
import { BASE, newProject, request } from '../../support/project.ts'

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

  it('has the higher id first among persons created at the same moment', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'a')])
    await project.ingest([person(1, 'b')])
    await project.ingest([person(1, 'c')])

    const { body } = await list(project, '')
    const ids = body.results.map(({ id }: ListedPerson) => id)

    expect(distinctIds(body)).toEqual(['c', 'b', 'a'])
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a))
  })

  it('does not contain an identity without a person', async () => {
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

  it('refuses a parameter with the name of a member of every object', async () => {
    const { status, body } = await list(await newProject(), '__proto__=x')

    expect([status, body.attr]).toEqual([400, '__proto__'])
  })
})

describe('a page', () => {
  it('has 100 persons by default', async () => {
    const project = await newProject()
    await project.ingest(people(101))

    const { body } = await list(project, '')

    expect(body.results).toHaveLength(100)
    expect(body.count).toBe(101)
    expect(new URL(body.next).searchParams.get('offset')).toBe('100')
  })

  it('has the requested number of persons, and a link to the next page', async () => {
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

  it('has at most 1,000 persons, whatever the limit, and a link to the next page', async () => {
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

  const NOT_AN_INTEGER = 'A valid integer is required.'
  const TOO_SMALL = 'Ensure this value is greater than or equal to'

  it.each([
    ['limit', '0', `${TOO_SMALL} 1.`],
    ['limit', '-1', `${TOO_SMALL} 1.`],
    ['limit', '-0', NOT_AN_INTEGER],
    ['limit', 'abc', NOT_AN_INTEGER],
    ['limit', '1.5', NOT_AN_INTEGER],
    ['limit', '', NOT_AN_INTEGER],
    ['limit', '1e3', NOT_AN_INTEGER],
    ['limit', '%2010', NOT_AN_INTEGER],
    ['limit', '99999999999999999999', NOT_AN_INTEGER],
    ['offset', '-1', `${TOO_SMALL} 0.`],
    ['offset', 'abc', NOT_AN_INTEGER],
    ['offset', '1.5', NOT_AN_INTEGER],
    ['offset', '', NOT_AN_INTEGER],
    ['offset', '99999999999999999999', NOT_AN_INTEGER]
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

  it('can be reached by offsets alone, with each person once', async () => {
    const project = await newProject()
    await project.ingest(people(5))

    const pages = await Promise.all(
      ['0', '2', '4'].map((offset) => list(project, `limit=2&offset=${offset}`))
    )

    expect(pages.flatMap(({ body }) => distinctIds(body))).toEqual(['p5', 'p4', 'p3', 'p2', 'p1'])
    expect(pages.map(({ body }) => body.next !== null)).toEqual([true, true, false])
  })

  it('is empty after the last person, and leads back', async () => {
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
      `/api/projects/@current/persons/?search=example.com&search=example.com&limit=1&offset=1&_=b%20r&client_query_id=a%26b%3D%2B%20%C3%A9`,
      { Authorization: `Bearer ${project.key}` }
    )
    const [next, previous] = [new URL(body.next), new URL(body.previous)]

    expect(next.pathname).toBe('/api/projects/@current/persons/')
    expect(next.searchParams.getAll('search')).toEqual(['example.com', 'example.com'])
    expect(next.searchParams.get('client_query_id')).toBe('a&b=+ é')
    expect([next.searchParams.get('offset'), previous.searchParams.get('offset')]).toEqual([
      '2',
      null
    ])
    expect(previous.searchParams.get('_')).toBe('b r')
    expect(previous.searchParams.get('cursor')).toBeNull()
  })
})

describe('walking through next', () => {
  it('returns each person exactly once, including those who arrive behind the cursor in the meantime', async () => {
    const project = await newProject()
    await project.ingest(people(9))

    const pages = await walk(project, 'limit=2', (page) =>
      project.ingest([
        person(28, `newer-${page}`),
        { ...person(1, `older-${page}`), timestamp: Date.UTC(2023, 0, 28 - page) }
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
    expect(met.filter((id) => id?.startsWith('older'))).toEqual(
      pages.slice(1).map((_, i) => `older-${i + 1}`)
    )
    expect(pages.slice(0, -1).map(({ results }) => results.length)).toEqual(
      pages.slice(0, -1).map(() => 2)
    )
  })

  it('returns each person created at the same moment exactly once', async () => {
    const project = await newProject()
    await project.ingest(Array.from({ length: 7 }, (_, i) => person(1, `p${i}`)))

    const met = (await walk(project, 'limit=2')).flatMap(distinctIds)

    expect(met.toSorted()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'])
  })

  it('carries the count of a filtered list, and counts again for another filter', async () => {
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

  it.each(['exact', 'in'])('refuses a filter with %s that has no values', async (operator) => {
    const project = await newProject()
    const empty = { key: 'email', operator, value: [] }
    const group = { type: 'OR', values: [{ key: 'plan', value: 'pro' }, empty] }

    for (const properties of [[empty], group]) {
      const { status, body } = await list(
        project,
        `properties=${encodeURIComponent(JSON.stringify(properties))}`
      )

      expect([status, body.attr]).toEqual([400, 'properties'])
      expect(body.detail).toMatch(/^The filter of "email" has no values/)
    }
  })

  it.each([
    ['garbage', 'garbage'],
    ['nothing', ''],
    ['invalid base64', '%%%'],
    ['invalid JSON', btoa('{"at":1')],
    ['a list', btoa('[1,2]')],
    ['a missing id', encodeCursor({ at: 1 }, 0)],
    ['text for a number', encodeCursor({ at: '1', id: 1 }, 0)],
    ['a fraction', encodeCursor({ at: 1.5, id: 1 }, 0)],
    ['SQL', encodeCursor({ at: 1, id: '1) or 1=1 --' }, 0)],
    ['a negative count', encodeCursor({ at: 1, id: 1, counted: { count: -1, filters: 'x' } }, 0)],
    ['too many characters', 'a'.repeat(501)]
  ])('refuses a cursor with %s', async (_, cursor) => {
    const project = await newProject()

    const { status, body } = await list(project, `cursor=${encodeURIComponent(cursor)}`)

    expect(status).toBe(400)
    expect(body).toMatchObject({ type: 'validation_error', attr: 'cursor' })
  })
})
