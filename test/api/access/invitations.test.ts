import { eq, sql } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newInvitationCode } from '../../../src/access/invitations/invitation.ts'
import { createInvitation } from '../../../src/access/invitations/store.ts'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { createKey, listKeys } from '../../../src/access/store.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { apiKeys, invitations } from '../../../src/db/schema.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

afterEach(() => {
  vi.useRealTimers()
})

const invite = (project: TestProject, scopes = ['person:read'], now = NOW) =>
  createInvitation(db, { userId: project.user.id, scopes, projectIds: [project.id] }, now)

const redeem = (code: string, label = 'Firefox on macOS') =>
  request(
    'POST',
    '/api/invitations/redeem/',
    { 'Content-Type': 'application/json' },
    JSON.stringify({ code, label })
  )

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

const own = (key: string) => request('GET', '/api/personal_api_keys/@current/', bearer(key))

it('gives the browser a key of the invited user, with these scopes, for 30 days', async () => {
  const project = await newProject()
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  const { code } = await invite(project)

  const { status, body } = await redeem(code)
  const described = await own(body.value)

  expect(status).toBe(201)
  expect(described.body).toMatchObject({
    label: 'Firefox on macOS',
    scopes: ['person:read'],
    scoped_teams: [project.id],
    projects: [{ id: project.id, name: 'Test', api_token: project.token }],
    user: { email: project.user.email },
    expires_at: '2026-12-21T12:00:00Z'
  })
  expect(JSON.stringify(described.body)).not.toContain(body.value)

  const path = `/api/projects/${project.id}/persons/`
  expect((await request('GET', path, bearer(body.value))).status).toBe(200)
  vi.setSystemTime(new Date(NOW.getTime() + 30 * DAY))
  expect((await request('GET', path, bearer(body.value))).status).toBe(401)
})

it('works once, however many browsers try at the same time', async () => {
  const project = await newProject()
  const { code } = await invite(project, ['person:read'], new Date())

  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) => redeem(code, `browser ${i}`))
  )
  const refused = answers.filter(({ status }) => status !== 201)
  const keys = (await listKeys(db)).filter(({ userId }) => userId === project.user.id)

  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  expect(refused[0]?.body).toMatchObject({ code: 'invalid_input', attr: 'code' })
  expect(refused[0]?.body.detail).toMatch(/^This link was used at .+Z, and works only once\./)
  // The project's first key, and the new one.
  expect(keys).toHaveLength(2)
})

it('is refused from the moment at which it expires', async () => {
  const project = await newProject()
  const { code, invitation } = await invite(project)
  const { expiresAt } = invitation
  vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })

  const late = await redeem(code)

  expect([late.status, late.body.attr]).toEqual([400, 'code'])
  expect(late.body.detail).toMatch(/^This link could be used until 2026-11-22T12:00:00Z\./)
  vi.setSystemTime(expiresAt - 1)
  expect((await redeem(code)).status).toBe(201)
})

it.each(['', 'x', newInvitationCode(), `${newInvitationCode()}'--`])(
  'refuses the unknown code %j without a key',
  async (code) => {
    const { status, body } = await redeem(code)

    expect([status, body.attr]).toEqual([400, 'code'])
    expect(body.detail).toMatch(/^This link is incomplete, or belongs to another service\./)
  }
)

it.each([
  [{ label: 'Firefox' }, 'code'],
  [{ code: newInvitationCode() }, 'label'],
  [{ code: newInvitationCode(), label: ' ' }, 'label'],
  [{ code: newInvitationCode(), label: 'x', scopes: ['*'] }, 'scopes']
])('refuses the body %j', async (body, attr) => {
  const json = { 'Content-Type': 'application/json' }
  const answer = await request('POST', '/api/invitations/redeem', json, JSON.stringify(body))

  expect([answer.status, answer.body.attr]).toEqual([400, attr])
})

it('stores neither the code nor the key', async () => {
  const project = await newProject()
  const { code } = await invite(project, ['*'], new Date())
  const { body } = await redeem(code)

  const stored = [
    await db.select().from(invitations).where(eq(invitations.userId, project.user.id)),
    await db.select().from(apiKeys).where(eq(apiKeys.userId, project.user.id))
  ]

  expect(JSON.stringify(stored)).not.toContain(code)
  expect(JSON.stringify(stored)).not.toContain(body.value)
})

