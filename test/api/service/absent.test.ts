import { afterAll, describe, expect, it } from 'vitest'
import { newProject, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const NOTHING = { count: 0, next: null, previous: null, results: [] }

describe.each(['actions', 'feature_flags'])('the list %s', (path) => {
  it('is empty', async () => {
    const project = await newProject({ scopes: ['query:read'] })

    for (const prefix of ['environments', 'projects']) {
      for (const query of ['', '?limit=100&offset=0&search=']) {
        const url = `/api/${prefix}/${project.id}/${path}/${query}`
        const { status, body } = await request('GET', url, {
          Authorization: `Bearer ${project.key}`
        })
        expect([status, body]).toEqual([200, NOTHING])
      }
    }
  })

  it('needs a key with access to the project', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const url = `/api/projects/${other.id}/${path}/`

    expect((await request('GET', url)).status).toBe(401)
    const authorized = { Authorization: `Bearer ${project.key}` }
    expect((await request('GET', url, authorized)).status).toBe(404)
    const recordings = await newProject({ scopes: ['session_recording:read'] })
    expect((await recordings.call('GET', `${path}/`)).status).toBe(403)
  })

  it('has no other operations', async () => {
    const project = await newProject()
    const created = await project.send('POST', `${path}/`, { name: 'A' })

    expect([created.status, created.body.code]).toEqual([405, 'method_not_allowed'])
    expect(created.headers.get('Allow')).toBe('GET, HEAD')
    expect((await project.call('GET', `${path}/1/`)).status).toBe(404)
  })
})
