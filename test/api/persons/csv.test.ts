import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { aroundCalls } from '../../support/faults.ts'
import { list, people, person } from '../../support/persons.ts'
import { BASE, newProject } from '../../support/project.ts'
import { seedPersons } from '../../support/seed.ts'
import { until } from '../../support/until.ts'
import worker from '../../support/worker.ts'

describe('CSV', () => {
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
      `2024-11-02T00:00:00Z,"[""bob""]",${bob.id},bob,01a1f000-0000-7000-8000-0000000000c2,Paris,-1.5,,,,,"[""a"",{""b"":1}]",,${bob.uuid}`,
      `2024-11-01T00:00:00Z,"[""ada""]",${ada.id},ada@example.com,01a1f000-0000-7000-8000-0000000000c1,,,ada@example.com,1,,pro,,true,${ada.uuid}`,
      ''
    ])
  })

  it.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'say "hi"', '"say ""hi"""'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['characters beyond ASCII', 'é日🙂', 'é日🙂'],
    ['a formula', '=1+1', "'=1+1"],
    ['a plus', '+1+1', "'+1+1"],
    ['a minus', '-1-1', "'-1-1"],
    ['a text that is a negative number', '-5', '-5'],
    ['an at sign', '@SUM(A1)', "'@SUM(A1)"],
    ['a tab', '\t=1', "'\t=1"],
    ['a carriage return before a formula', '\r=1', '"\'\r=1"'],
    ['a formula with a quote', '=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['an equals sign that is not the first character', 'a=1', 'a=1'],
    ['a negative number', -1.5, '-1.5'],
    ['an empty list', [], '[]'],
    ['a list', ['=1', 2], '"[""=1"",2]"'],
    ['false', false, 'false'],
    ['null', null, '']
  ])('writes %s by RFC 4180, and so that no spreadsheet runs it', async (_, value, cell) => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { x: value })])
    const { uuid } = (await list(project, '')).body.results[0]

    const { text } = await list(project, 'format=csv')

    expect(text.slice(text.indexOf('\r\n') + 2).endsWith(`,${cell},${uuid}\r\n`)).toBe(true)
  })

  it('quotes a comma and a quote in its header, too', async () => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { 'a,"b"': 1 })])

    const { text } = await list(project, 'format=csv')

    expect(text.split('\r\n')[0]).toContain('"properties.a,""b"""')
  })

  it('is also sent for Accept: text/csv, unless `format` says otherwise', async () => {
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

  it.each(['xml', 'CSV', '', 'csv,json'])('is not sent for another format: %s', async (format) => {
    const project = await newProject()
    await project.ingest(people(1))
    const { id } = (await list(project, '')).body.results[0]

    const listed = await list(project, `format=${format}`)
    const retrieved = await project.call('GET', `persons/${id}?format=${format}`)

    const refusal = {
      type: 'validation_error',
      code: 'invalid_choice',
      detail: `"${format}" is not a valid choice. Choices: json, csv.`,
      attr: 'format'
    }
    expect([listed.status, listed.body]).toEqual([400, refusal])
    expect([retrieved.status, retrieved.body]).toEqual([400, refusal])
  })

  it('is sent for a dry run of a deletion', async () => {
    const project = await newProject()
    await project.ingest(people(1))
    const { id } = (await list(project, '')).body.results[0]

    const { status, text } = await project.call('DELETE', `persons/${id}?dry_run=true&format=csv`)

    expect([status, text.split('\r\n')[0]]).toEqual([200, expect.stringContaining('persons_found')])
  })

  it('reports errors as JSON', async () => {
    const project = await newProject()

    const { status, headers, body } = await list(project, 'format=csv&limit=0')

    expect(status).toBe(400)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'limit' })
  })

  it('is only a header for a project without persons', async () => {
    const project = await newProject()

    const { status, text } = await list(project, 'format=csv')

    expect([status, text]).toEqual([200, 'created_at,distinct_ids,id,name,uuid\r\n'])
  })

  const lines = (text: string) => text.split('\r\n').slice(1, -1)

  it('has every person by default, and allows a higher `limit` than a page of JSON', async () => {
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

  it('is read in several pages when persons are large, and has each person once', async () => {
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
        `2024-11-01T00:00:00Z,"[""ada""]",${id},ada@example.com,01a1f000-0000-7000-8000-0000000000c3,1,ada@example.com,${uuid}\r\n`
    )
    expect(byAccept.text).toBe(byFormat.text)
  })
})

