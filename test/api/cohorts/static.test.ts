import { afterAll, describe, expect, it } from 'vitest'
import { newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { ask, asNode, lines, newStory } from '../../support/trends.ts'

afterAll(untilQuiet)

const uuidOf = async (project: TestProject, distinctId: string): Promise<string> =>
  (await project.call('GET', `persons/?distinct_id=${distinctId}`)).body.results[0].uuid

async function create(project: TestProject, body: object) {
  const answer = await project.send('POST', 'cohorts/', body)
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

/** Creates a static cohort of the persons with these distinct ids. */
async function newCohort(project: TestProject, ...names: string[]) {
  const ids = await Promise.all(names.map((name) => uuidOf(project, name)))
  return create(project, { name: 'Picked', is_static: true, _create_static_person_ids: ids })
}

const namesIn = async (project: TestProject, path: string): Promise<string[]> =>
  (await project.call('GET', path)).body.results.map(({ name }: { name: string }) => name)

/** The page views of each of three days, by actors with or without a filter. */
const trendOf = async (project: TestProject, ...properties: object[]) =>
  askTrend(project, { properties })

async function askTrend(project: TestProject, fields: object) {
  const answer = await ask(project, asNode(fields))
  expect([answer.status, answer.body.detail]).toEqual([200, undefined])
  return lines(answer)[0]?.[1]
}

const inCohort = (value: unknown, operator = 'in') => ({
  type: 'cohort',
  key: 'id',
  value,
  operator
})

describe('a static cohort', () => {
  it('has the members that it was created with', async () => {
    const project = await newStory()
    const ada = await uuidOf(project, 'ada')
    const missing = '01a1f000-0000-7000-8000-000000000009'
    const cohort = await create(project, {
      name: 'Picked',
      description: 'By hand',
      is_static: true,
      _create_static_person_ids: [ada, ada.toUpperCase(), ada, missing]
    })

    expect(cohort).toMatchObject({
      name: 'Picked',
      description: 'By hand',
      is_static: true,
      filters: null,
      groups: [],
      deleted: false,
      is_calculating: false,
      errors_calculating: 0,
      count: 1,
      created_by: { id: project.user.id },
      upload: { matched: 2, unmatched: 1, duplicates: 1, unmatched_examples: [missing] }
    })
    expect(cohort.last_calculation).toBe(cohort.created_at)
    const { upload, ...kept } = cohort
    expect(upload).toBeDefined()
    expect((await project.call('GET', `cohorts/${cohort.id}/`)).body).toEqual(kept)
    expect((await project.call('GET', 'cohorts/')).body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [kept]
    })
    expect(await namesIn(project, `cohorts/${cohort.id}/persons/`)).toEqual(['ada'])
    expect(await namesIn(project, `persons/?cohort=${cohort.id}`)).toEqual(['ada'])
  })

  it('filters trends by who is a member now, with or without a person', async () => {
    const project = await newStory()
    const cohort = await newCohort(project, 'ada')

    expect(await trendOf(project)).toEqual([2, 0, 3])
    expect(await trendOf(project, inCohort(cohort.id))).toEqual([2, 0, 1])
    expect(await trendOf(project, inCohort(String(cohort.id), 'exact'))).toEqual([2, 0, 1])
    expect(await trendOf(project, inCohort([cohort.id], 'not_in'))).toEqual([0, 0, 2])
    const bob = { type: 'person', key: 'plan', operator: 'exact', value: 'pro' }
    const either = { type: 'OR', values: [inCohort(cohort.id), bob] }
    expect(await askTrend(project, { properties: either })).toEqual([2, 0, 2])
    const series = [
      {
        kind: 'EventsNode',
        event: '$pageview',
        math: 'dau',
        properties: [inCohort(cohort.id, 'not_in')]
      }
    ]
    expect(await askTrend(project, { series })).toEqual([0, 0, 2])
  })

  it('filters the other questions and lists', async () => {
    const project = await newStory()
    const cohort = await newCohort(project, 'bob')
    const properties = [inCohort(cohort.id)]
    const ofQuery = async (query: object) => {
      const answer = await project.send('POST', 'query/', { query })
      expect([answer.status, answer.body.detail]).toEqual([200, undefined])
      return answer.body.results
    }

    const encoded = encodeURIComponent(JSON.stringify(properties))
    const events = (await project.call('GET', `events/?properties=${encoded}`)).body.results
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['$pageview', 'bought'])
    expect(await namesIn(project, `persons/?properties=${encoded}`)).toEqual(['bob'])
    expect(await ofQuery({ kind: 'EventsQuery', select: ['event'], properties })).toHaveLength(0)
    const range = { after: '2025-06-01', before: '2025-06-04' }
    expect(await ofQuery({ kind: 'EventsQuery', select: ['event'], properties, ...range })).toEqual(
      [['$pageview'], ['bought']]
    )
    const select = ['person_display_name']
    expect(await ofQuery({ kind: 'ActorsQuery', select, properties })).toMatchObject([
      [{ distinct_id: 'bob' }]
    ])
    expect(
      await ofQuery({ kind: 'ActorsQuery', select, properties: [inCohort(cohort.id, 'not_in')] })
    ).toMatchObject([[{ distinct_id: 'ada' }]])
    const dateRange = { date_from: '2025-06-01', date_to: '2025-06-03' }
    const [step] = await ofQuery({
      kind: 'FunnelsQuery',
      series: [
        { kind: 'EventsNode', event: 'bought' },
        { kind: 'EventsNode', event: '$pageview' }
      ],
      properties,
      dateRange
    })
    expect(step.count).toBe(1)
    const [stickiness] = await ofQuery({
      kind: 'StickinessQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      properties,
      dateRange
    })
    expect(stickiness.count).toBe(1)
    const lifecycle = await ofQuery({
      kind: 'LifecycleQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      properties,
      dateRange
    })
    expect(lifecycle.map(({ count }: { count: number }) => count)).toContain(1)
    const [retention] = await ofQuery({ kind: 'RetentionQuery', properties, dateRange })
    expect(retention).toBeDefined()
  })

  it('gets and loses members', async () => {
    const project = await newStory()
    const cohort = await newCohort(project, 'ada')
    const bob = await uuidOf(project, 'bob')
    const path = (name: string) => `cohorts/${cohort.id}/${name}_static_cohort/`

    const added = await project.send('PATCH', path('add_persons_to'), { person_ids: [bob] })
    expect([added.status, added.body]).toEqual([
      200,
      { success: true, matched: 1, unmatched: 0, duplicates: 0, unmatched_examples: [] }
    ])
    expect((await project.call('GET', `cohorts/${cohort.id}/`)).body.count).toBe(2)
    const remove = () => project.send('PATCH', path('remove_person_from'), { person_id: bob })
    expect((await remove()).body).toEqual({ success: true })
    expect((await remove()).body).toEqual({ success: true })
    expect(await namesIn(project, `cohorts/${cohort.id}/persons/`)).toEqual(['ada'])
    const dynamic = await create(project, {
      filters: {
        properties: {
          type: 'AND',
          values: [{ type: 'person', key: 'plan', operator: 'exact', value: 'pro' }]
        }
      }
    })
    const refused = await project.send(
      'PATCH',
      `cohorts/${dynamic.id}/add_persons_to_static_cohort/`,
      { person_ids: [bob] }
    )
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_input'])
  })

  it('is changed and deleted', async () => {
    const project = await newStory()
    const cohort = await newCohort(project, 'ada')
    const path = `cohorts/${cohort.id}/`

    const renamed = await project.send('PATCH', path, { name: 'Chosen' })
    expect(renamed.body).toMatchObject({ name: 'Chosen', count: 1 })
    const refusals = [
      [{ is_static: false }, 'is_static'],
      [{ filters: { properties: {} } }, 'filters'],
      [{ _create_static_person_ids: [cohort.created_by.uuid] }, '_create_static_person_ids'],
      [{ query: { kind: 'ActorsQuery' } }, 'query'],
      [{ csv: 'ada' }, 'csv'],
      [{ name: 'x'.repeat(401) }, 'name'],
      [{ count: 5, id: 9 }, 'id']
    ] as const
    for (const [body, attr] of refusals) {
      const { status, body: error } = await project.send('PATCH', path, body)
      expect([status, error.attr]).toEqual([400, attr])
    }
    expect((await project.send('PATCH', path, { deleted: true })).body.deleted).toBe(true)
    expect((await project.call('GET', path)).status).toBe(404)
    const other = await newCohort(project, 'bob')
    expect((await project.call('DELETE', `cohorts/${other.id}/`)).status).toBe(204)
    expect((await project.call('DELETE', `cohorts/${other.id}/`)).status).toBe(404)

    const asked = await ask(project, asNode({ properties: [inCohort(cohort.id)] }))
    expect([asked.status, asked.body.attr]).toEqual([400, 'properties'])
    expect(asked.body.detail).toBe(`The cohort ${cohort.id} does not exist, or was deleted.`)
    for (const list of ['persons', 'events']) {
      const encoded = encodeURIComponent(JSON.stringify([inCohort(cohort.id)]))
      const answer = await project.call('GET', `${list}/?properties=${encoded}`)
      expect([answer.status, answer.body.attr]).toEqual([400, 'properties'])
    }
    const listed = await project.call('GET', `persons/?cohort=${cohort.id}`)
    expect([listed.status, listed.body.attr]).toEqual([400, 'cohort'])
  })

  it('belongs to one project and needs its scopes', async () => {
    const project = await newStory()
    const cohort = await newCohort(project, 'ada')
    const other = await newStory()

    for (const path of [`cohorts/${cohort.id}/`, `cohorts/${cohort.id}/persons/`]) {
      expect((await other.call('GET', path)).status).toBe(404)
    }
    expect((await other.send('PATCH', `cohorts/${cohort.id}/`, { name: 'Mine' })).status).toBe(404)
    expect((await other.call('DELETE', `cohorts/${cohort.id}/`)).status).toBe(404)
    expect((await other.call('GET', `persons/?cohort=${cohort.id}`)).status).toBe(400)
    const asked = await ask(other, asNode({ properties: [inCohort(cohort.id)] }))
    expect(asked.status).toBe(400)
    const foreign = { person_ids: [await uuidOf(other, 'ada')] }
    const path = `cohorts/${cohort.id}/add_persons_to_static_cohort/`
    expect((await project.send('PATCH', path, foreign)).body.unmatched).toBe(1)

    const [reader, lister] = await Promise.all([
      project.newKey(['cohort:read']),
      project.newKey(['person:read'])
    ])
    const call = async (key: string, method: string, below: string) => {
      const headers = { Authorization: `Bearer ${key}` }
      return (await request(method, `/api/projects/${project.id}/${below}`, headers)).status
    }
    expect(await call(reader, 'GET', `cohorts/${cohort.id}/`)).toBe(200)
    expect(await call(reader, 'DELETE', `cohorts/${cohort.id}/`)).toBe(403)
    expect(await call(reader, 'GET', `cohorts/${cohort.id}/persons/`)).toBe(403)
    expect(await call(lister, 'GET', `cohorts/${cohort.id}/persons/`)).toBe(200)
    expect(await call(lister, 'GET', 'cohorts/')).toBe(403)
  })

  it('follows persons through merges, splits and erasures', async () => {
    const project = await newStory()
    const cohort = await newCohort(project, 'ada', 'bob')
    const count = async () => (await project.call('GET', `cohorts/${cohort.id}/`)).body.count

    await project.ingest([
      { event: '$identify', distinct_id: 'carol', properties: { $set: { plan: 'new' } } },
      {
        event: '$merge_dangerously',
        distinct_id: 'carol',
        properties: { alias: 'bob' }
      }
    ])
    expect(await count()).toBe(2)
    expect(await trendOf(project, inCohort(cohort.id))).toEqual([2, 0, 2])
    const merged = (await project.call('GET', 'persons/?distinct_id=bob')).body.results[0]
    expect(merged.distinct_ids).toContain('carol')
    await project.send('POST', `persons/${merged.uuid}/split/`, { main_distinct_id: 'carol' })
    expect(await count()).toBe(2)
    expect(await namesIn(project, `cohorts/${cohort.id}/persons/?search=carol`)).toEqual(['carol'])
    expect(await trendOf(project, inCohort(cohort.id))).toEqual([2, 0, 1])

    const ada = await uuidOf(project, 'ada')
    const preview = await project.send('DELETE', `persons/${ada}/?dry_run=true`)
    expect(preview.body.stores).toContainEqual({ store: 'cohort_members', deleted: 1, kept: 0 })
    await project.call('DELETE', `persons/${ada}/`)
    expect(await count()).toBe(1)
    expect(await trendOf(project, inCohort(cohort.id))).toEqual([0, 0, 0])
  })
})

