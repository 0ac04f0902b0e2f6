import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import { list, person } from '../../support/persons.ts'
import { newProject, type TestProject } from '../../support/project.ts'

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
    ['never an object', { name: { first: 'Ada' } }, 'known-id']
  ])('is %s', async (_, properties, name) => {
    const project = await newProject()
    await project.ingest([person(1, 'known-id', properties)])

    const { body } = await list(project, '')

    expect(body.results[0].name).toBe(name)
  })

  const ANONYMOUS = '0190a8b5-6a45-7000-8000-0123456789ab'

  it('is the first distinct id that no SDK generated', async () => {
    const project = await newProject()
    await project.ingest([
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: ANONYMOUS } }
    ])

    const { body } = await list(project, '')

    expect(body.results[0]).toMatchObject({ name: 'ada', distinct_ids: ['ada', ANONYMOUS] })
  })

  it('is the first distinct id when SDKs generated all of them', async () => {
    const project = await newProject()
    await project.ingest([person(1, ANONYMOUS)])

    expect((await list(project, '')).body.results[0].name).toBe(ANONYMOUS)
  })
})

/**
 * Creates a person with an event, and inserts the other distinct ids straight into their table.
 * @returns the person's id
 */
async function personWithDistinctIds(
  project: TestProject,
  count: number,
  nthId: (n: number) => string
) {
  await project.ingest([person(1, nthId(1))])
  const { id } = (await list(project, '')).body.results[0]
  for (let n = 2; n <= count; n += 1) {
    await addDistinctId(id, project.id, nthId(n))
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

describe('a person with many distinct ids', () => {
  it.each([
    [100, 100, undefined],
    [101, 100, true]
  ])(
    'has %i, of which the list shows %i and says whether there are more',
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

describe('a single person', () => {
  it('is found by its integer id and by its uuid, and looks as in the list', async () => {
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
        "A person's id must be an integer or a UUID. To find a person by a distinct id, list persons with the query parameter distinct_id.",
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
