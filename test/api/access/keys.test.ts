import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newApiKey } from '../../../src/access/key.ts'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { createKey, listKeys } from '../../../src/access/store.ts'
import { DAY } from '../../../src/calendar/units.ts'
import type { Json } from '../../../src/input/json.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

const KEYS = '/api/personal_api_keys/'

afterAll(untilQuiet)

afterEach(() => {
  vi.useRealTimers()
})

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

const list = (key: string, query = '') => request('GET', `${KEYS}${query}`, bearer(key))

const create = (key: string, body: Json) =>
  request(
    'POST',
    KEYS,
    { ...bearer(key), 'Content-Type': 'application/json' },
    JSON.stringify(body)
  )

const revoke = (key: string, id: number) => request('DELETE', `${KEYS}${id}/`, bearer(key))

/** Makes a key of the owner of the first project, for these projects. */
const keyOf = (
  projects: [TestProject, ...TestProject[]],
  scopes: string[],
  expiresAt?: Date,
  label = 'made by a test'
) =>
  createKey(
    db,
    {
      label,
      scopes,
      projectIds: projects.map(({ id }) => id),
      userId: projects[0].user.id,
      expiresAt
    },
    new Date()
  )

const report = ({ id }: TestProject) => ({
  label: 'Report',
  scopes: ['insight:read', 'insight:read'],
  scoped_teams: [id]
})

describe('a key made by a key', () => {
  it('works at once, is shown once, and is stored as a hash', async () => {
    const project = await newProject()

    const { status, body } = await create(project.key, report(project))
    const listed = await list(project.key)
    const stored = (await listKeys(db)).find(({ id }) => id === body.id)

    expect(status).toBe(201)
    expect(body).toMatchObject({
      label: 'Report',
      scopes: ['insight:read'],
      scoped_teams: [project.id],
      role: null,
      user: { id: project.user.id },
      created_by: { id: project.user.id },
      expires_at: null,
      last_used_at: null,
      is_current: false,
      can_revoke: true,
      value: expect.stringMatching(/^phx_/)
    })
    expect(JSON.stringify([listed.body, stored])).not.toContain(body.value)
    const path = `/api/projects/${project.id}`
    expect((await request('GET', `${path}/insights/`, bearer(body.value))).status).toBe(200)
    expect((await request('GET', `${path}/persons/`, bearer(body.value))).status).toBe(403)
  })

  it('is refused every scope that its maker lacks', async () => {
    const project = await newProject({
      scopes: ['personal_api_key:write', 'person:read', 'insight:write']
    })
    const withScopes = (...scopes: string[]) => create(project.key, { ...report(project), scopes })

    for (const wider of ['*', 'person:write', 'query:read', 'project:write', 'user:read']) {
      const { status, body } = await withScopes('insight:read', wider)
      expect([status, body.code, body.attr]).toEqual([403, 'permission_denied', 'scopes'])
      expect(body.detail).toContain(`'${wider}'`)
    }
    expect((await withScopes('insight:read', 'person:read')).status).toBe(201)
    expect((await withScopes('personal_api_key:read')).status).toBe(201)
    expect((await listKeys(db)).filter(({ userId }) => userId === project.user.id)).toHaveLength(3)
  })

  it('is refused `*` even by a key with every other scope', async () => {
    const project = await newProject({
      scopes: [...ROLE_SCOPES.privacy, 'personal_api_key:write', 'project:write', 'user:write']
    })

    const { status, body } = await create(project.key, { ...report(project), scopes: ['*'] })

    expect([status, body.attr]).toEqual([403, 'scopes'])
  })

  it('is refused a project that its maker has no access to, like an unknown one', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const refused = (id: number) =>
      create(project.key, { ...report(project), scoped_teams: [project.id, id] })

    const [foreign, unknown] = [await refused(other.id), await refused(999_999_999)]

    expect([foreign.status, foreign.body]).toEqual([
      400,
      {
        type: 'validation_error',
        code: 'does_not_exist',
        detail: `There is no project ${other.id}.`,
        attr: 'scoped_teams'
      }
    ])
    expect({ ...foreign.body, detail: '' }).toEqual({ ...unknown.body, detail: '' })
  })

  it('ends with its maker at the latest', async () => {
    const project = await newProject()
    const end = new Date(Date.now() + 7 * DAY)
    const { key } = await keyOf([project], ['*'], end)
    const until = (expires_at: string | null | undefined) =>
      create(key, { ...report(project), ...(expires_at !== undefined && { expires_at }) })

    const later = await until(new Date(end.getTime() + 1).toISOString())
    const never = await until(null)
    const sooner = await until(new Date(end.getTime() - 1).toISOString())
    const same = await until(undefined)

    for (const { status, body } of [later, never]) {
      expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', 'expires_at'])
    }
    expect(sooner.status).toBe(201)
    expect(Date.parse(same.body.expires_at)).toBe(end.getTime())
    vi.useFakeTimers({ toFake: ['Date'], now: end })
    expect((await list(same.body.value)).status).toBe(401)
  })

  it('needs a time to come, a label, known scopes and a project', async () => {
    const project = await newProject()
    const attrOf = async (change: Json) => {
      const { status, body } = await create(project.key, { ...report(project), ...Object(change) })
      return [status, body.attr]
    }

    expect(await attrOf({ expires_at: '2020-01-01T00:00:00Z' })).toEqual([400, 'expires_at'])
    expect(await attrOf({ expires_at: 'tomorrow' })).toEqual([400, 'expires_at'])
    expect(await attrOf({ label: ' ' })).toEqual([400, 'label'])
    expect(await attrOf({ scopes: [] })).toEqual([400, 'scopes'])
    expect(await attrOf({ scopes: ['person:own'] })).toEqual([400, 'scopes__0'])
    expect(await attrOf({ scoped_teams: [] })).toEqual([400, 'scoped_teams'])
    expect(await attrOf({ scoped_teams: null })).toEqual([400, 'scoped_teams'])
    expect(await attrOf({ user: 1 })).toEqual([400, 'user'])
    expect(await attrOf({ scoped_organizations: ['a'] })).toEqual([400, 'scoped_organizations'])
  })
})