describe('a filter by a cohort', () => {
  it.each([
    [{ key: 'cohort' }, 'The `key` of a filter by a cohort is "id"; got "cohort".'],
    [{ operator: 'gt' }, 'A filter by a cohort has the operator in or not_in; got "gt".'],
    [{ value: 'x' }, 'is the id of one cohort; got "x"'],
    [{ value: [1, 2] }, 'is the id of one cohort; got [1,2]'],
    [{ value: 0 }, 'is the id of one cohort; got 0'],
    [{ negation: true }, 'use the opposite operator']
  ])('with %j is refused', async (change, detail) => {
    const project = await newProject()
    const answer = await ask(project, asNode({ properties: [{ ...inCohort(1), ...change }] }))

    expect([answer.status, answer.body.attr]).toEqual([400, 'query__properties'])
    expect(answer.body.detail).toContain(detail)
  })

  it('is refused where it is not supported', async () => {
    const project = await newProject()
    const encoded = encodeURIComponent(JSON.stringify([inCohort(1)]))
    const recordings = await project.call('GET', `session_recordings/?properties=${encoded}`)

    expect([recordings.status, recordings.body.attr]).toEqual([400, 'properties'])
  })
})

describe('a static cohort from a file', () => {
  const upload = (project: TestProject, fields: Record<string, string | Blob>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      form.append(name, value)
    }
    const sent = new Request('https://analytics.test/', { method: 'POST', body: form })
    return sent.arrayBuffer().then((body) =>
      request(
        'POST',
        `/api/projects/${project.id}/cohorts/`,
        {
          Authorization: `Bearer ${project.key}`,
          'Content-Type': sent.headers.get('Content-Type') ?? ''
        },
        new Uint8Array(body)
      )
    )
  }

  it('has the persons that it names, and says whom it did not find', async () => {
    const project = await newStory()
    const csv = new File(['distinct_id\r\nada\r\nnobody\r\nada\r\nbob\r\nx\r\n'], 'people.csv')
    const answer = await upload(project, { name: 'Uploaded', is_static: 'true', csv })

    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      name: 'Uploaded',
      count: 2,
      upload: { matched: 2, unmatched: 2, duplicates: 1, unmatched_examples: ['nobody', 'x'] }
    })
  })

  it('takes a CSV of persons back, and JSON', async () => {
    const project = await newStory()
    const exported = await project.call('GET', 'persons/?format=csv')
    const all = await create(project, { is_static: true, csv: exported.text })
    expect([all.count, all.upload.unmatched]).toEqual([2, 0])
  })

  it.each([
    [{ csv: 'name,plan\na,b', is_static: 'true' }, 400, 'csv'],
    [{ csv: 'ada' }, 400, 'csv'],
    [{ csv: 'ada', is_static: 'perhaps' }, 400, 'is_static'],
    [{ csv: 'ada', is_static: 'true', colour: 'red' }, 201, undefined]
  ])('with the form %j', async (fields, status, attr) => {
    const project = await newProject()
    const answer = await upload(project, fields)

    expect([answer.status, answer.body.attr]).toEqual([status, attr])
  })
})

