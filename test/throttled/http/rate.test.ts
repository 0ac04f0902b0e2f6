import { afterAll, expect, it } from 'vitest'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

it('refuses a key’s requests beyond its rate for a minute at most, and no other key’s', async () => {
  const [project, other] = [await newProject(), await newProject()]
  const answers = []
  // Three per minute: of eight in a row, at least two are too many, even if a minute ends in between.
  for (let i = 0; i < 8; i += 1) {
    answers.push(await project.call('GET', 'persons/'))
  }

  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThanOrEqual(2)
  expect(answers.filter(({ status }) => status === 200).length).toBe(8 - refused.length)
  expect(refused[0]?.body).toMatchObject({ type: 'throttled_error', code: 'throttled', attr: null })
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
  expect(Number(refused[0]?.headers.get('Retry-After'))).toBeLessThanOrEqual(60)
  expect((await other.call('GET', 'persons/')).status).toBe(200)
})

it('limits the keys that a key makes', async () => {
  const project = await newProject()
  const statuses = []
  for (let i = 0; i < 8; i += 1) {
    const { status } = await request(
      'POST',
      '/api/personal_api_keys/',
      { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      JSON.stringify({ label: `${i}`, scopes: ['insight:read'], scoped_teams: [project.id] })
    )
    statuses.push(status)
  }

  const refused = statuses.filter((status) => status === 429).length
  expect(refused).toBeGreaterThanOrEqual(2)
  expect(statuses.filter((status) => status === 201).length).toBe(8 - refused)
})

it('limits the requests to a model, and answers by the built-in rules beyond the limit', async () => {
  const project = await newProject()
  let asked = 0
  const run = async () => {
    asked += 1
    return { response: { result: 'success', output: 'model' } }
  }
  const bindings = { AI: { run }, AI_MODEL: 'test-model' }
  const engines = []
  // Once per minute: of three in a row, at least one is too many.
  for (let i = 0; i < 3; i += 1) {
    const { body } = await project.send(
      'POST',
      'session_recordings/ai/regex',
      { regex: 'a number' },
      bindings
    )
    engines.push(body.engine)
  }

  expect(engines[0]).toBe('model')
  expect(engines.filter((engine) => engine === 'built-in').length).toBe(3 - asked)
  expect(asked).toBeLessThan(3)
})

it('refuses shared pages of a project beyond its rate, and no other project’s', async () => {
  const share = async () => {
    const project = await newProject()
    const { id } = (await project.send('POST', 'dashboards/', { name: 'Weekly' })).body
    const { body } = await project.send('PATCH', `dashboards/${id}/sharing/`, { enabled: true })
    return `/shared/${body.access_token}`
  }
  const [page, other] = [await share(), await share()]
  const statuses = []
  // Three per minute, as for a key.
  for (let i = 0; i < 8; i += 1) {
    statuses.push((await request('GET', page)).status)
  }

  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect((await request('GET', other)).status).toBe(200)
})

it('asks a person who opens a shared page too often to come back in a minute', async () => {
  const { send } = await newProject()
  const { id } = (await send('POST', 'dashboards/', { name: 'Weekly' })).body
  const { body } = await send('PATCH', `dashboards/${id}/sharing/`, { enabled: true })
  const answers = []
  for (let i = 0; i < 8; i += 1) {
    answers.push(await request('GET', `/shared/${body.access_token}`, { Accept: 'text/html' }))
  }

  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.text).toContain('Please come back in a minute')
  expect(refused?.headers.get('Content-Type')).toMatch('text/html')
  expect(Number(refused?.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
})

it('never refuses capture', async () => {
  const { token } = await newProject()
  const statuses = []
  for (let i = 0; i < 20; i += 1) {
    const body = JSON.stringify({ api_key: token, event: 'seen', distinct_id: 'ada' })
    statuses.push((await request('POST', '/e/', {}, body)).status)
  }

  expect(new Set(statuses)).toEqual(new Set([200]))
})