describe('the list of keys', () => {
  it('has the valid keys of its projects, and names no other project', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const shared = await keyOf([project, other], ['insight:read'])
    const gone = await keyOf([project], ['*'])
    await keyOf([project], ['*'], new Date(Date.now() - 1))
    await revoke(project.key, gone.id)

    const { body } = await list(project.key)
    const page = await list(project.key, '?limit=1&offset=1')

    expect(body.results.map(({ label }: { label: string }) => label)).toEqual([
      'made by a test',
      'test'
    ])
    expect(body.results[0]).toMatchObject({
      id: shared.id,
      scoped_teams: [project.id],
      created_by: null,
      can_revoke: false,
      is_current: false
    })
    expect(body.results[1]).toMatchObject({ role: 'admin', is_current: true, can_revoke: true })
    expect(page.body).toMatchObject({ count: 2, next: null, results: [{ is_current: true }] })
    expect(JSON.stringify(body)).not.toMatch(/"hash"|phx_[0-9A-Za-z]{20}/)
  })
})

describe('revoking a key', () => {
  it('works from the next request on, and not a second time', async () => {
    const project = await newProject()
    const { id, key } = await keyOf([project], ['person:read'])

    const answers = [await revoke(project.key, id), await revoke(project.key, id)]

    expect(answers.map(({ status }) => status)).toEqual([204, 404])
    expect((await list(key)).status).toBe(401)
  })

  it("answers alike for another project's key and an unknown key", async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { id, key } = await keyOf([other], ['project:read'])

    const answers = [await revoke(project.key, id), await revoke(project.key, 999_999_999)]

    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [404, 'Not found.'],
      [404, 'Not found.']
    ])
    expect((await request('GET', '/api/projects/', bearer(key))).status).toBe(200)
  })

  it('is refused for a key that may do more', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { key } = await keyOf([project], ['personal_api_key:write', 'insight:read'])
    const more = [
      await keyOf([project], ['insight:write']),
      await keyOf([project], ['*']),
      await keyOf([project, other], ['insight:read'])
    ]

    for (const { id } of more) {
      const { status, body } = await revoke(key, id)
      expect([status, body.code]).toEqual([403, 'permission_denied'])
    }
    const revoked = (await listKeys(db)).filter(({ revokedAt }) => revokedAt !== null)
    expect(revoked.filter(({ id }) => more.some((one) => one.id === id))).toEqual([])
  })
})

it('keys are managed only with the scope for it', async () => {
  const project = await newProject()
  const reading = await keyOf([project], ['personal_api_key:read', ...ROLE_SCOPES.privacy])
  const none = await keyOf([project], [...ROLE_SCOPES.privacy])
  const statuses = async (key: string) =>
    [await list(key), await create(key, report(project)), await revoke(key, none.id)].map(
      ({ status }) => status
    )

  expect(await statuses(none.key)).toEqual([403, 403, 403])
  expect(await statuses(reading.key)).toEqual([200, 403, 403])
  expect(await statuses(newApiKey())).toEqual([401, 401, 401])
})
