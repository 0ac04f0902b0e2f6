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