describe('a static cohort from a query', () => {
  it('has all persons that the query finds', async () => {
    const project = await newStory()
    const of = async (query: object) => create(project, { is_static: true, query })
    const pro = { type: 'person', key: 'plan', operator: 'exact', value: 'free' }
    const dateRange = { date_from: '2025-06-01', date_to: '2025-06-03' }
    const views = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: '$pageview' }],
      dateRange
    }

    expect((await of({ kind: 'ActorsQuery', limit: 1 })).count).toBe(2)
    expect((await of({ kind: 'ActorsQuery', properties: [pro] })).count).toBe(0)
    const source = { kind: 'InsightActorsQuery', source: views, day: '2025-06-03' }
    const behind = await of({ kind: 'ActorsQuery', source })
    expect([behind.count, behind.upload]).toEqual([2, undefined])
    expect(await namesIn(project, `cohorts/${behind.id}/persons/`)).toHaveLength(2)
  })

  it.each([
    [{ kind: 'EventsQuery' }, 'query__kind'],
    [{ kind: 'ActorsQuery', search: 'ada' }, 'query__search'],
    [
      { kind: 'ActorsQuery', properties: [{ key: 'a', operator: 'like', value: 1 }] },
      'query__properties'
    ],
    [{ kind: 'ActorsQuery', properties: [inCohort(999_999)] }, 'query__properties']
  ])('is not stored for %j', async (query, attr) => {
    const project = await newProject()
    const answer = await project.send('POST', 'cohorts/', { is_static: true, query })

    expect([answer.status, answer.body.attr]).toEqual([400, attr])
    expect((await project.call('GET', 'cohorts/')).body.count).toBe(0)
  })

  it('takes one list of members, and the scopes of its query', async () => {
    const project = await newProject()
    const query = { kind: 'ActorsQuery' }
    const both = await project.send('POST', 'cohorts/', { is_static: true, csv: 'a', query })
    expect([both.status, both.body.attr]).toEqual([400, 'query'])
    const dynamic = await project.send('POST', 'cohorts/', { csv: 'a' })
    expect([dynamic.status, dynamic.body.attr]).toEqual([400, 'csv'])
    const key = await project.newKey(['cohort:write', 'query:read'])
    const refused = await request(
      'POST',
      `/api/projects/${project.id}/cohorts/`,
      { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      JSON.stringify({ is_static: true, query })
    )
    expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
  })
})
