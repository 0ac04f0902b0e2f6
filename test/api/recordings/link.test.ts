import { afterAll, describe, expect, it } from 'vitest'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'

afterAll(untilQuiet)

describe('GET /project/{token}/replay/{id}', () => {
  it.each(['', '/', '?t=12'])('leads to the recording: …%s', async (end) => {
    const { project, record } = await newStage()
    await record(snapshotEvent(project, { session: 'visit-1' }))

    const link = await request('GET', `/project/${project.token}/replay/visit-1${end}`)
    const path = link.headers.get('Location') ?? ''
    const followed = await request('GET', path, { Authorization: `Bearer ${project.key}` })
    const foreign = await request('GET', path, {
      Authorization: `Bearer ${(await newProject()).key}`
    })

    expect(link.status).toBe(302)
    expect([followed.status, followed.body.id]).toEqual([200, 'visit-1'])
    expect(foreign.status).toBe(404)
  })

  it('stays on this service, whatever the id', async () => {
    const { id, token } = await newProject()

    const { headers } = await request('GET', `/project/${token}/replay/%2F%2Fexample.com%3Fa`)

    expect(headers.get('Location')).toBe(
      `/api/environments/${id}/session_recordings/%2F%2Fexample.com%3Fa/`
    )
  })

  it.each(['phc_unknown', '1'])('is refused with an unknown token: %s', async (token) => {
    const { status, headers } = await request('GET', `/project/${token}/replay/visit-1`)

    expect([status, headers.get('Location')]).toEqual([401, null])
  })
})
