import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createKey } from '../../../src/access/store.ts'
import { setClock } from '../../support/deliveries.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { DAILY, refusal } from '../../support/subscriptions.ts'

afterAll(untilQuiet)
afterEach(() => void vi.useRealTimers())

describe('an idempotency key', () => {
  const post = (project: TestProject, key: string, body: object = DAILY) =>
    request(
      'POST',
      `/api/environments/${project.id}/subscriptions/`,
      {
        Authorization: `Bearer ${project.key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key
      },
      JSON.stringify(body)
    )

  it('gives a repeated request the first response, whatever has happened since', async () => {
    const project = await newProject()
    const first = await post(project, 'k-1')
    await project.send('PATCH', `subscriptions/${first.body.id}/`, { title: 'Changed' })

    const again = await post(project, 'k-1')

    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(1)
  })

  it('used for another request is a conflict', async () => {
    const project = await newProject()
    await post(project, 'k-1')

    expect(refusal(await post(project, 'k-1', { ...DAILY, title: 'Other' }))).toEqual([
      409,
      'conflict',
      'Idempotency-Key'
    ])
  })

  it('lets a request that arrives many times at once take effect once', async () => {
    const project = await newProject()

    const answers = await Promise.all(Array.from({ length: 6 }, () => post(project, 'k-1')))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(1)
  })

  it('expires after 24 hours', async () => {
    setClock('2026-11-21T12:00:00Z')
    const project = await newProject()
    const first = await post(project, 'k-1')
    setClock('2026-11-22T11:59:59Z')
    expect((await post(project, 'k-1')).body.id).toBe(first.body.id)
    setClock('2026-11-22T12:00:01Z')

    const second = await post(project, 'k-1', { ...DAILY, title: 'Other' })

    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
  })

  it('belongs to one project and one user', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const owner = { label: 'test', scopes: ['*'], userId: other.user.id }
    const { key } = await createKey(db, { ...owner, projectIds: [project.id] }, new Date())

    const answers = [
      await post(project, 'k-1'),
      await post(other, 'k-1', { ...DAILY, title: 'In another project' }),
      await post({ ...project, key }, 'k-1', { ...DAILY, title: 'By another user' })
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  })

  it('of a request that failed may be used again', async () => {
    const project = await newProject()

    expect((await post(project, 'k-1', { ...DAILY, interval: 0 })).status).toBe(400)
    expect((await post(project, 'k-1')).status).toBe(201)
  })

  it.each(['', ' ', 'a b', 'x'.repeat(256), 'ä'])('may not be %j', async (key) => {
    expect(refusal(await post(await newProject(), key))).toEqual([
      400,
      'invalid_input',
      'Idempotency-Key'
    ])
  })
})
