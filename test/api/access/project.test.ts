import { afterAll, describe, expect, it } from 'vitest'
import { createKey } from '../../../src/access/store.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Requests a path with a new key for these projects. Returns the body of the answer. */
async function ask(path: string, ...projects: [TestProject, ...TestProject[]]) {
  const { key } = await createKey(
    db,
    {
      label: 'test',
      scopes: ['project:read', 'user:read'],
      projectIds: projects.map(({ id }) => id),
      userId: projects[0].user.id
    },
    new Date()
  )
  const { status, body } = await request('GET', path, { Authorization: `Bearer ${key}` })
  expect(status).toBe(200)
  return body
}

const shown = (project: TestProject) => ({
  id: project.id,
  project_id: project.id,
  uuid: expect.stringMatching(UUID),
  organization: expect.stringMatching(UUID),
  name: 'Test',
  api_token: project.token,
  timezone: 'UTC',
  week_start_day: 0,
  test_account_filters: [],
  is_demo: false,
  access_control: false,
  autocapture_opt_out: false,
  session_recording_opt_in: true,
  session_recording_sample_rate: null,
  session_recording_minimum_duration_milliseconds: null,
  capture_console_log_opt_in: true,
  heatmaps_opt_in: false,
  autocapture_web_vitals_opt_in: false,
  autocapture_exceptions_opt_in: false,
  surveys_opt_in: false,
  location: 'country',
  recording_retention_days: null,
  created_at: expect.stringMatching(/Z$/)
})

describe.each(['/api/projects', '/api/environments'])('%s', (path) => {
  it('lists the projects that the key has access to, and no other', async () => {
    const [first, other, second] = [await newProject(), await newProject(), await newProject()]

    const body = await ask(`${path}/`, second, first)

    expect(other.id).toBeGreaterThan(first.id)
    expect(body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [shown(first), shown(second)]
    })
  })

  it('has pages by `limit` and `offset`, as Airbyte requests them', async () => {
    const [first, second] = [await newProject(), await newProject()]

    const before = await ask(`${path}/?limit=1`, first, second)
    const after = await ask(`${path}/?limit=1&offset=1`, first, second)

    expect(before).toMatchObject({ count: 2, previous: null, results: [{ id: first.id }] })
    expect(new URL(before.next).search).toBe('?limit=1&offset=1')
    expect(after).toMatchObject({ count: 2, next: null, results: [{ id: second.id }] })
  })

  it('shows a project by its id and as @current', async () => {
    const [project, other] = [await newProject(), await newProject()]

    expect(await ask(`${path}/@current/`, project)).toEqual(shown(project))
    expect(await ask(`${path}/${project.id}/`, other, project)).toEqual(shown(project))
  })

  it('shows the settings of the project', async () => {
    const settings = {
      recording: false,
      recording_sample: 0.5,
      recording_minimum_duration: 2.5,
      console_capture: false,
      heatmaps: true,
      web_vitals: true,
      exceptions: true
    }
    const project = await newProject({ settings })

    expect(await ask(`${path}/@current`, project)).toMatchObject({
      session_recording_opt_in: false,
      session_recording_sample_rate: '0.5',
      session_recording_minimum_duration_milliseconds: 2500,
      capture_console_log_opt_in: false,
      heatmaps_opt_in: true,
      autocapture_web_vitals_opt_in: true,
      autocapture_exceptions_opt_in: true
    })
  })
})

describe('/api/users/@me', () => {
  it('shows the owner of the key, and the first project of the key', async () => {
    const [first, second] = [await newProject(), await newProject()]

    expect(await ask('/api/users/@me/', second, first)).toEqual({
      id: second.user.id,
      uuid: second.user.uuid,
      distinct_id: second.user.distinctId,
      first_name: 'Ada',
      last_name: '',
      email: second.user.email,
      is_email_verified: false,
      hedgehog_config: {},
      role_at_organization: 'other',
      date_joined: expect.stringMatching(/Z$/),
      is_staff: false,
      team: shown(first)
    })
  })
})

describe('PATCH /api/projects/{id}/', () => {
  const FIELDS = {
    name: 'Harbour',
    timezone: 'Europe/Berlin',
    week_start_day: 1,
    test_account_filters: [
      { key: '$virt_is_bot', value: ['true'], operator: 'is_not', type: 'event' }
    ],
    session_recording_opt_in: false,
    session_recording_sample_rate: '0.25',
    session_recording_minimum_duration_milliseconds: 1500,
    capture_console_log_opt_in: false,
    heatmaps_opt_in: true,
    autocapture_web_vitals_opt_in: true,
    autocapture_exceptions_opt_in: true,
    location: 'city',
    recording_retention_days: 90
  }

  it('changes the fields in the body, and only those', async () => {
    const project = await newProject()

    const { status, body } = await project.send('PATCH', '', FIELDS)
    const named = await project.send('PATCH', '', { name: 'Quay' })
    const found = await project.send('GET', '')

    expect(status).toBe(200)
    expect(body).toEqual({ ...shown(project), ...FIELDS })
    expect(named.body).toEqual({ ...body, name: 'Quay' })
    expect(found.body).toEqual(named.body)
  })

  it('sets what was null, and null where there is a default', async () => {
    const project = await newProject()
    await project.send('PATCH', '', FIELDS)

    const { body } = await project.send('PATCH', '', {
      session_recording_sample_rate: null,
      session_recording_minimum_duration_milliseconds: null,
      recording_retention_days: null
    })

    expect(body).toMatchObject({
      session_recording_sample_rate: null,
      session_recording_minimum_duration_milliseconds: null,
      recording_retention_days: null
    })
  })

  it('takes back what it has shown, and refuses another value of it', async () => {
    const project = await newProject()
    const { body } = await project.send('GET', '')

    const same = await project.send('PATCH', '', body)
    const other = await project.send('PATCH', '', { ...body, api_token: 'phc_other' })

    expect([same.status, same.body]).toEqual([200, body])
    expect([other.status, other.body.attr]).toEqual([400, 'api_token'])
  })

  it.each([
    ['name', ' '],
    ['name', 'x'.repeat(201)],
    ['timezone', 'Mars/Olympus'],
    ['timezone', '+01:00'],
    ['week_start_day', 2],
    ['week_start_day', null],
    ['test_account_filters', [{ key: 'plan', operator: 'like' }]],
    ['test_account_filters', 'none'],
    ['session_recording_sample_rate', '1.5'],
    ['session_recording_sample_rate', -0.1],
    ['session_recording_sample_rate', 'half'],
    ['session_recording_minimum_duration_milliseconds', 30_001],
    ['session_recording_opt_in', 'yes'],
    ['location', 'street'],
    ['recording_retention_days', 0],
    ['recording_retention_days', 1.5],
    ['surveys_opt_in', true],
    ['database', 'DB_2']
  ])('refuses %s as %j', async (name, value) => {
    const project = await newProject()
    const before = await project.send('GET', '')

    const { status, body } = await project.send('PATCH', '', { name: 'Harbour', [name]: value })

    expect([status, body.attr?.split('__')[0]]).toEqual([400, name])
    expect((await project.send('GET', '')).body).toEqual(before.body)
  })

  it('changes no other project', async () => {
    const [project, other] = [await newProject(), await newProject()]

    const { status } = await request(
      'PATCH',
      `/api/projects/${other.id}/`,
      { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      '{"name":"Mine"}'
    )

    expect(status).toBe(404)
    expect((await other.send('GET', '')).body.name).toBe('Test')
  })
})