describe('the byte order mark', () => {
  const MARK = [0xef, 0xbb, 0xbf]

  it.each([
    ['GET', 'persons/?format=csv'],
    ['GET', 'persons/ID/?format=csv'],
    ['GET', 'persons/activity/?format=csv'],
    ['GET', 'persons/ID/properties_timeline/?format=csv'],
    ['GET', `insights/trend/?format=csv&events=${encodeURIComponent('[{"id":"$pageview"}]')}`]
  ])('begins CSV only with `bom=true`: %s %s', async (method, path) => {
    const project = await newProject()
    await project.ingest([person(1, 'ada', { email: 'ada@example.com' })])
    const [{ id }] = (await list(project, '')).body.results
    const read = async (more: string) => {
      const { bytes } = await project.call(method, path.replace('ID', id) + more)
      return [...bytes]
    }

    const plain = await read('')
    expect(plain.slice(0, 3)).not.toEqual(MARK)
    expect(await read('&bom=false')).toEqual(plain)
    expect(await read('&bom=true')).toEqual([...MARK, ...plain])
  })

  it.each([
    ['persons/?bom=true', {}],
    ['persons/?bom=maybe&format=csv', {}],
    ['persons/?bom=true&format=json', { Accept: 'text/csv' }],
    [`insights/trend/?bom=true&events=${encodeURIComponent('[{"id":"$pageview"}]')}`, {}],
    [`insights/trend/?bom=1&format=svg&events=${encodeURIComponent('[{"id":"$pageview"}]')}`, {}]
  ])('is refused without CSV: %s', async (path, headers) => {
    const { status, body } = await (await newProject()).call('GET', path, headers)

    expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', 'bom'])
  })

  it('is sent where a header asks for CSV', async () => {
    const { bytes } = await (await newProject()).call('GET', 'persons/?bom=true', {
      Accept: 'text/csv'
    })

    expect([...bytes.slice(0, 3)]).toEqual(MARK)
  })
})

it('CSV of many persons is read from the database no faster than the client reads it', async () => {
  const project = await newProject()
  await seedPersons(project.id, {
    count: 22_000,
    email: "'p' || n || '@example.com'",
    firstId: 5_000_000
  })
  let calls = 0
  const DB = aroundCalls(env.DB, (run) => {
    calls += 1
    return run()
  })
  const headers = { Authorization: `Bearer ${project.key}` }
  const request = new Request(`${BASE}/api/environments/${project.id}/persons/?format=csv`, {
    headers
  })
  const response = await worker.fetch(request, { ...env, DB }, createExecutionContext())
  const callsToFindColumns = calls
  const reader = response.body?.getReader()

  let rows = 0
  const callsAtEachChunk: number[] = []
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    callsAtEachChunk.push(calls - callsToFindColumns)
    rows += new TextDecoder().decode(chunk.value).split('\r\n').length - 1
  }

  expect(rows).toBe(22_001)
  // The header, four pages of 5,000 and one of 2,000: at most one page is read ahead of the client.
  expect(callsAtEachChunk).toHaveLength(6)
  callsAtEachChunk.forEach((read, taken) => {
    expect(read).toBeLessThanOrEqual(taken + 1)
  })
})

it('CSV that the client cancels is not read to its end', async () => {
  const project = await newProject()
  await seedPersons(project.id, {
    count: 11_000,
    email: "'p' || n || '@example.com'",
    firstId: 6_000_000
  })
  let calls = 0
  let pending = 0
  const DB = aroundCalls(env.DB, (run) => {
    calls += 1
    pending += 1
    return run().finally(() => {
      pending -= 1
    })
  })
  const headers = { Authorization: `Bearer ${project.key}` }
  const request = new Request(`${BASE}/api/environments/${project.id}/persons/?format=csv`, {
    headers
  })
  const ctx = createExecutionContext()
  const response = await worker.fetch(request, { ...env, DB }, ctx)
  const before = calls
  await response.body?.cancel()
  await waitOnExecutionContext(ctx)
  await until(() => pending === 0)

  expect(calls - before).toBeLessThanOrEqual(1)
})
