import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUSY } from '../../../scripts/busy.ts'
import { openLocal, type Service } from '../../../scripts/local.ts'
import { SCOPES } from '../../../src/access/scopes.ts'
import { UnavailableError } from '../../../src/errors.ts'
import { newStateDir } from '../../support/processes.ts'
import { runAdmin } from '../../support/service.ts'

describe('the commands key, project and user', () => {
  let service: Service
  const run = (...words: string[]) => runAdmin(words, async () => ({ ...service, close: keepOpen }))

  async function json(...words: string[]) {
    const { code, stdout, stderr } = await run(...words, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  beforeAll(async () => {
    service = await openLocal(newStateDir())
    await json('user', 'create', '--first-name', 'Ada', '--email', 'ada@example.com')
    await json('project', 'create', '--name', 'Web shop', '--timezone', 'Europe/Berlin')
  })
  afterAll(() => service.close())

  it('creates a user, and changes every optional field', async () => {
    const created = await json(
      'user',
      'create',
      '--first-name',
      'Grace',
      '--email',
      'grace@example.com'
    )
    expect(created).toEqual({
      id: expect.any(Number),
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      distinct_id: created.uuid,
      first_name: 'Grace',
      last_name: '',
      email: 'grace@example.com',
      is_email_verified: false,
      hedgehog_config: {},
      role_at_organization: 'other'
    })

    const fields = [
      '--last-name',
      'Hopper',
      '--distinct-id',
      'grace',
      '--is-email-verified',
      'true'
    ]
    const more = ['--hedgehog-config', '{"color":"red"}', '--role-at-organization', 'engineering']
    const changed = await json('user', 'update', String(created.id), ...fields, ...more)
    expect(changed).toEqual({
      ...created,
      last_name: 'Hopper',
      distinct_id: 'grace',
      is_email_verified: true,
      hedgehog_config: { color: 'red' },
      role_at_organization: 'engineering'
    })

    const { users } = await json('user', 'list')
    expect(users).toContainEqual(changed)
  })

  it('creates a project owned by the only user, and changes it', async () => {
    const { projects } = await json('project', 'list')
    expect(projects[0]).toEqual({
      id: 1,
      name: 'Web shop',
      capture_token: expect.stringMatching(/^phc_[0-9A-Za-z]+$/),
      timezone: 'Europe/Berlin',
      week_start: 'sunday',
      test_account_filters: [],
      recording: false,
      recording_sample: 1,
      recording_minimum_duration: 0,
      console_capture: true,
      heatmaps: false,
      web_vitals: false,
      exceptions: false,
      location: 'country',
      recording_retention_days: null,
      database: 'DB',
      owner_id: 1,
      created_at: expect.stringMatching(/Z$/)
    })

    const filters = [{ key: 'email', operator: 'not_icontains', value: '@example.com' }]
    const change = [
      '--name',
      'Shop',
      '--week-start',
      'monday',
      '--test-account-filters',
      JSON.stringify(filters)
    ]
    const changed = await json('project', 'update', '1', ...change)
    expect(changed).toEqual({
      ...projects[0],
      name: 'Shop',
      week_start: 'monday',
      test_account_filters: filters
    })
  })

  it('invites a user to the console, and makes the user if there is none', async () => {
    const invite = (...more: string[]) => [
      ...['key', 'invite', '--email', 'joan@example.com', '--role'],
      ...more
    ]
    const first = await json(...invite('viewer'), '--project', '1', '--url', 'https://x.example/a')
    const second = await json(...invite('admin'), '--project', '1')

    expect(first).toMatchObject({
      link: expect.stringMatching(/^https:\/\/x\.example\/console\/#code=\w{33}$/),
      scopes: expect.not.arrayContaining(['person:read']),
      project_ids: [1]
    })
    expect(second).toMatchObject({ user_id: first.user_id, scopes: ['*'] })
    expect(second.link).not.toBe(first.link)
    const page = fileURLToPath(first.email)
    expect(readFileSync(page, 'utf8')).toContain(first.link)
    expect(statSync(page).mode & 0o077).toBe(0)
    for (const [words, fault] of [
      [invite('owner'), '--role: must be one of viewer, editor, privacy, admin'],
      [[...invite('viewer'), '--project', '99'], '--project: There is no project 99.'],
      [[...invite('viewer'), '--project', '1', '--url', 'ftp://x'], '--url: must be an address']
    ] as const) {
      const { code, stderr } = await run(...words)
      expect([code, stderr]).toEqual([1, expect.stringContaining(fault)])
    }
  })

  it('says that it sends no e-mail of the deployed service', async () => {
    const { writeEmail, ...others } = service
    const deployed = { ...others, isDeployed: true, close: keepOpen }
    const words = ['key', 'invite', '--email', 'joan@example.com', '--role', 'viewer']
    const { stdout } = await runAdmin(
      [...words, '--project', '1', '--url', 'https://x.example', '--json'],
      async () => deployed
    )

    expect(JSON.parse(stdout)).toMatchObject({
      link: expect.stringMatching(/^https:\/\/x\.example\/console\/#code=/),
      email: expect.stringMatching(/^not sent: .+ invite in the console\.$/)
    })
  })

  it('turns recording on at creation, and changes each setting separately', async () => {
    const created = await json('project', 'create', '--name', 'Blog', '--recording', 'on')
    expect(created).toMatchObject({ recording: true, recording_sample: 1, console_capture: true })

    const some = ['--recording-sample', '0.5', '--recording-minimum-duration', '2.5']
    const others = ['--heatmaps', 'on', '--web-vitals', 'on', '--exceptions', 'on']
    const last = ['--recording', 'off', '--location', 'city']
    const changes = [some, others, ['--console-capture', 'off'], last]
    const id = String(created.id)
    for (const change of changes) {
      await json('project', 'update', id, ...change)
    }

    const { projects } = await json('project', 'list')
    expect(projects).toContainEqual({
      ...created,
      recording: false,
      recording_sample: 0.5,
      recording_minimum_duration: 2.5,
      console_capture: false,
      heatmaps: true,
      location: 'city',
      web_vitals: true,
      exceptions: true
    })
  })

  it("sets a project's own days of recording retention, and returns to the deployment's", async () => {
    const created = await json(
      'project',
      'create',
      '--name',
      'x',
      '--recording-retention-days',
      '90'
    )
    const retain = (days: string) =>
      json('project', 'update', String(created.id), '--recording-retention-days', days)

    expect(created).toMatchObject({ recording_retention_days: 90 })
    expect(await retain('7')).toMatchObject({ recording_retention_days: 7 })
    expect(await retain('default')).toMatchObject({ recording_retention_days: null })
  })

  it('shows a key once, and never its hash', async () => {
    const created = await json(
      'key',
      'create',
      '--label',
      'x',
      '--scopes',
      'person:read,person:write',
      '--project',
      '1'
    )
    const { key, ...shown } = created
    expect(key).toMatch(/^phx_[0-9A-Za-z]{43}$/)
    expect(shown).toEqual({
      id: expect.any(Number),
      label: 'x',
      mask: `phx_...${key.slice(-4)}`,
      scopes: ['person:read', 'person:write'],
      project_ids: [1],
      user_id: 1,
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      revoked_at: null,
      last_used_at: null
    })

    const { keys } = await json('key', 'list')
    expect(keys).toContainEqual(shown)
    expect((await run('key', 'list')).stdout).toContain(shown.mask)
  })

  it('creates a key that expires, for projects given as a list or one by one', async () => {
    const second = await json('project', 'create', '--name', 'Blog', '--owner', '1')
    const projects = ['--project', '1', '--project', `1,${second.id}`]
    const created = await json(
      'key',
      'create',
      '--label',
      'y',
      '--scopes',
      '*',
      ...projects,
      '--expires',
      '2100-01-01'
    )
    expect(created).toMatchObject({
      project_ids: [1, second.id],
      expires_at: '2100-01-01T00:00:00Z'
    })
  })

  it.each([
    ['--label is required', ['key', 'create', '--scopes', '*', '--project', '1']],
    [
      `--scopes: Unknown scope 'persons:read'. Scopes: ${SCOPES.join(', ')}.`,
      ['key', 'create', '--label', 'x', '--scopes', 'persons:read', '--project', '1']
    ],
    [
      '--project: There is no project 99.',
      ['key', 'create', '--label', 'x', '--scopes', '*', '--project', '99']
    ],
    [
      "--project: must be a whole number; got 'shop'",
      ['key', 'create', '--label', 'x', '--scopes', '*', '--project', 'shop']
    ],
    [
      '--expires: must be in the future',
      [
        'key',
        'create',
        '--label',
        'x',
        '--scopes',
        '*',
        '--project',
        '1',
        '--expires',
        '2020-01-01'
      ]
    ],
    ['There is no key 99.', ['key', 'revoke', '99']],
    [
      "--timezone: 'Mars/Base' is not an IANA time zone.",
      ['project', 'create', '--name', 'x', '--timezone', 'Mars/Base']
    ],
    [
      '--database: must be one of the D1 bindings DB',
      ['project', 'create', '--name', 'x', '--database', 'DB_2']
    ],
    [
      '--test-account-filters: must be JSON',
      ['project', 'update', '1', '--test-account-filters', '[']
    ],
    [
      "--recording: must be on or off; got 'yes'",
      ['project', 'create', '--name', 'x', '--recording', 'yes']
    ],
    [
      '--recording-sample: must be a share from 0 to 1',
      ['project', 'update', '1', '--recording-sample', '50']
    ],
    [
      '--recording-minimum-duration: must be at most 30 seconds',
      ['project', 'update', '1', '--recording-minimum-duration', '2000']
    ],
    [
      "--recording-sample: must be a number such as 0.5; got '1/2'",
      ['project', 'update', '1', '--recording-sample', '1/2']
    ],
    [
      '--recording-retention-days: must be at least 1 day',
      ['project', 'update', '1', '--recording-retention-days', '0']
    ],
    [
      "--recording-retention-days: must be a whole number; got 'never'",
      ['project', 'update', '1', '--recording-retention-days', 'never']
    ],
    ['Nothing to change: add at least one option', ['project', 'update', '1']],
    ['There is no project 99.', ['project', 'update', '99', '--name', 'x']],
    [
      "--email: email 'ada@example.com' is taken.",
      ['user', 'create', '--first-name', 'x', '--email', 'ada@example.com']
    ],
    [
      "Unknown option '--uuid'",
      ['user', 'create', '--first-name', 'x', '--email', 'x@example.com', '--uuid', 'x']
    ],
    ['Unknown command: key rotate', ['key', 'rotate']],
    ['Unknown command: key constructor', ['key', 'constructor']],
    ['Unknown command: toString list', ['toString', 'list']]
  ])('explains the error: %s', async (message, words) => {
    const { code, stdout, stderr } = await run(...words, '--json')
    expect({ code, stdout, message: stderr.split('\n')[0] }).toEqual({
      code: 1,
      stdout: '',
      message
    })
  })

  it('explains that another process keeps the database busy', async () => {
    const busy = new UnavailableError('Not now.', new Error('database is locked: SQLITE_BUSY'))

    const { stderr } = await runAdmin(['key', 'list'], () => Promise.reject(busy))

    expect(stderr).toBe(BUSY)
  })
})

const keepOpen = async () => {}
