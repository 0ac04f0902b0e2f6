import { describe, expect, it } from 'vitest'
import { send } from '../../../support/insights.ts'
import { newProject } from '../../../support/project.ts'

describe('a dashboard', () => {
  it('lists its insights', async () => {
    const project = await newProject()
    const [first, second] = [
      (await send(project, 'POST', 'dashboards/', { name: 'Weekly' })).body,
      (await send(project, 'POST', 'dashboards/', {})).body
    ]
    const insight = (
      await send(project, 'POST', 'insights/', { name: 'Views', dashboards: [first.id] })
    ).body

    const shown = await send(project, 'GET', `dashboards/${first.id}/`)
    const moved = await send(project, 'PATCH', `insights/${insight.id}/`, {
      dashboards: [second.id]
    })

    expect(shown.body).toEqual({ ...first, tiles: [{ id: expect.any(Number), insight }] })
    expect(moved.body.dashboards).toEqual([second.id])
    expect((await send(project, 'GET', `dashboards/${first.id}/`)).body.tiles).toEqual([])
    await send(project, 'DELETE', `insights/${insight.id}/`)
    expect((await send(project, 'GET', `dashboards/${second.id}/`)).body.tiles).toEqual([])
  })

  it('is no longer shown by insights when it is deleted', async () => {
    const project = await newProject()
    const { body } = await send(project, 'POST', 'dashboards/', {
      name: 'Weekly',
      tags: ['a'],
      pinned: true
    })
    const insight = (await send(project, 'POST', 'insights/', { dashboards: [body.id] })).body

    expect((await send(project, 'DELETE', `dashboards/${body.id}/`)).status).toBe(204)

    expect((await send(project, 'GET', `dashboards/${body.id}/`)).status).toBe(404)
    expect((await send(project, 'GET', 'dashboards/')).body.count).toBe(0)
    expect((await send(project, 'GET', `insights/${insight.id}/`)).body.dashboards).toEqual([])
    const back = await send(project, 'PATCH', `dashboards/${body.id}/`, { deleted: false })
    expect([back.status, back.body]).toEqual([200, body])
  })

  it('refuses insights of another project, and is not found in another project', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { body } = await send(project, 'POST', 'dashboards/', {})

    const answer = await send(other, 'POST', 'insights/', { dashboards: [body.id] })

    expect([answer.status, answer.body.code]).toEqual([400, 'does_not_exist'])
  })
})
