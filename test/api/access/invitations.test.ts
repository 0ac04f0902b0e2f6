import { eq } from 'drizzle-orm'
import { afterEach, expect, it, vi } from 'vitest'
import { newInvitationCode } from '../../../src/access/invitation.ts'
import { createInvitation } from '../../../src/access/invitations.store.ts'
import { listKeys } from '../../../src/access/store.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { apiKeys, invitations } from '../../../src/db/schema.ts'
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
  const { code, expiresAt } = await invite(project)
  vi.useFakeTimers({ toFake: ['Date'], now: expiresAt })

  const late = await redeem(code)

  expect([late.status, late.body.attr]).toEqual([400, 'code'])
  expect(late.body.detail).toMatch(/^This link could be used until 2026-11-22T12:00:00Z\./)
  vi.setSystemTime(expiresAt.getTime() - 1)
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