it('a key of any scope describes itself, and revokes itself', async () => {
  const project = await newProject({ scopes: ['annotation:read'] })

  const described = await own(project.key)
  const revoked = await request('DELETE', '/api/personal_api_keys/@current', bearer(project.key))
  const after = await own(project.key)

  expect(described.body.scopes).toEqual(['annotation:read'])
  expect([revoked.status, after.status]).toEqual([204, 401])
})

const INVITATIONS = '/api/invitations/'

const address = () => `${crypto.randomUUID()}@example.com`

/** Invites someone as a viewer of the project, with its key, without an e-mail. */
const inviteWith = (
  project: Pick<TestProject, 'id' | 'key'>,
  change: JsonObject = {},
  bindings: Partial<Env> = {}
) =>
  request(
    'POST',
    INVITATIONS,
    { ...bearer(project.key), 'Content-Type': 'application/json' },
    JSON.stringify({
      target_email: address(),
      role: 'viewer',
      scoped_teams: [project.id],
      send_email: false,
      ...change
    }),
    bindings
  )

const codeIn = (link: string) => link.replace(/^.*#code=/, '')

const listWith = (key: string) => request('GET', INVITATIONS, bearer(key))

const withdraw = (key: string, id: number) => request('DELETE', `${INVITATIONS}${id}/`, bearer(key))

describe('an invitation made with a key', () => {
  it('is listed until its link is used, which is shown once', async () => {
    const project = await newProject()
    const email = address()

    const { status, body } = await inviteWith(project, { target_email: email, role: 'editor' })
    const before = await listWith(project.key)
    const { body: redeemed } = await redeem(codeIn(body.link))
    const after = await listWith(project.key)

    expect(status).toBe(201)
    expect(body).toMatchObject({
      target_email: email,
      role: 'editor',
      scopes: ROLE_SCOPES.editor,
      scoped_teams: [project.id],
      created_by: { id: project.user.id },
      link: expect.stringMatching(/^https:\/\/analytics\.test\/console\/#code=[0-9A-Za-z]{33}$/),
      emailed: false,
      email_error: null
    })
    const { link, emailed, email_error, ...listed } = body
    expect(before.body.results).toEqual([listed])
    expect(after.body.results).toEqual([])
    expect((await own(redeemed.value)).body).toMatchObject({ role: 'editor', user: { email } })
    const keys = await request('GET', '/api/personal_api_keys/', bearer(project.key))
    expect(keys.body.results[0]).toMatchObject({
      user: { email },
      created_by: { id: project.user.id }
    })
  })

  it('is refused for a role with more scopes than the key has', async () => {
    const scopes = [...ROLE_SCOPES.editor, 'personal_api_key:write']
    const project = await newProject({ scopes })

    for (const role of ['privacy', 'admin']) {
      const { status, body } = await inviteWith(project, { role })
      expect([status, body.code, body.attr]).toEqual([403, 'permission_denied', 'role'])
    }
    expect((await inviteWith(project, { role: 'editor' })).status).toBe(201)
    expect((await listWith(project.key)).body.count).toBe(1)
  })

  it('is refused for a project that the key has no access to, like an unknown one', async () => {
    const [project, other] = [await newProject(), await newProject()]

    for (const id of [other.id, 999_999_999]) {
      const { status, body } = await inviteWith(project, { scoped_teams: [project.id, id] })
      expect([status, body.code, body.attr]).toEqual([400, 'does_not_exist', 'scoped_teams'])
    }
    expect((await listWith(other.key)).body.count).toBe(0)
  })

  it('gives a key that ends with the key that made the invitation', async () => {
    const project = await newProject()
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    const keyUntil = async (end: number) => {
      const { key } = await createKey(
        db,
        {
          label: 'admin',
          scopes: ['*'],
          projectIds: [project.id],
          userId: project.user.id,
          expiresAt: new Date(end)
        },
        NOW
      )
      return key
    }
    const [days, hour] = [NOW.getTime() + 7 * DAY, NOW.getTime() + DAY / 24]

    const long = await inviteWith({ ...project, key: await keyUntil(days) })
    const short = await inviteWith({ ...project, key: await keyUntil(hour) })
    const redeemed = await redeem(codeIn(long.body.link))

    expect((await own(redeemed.body.value)).body.expires_at).toBe('2026-11-28T12:00:00Z')
    expect(short.body.expires_at).toBe('2026-11-21T13:00:00Z')
    vi.setSystemTime(hour)
    expect((await redeem(codeIn(short.body.link))).status).toBe(400)
  })

  it('no longer works once it is withdrawn', async () => {
    const project = await newProject()
    const { body } = await inviteWith(project)

    const answers = [await withdraw(project.key, body.id), await withdraw(project.key, body.id)]
    const late = await redeem(codeIn(body.link))

    expect(answers.map(({ status }) => status)).toEqual([204, 404])
    expect(late.status).toBe(400)
    expect(late.body.detail).toMatch(/^This link was withdrawn at /)
    expect((await listWith(project.key)).body.results).toEqual([])
  })

  it('is neither seen nor withdrawn from another project, nor by a lesser key', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { body } = await inviteWith(project, { role: 'editor' })
    const lesser = await project.newKey(['personal_api_key:write', 'insight:read'])

    const foreign = await withdraw(other.key, body.id)
    const refused = await withdraw(lesser, body.id)

    expect((await listWith(other.key)).body.results).toEqual([])
    expect([foreign.status, refused.status]).toEqual([404, 403])
    expect((await redeem(codeIn(body.link))).status).toBe(201)
  })

  it('needs the scope for keys', async () => {
    const project = await newProject()
    const { body } = await inviteWith(project)
    const key = await project.newKey([...ROLE_SCOPES.privacy])

    const answers = [
      await listWith(key),
      await inviteWith({ ...project, key }),
      await withdraw(key, body.id)
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  it('is made at most 100 times a day by a user', async () => {
    const project = await newProject()
    const createdAt = Date.now()
    await db.insert(invitations).select(
      sql`select null, ${project.user.id}, 'filler ' || ${project.id} || ' ' || value, '["user:read"]',
        '[]', ${project.user.id}, ${createdAt}, ${createdAt}, null, null, null
        from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 99)
          select value from n)`
    )

    const answers = [await inviteWith(project), await inviteWith(project)]

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [201, undefined],
      [400, 'invalid_input']
    ])
  })

  it('is sent by e-mail, with a link that works', async () => {
    const project = await newProject()
    const sent: EmailMessageBuilder[] = []
    const EMAIL = { send: async (message: EmailMessageBuilder) => void sent.push(message) }
    const target_email = address()

    const { body } = await inviteWith(
      project,
      { target_email, send_email: true },
      { EMAIL: EMAIL as unknown as SendEmail, EMAIL_FROM: 'reports@harbour.example' as never }
    )

    expect(body).toMatchObject({ emailed: true, email_error: null })
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ to: target_email, subject: 'You are invited to Test' })
    for (const text of [sent[0]?.html, sent[0]?.text]) {
      expect(text).toContain(body.link)
      expect(text).toContain('As viewer, you may see dashboards')
    }
    expect((await redeem(codeIn(body.link))).status).toBe(201)
  })

  it('is made even if it cannot be sent, and says why', async () => {
    const project = await newProject()
    const EMAIL = {
      send: async () => {
        throw Object.assign(new Error('The domain is not verified.'), { code: 'E_SENDER' })
      }
    }

    const refused = await inviteWith(
      project,
      { send_email: true },
      { EMAIL: EMAIL as unknown as SendEmail }
    )
    const without = await inviteWith(project, { send_email: true }, { EMAIL: undefined as never })
    const unset = await inviteWith(project, { send_email: true })

    expect(refused.body).toMatchObject({
      emailed: false,
      email_error: 'E_SENDER: The domain is not verified.'
    })
    expect(without.body).toMatchObject({
      emailed: false,
      email_error: 'This deployment has no send_email binding.'
    })
    expect(unset.body).toMatchObject({
      emailed: false,
      email_error: expect.stringMatching(/^E-mail is not set up here/)
    })
    expect((await redeem(codeIn(refused.body.link))).status).toBe(201)
  })
})
