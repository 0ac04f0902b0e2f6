import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { cutAt } from '../../../support/faults.ts'
import { listenToLog } from '../../../support/log.ts'
import { newProject } from '../../../support/project.ts'

describe('a dashboard', () => {
  it('lists its insights', async () => {
    const project = await newProject()
    const [first, second] = [
      (await project.send('POST', 'dashboards/', { name: 'Weekly' })).body,
      (await project.send('POST', 'dashboards/', {})).body
    ]
    const insight = (
      await project.send('POST', 'insights/', { name: 'Views', dashboards: [first.id] })
    ).body

    const shown = await project.send('GET', `dashboards/${first.id}/`)
    const moved = await project.send('PATCH', `insights/${insight.id}/`, {
      dashboards: [second.id]
    })

    expect(shown.body).toEqual({ ...first, tiles: [{ id: expect.any(Number), insight }] })
    expect(moved.body.dashboards).toEqual([second.id])
    expect((await project.send('GET', `dashboards/${first.id}/`)).body.tiles).toEqual([])
    await project.send('DELETE', `insights/${insight.id}/`)
    expect((await project.send('GET', `dashboards/${second.id}/`)).body.tiles).toEqual([])
  })

  it('is no longer shown by insights once it is deleted, and can be restored', async () => {
    const project = await newProject()
    const { body } = await project.send('POST', 'dashboards/', {
      name: 'Weekly',
      tags: ['a'],
      pinned: true
    })
    const insight = (await project.send('POST', 'insights/', { dashboards: [body.id] })).body

    expect((await project.send('DELETE', `dashboards/${body.id}/`)).status).toBe(204)

    expect((await project.send('GET', `dashboards/${body.id}/`)).status).toBe(404)
    expect((await project.send('GET', 'dashboards/')).body.count).toBe(0)
    expect((await project.send('GET', `insights/${insight.id}/`)).body.dashboards).toEqual([])
    const back = await project.send('PATCH', `dashboards/${body.id}/`, { deleted: false })
    expect([back.status, back.body]).toEqual([200, body])
  })

  it('keeps its insights while it is deleted, even if an insight is sent back as it was shown', async () => {
    const project = await newProject()
    const [deleted, other] = [
      (await project.send('POST', 'dashboards/', {})).body,
      (await project.send('POST', 'dashboards/', {})).body
    ]
    const { id } = (await project.send('POST', 'insights/', { dashboards: [deleted.id, other.id] }))
      .body
    await project.send('DELETE', `dashboards/${deleted.id}/`)
    const shown = (await project.send('GET', `insights/${id}/`)).body
    expect(shown.dashboards).toEqual([other.id])

    await project.send('PATCH', `insights/${id}/`, shown)
    await project.send('PATCH', `dashboards/${deleted.id}/`, { deleted: false })

    const back = await project.send('GET', `insights/${id}/`)
    expect(back.body.dashboards.toSorted()).toEqual([deleted.id, other.id].toSorted())
  })

  it.each(['before', 'after'] as const)(
    'gets an insight or a change of it completely or not at all, whatever fails: %s',
    async (side) => {
      listenToLog()
      const project = await newProject()
      const [first, second] = [
        (await project.send('POST', 'dashboards/', {})).body,
        (await project.send('POST', 'dashboards/', {})).body
      ]
      const create = { name: 'Views', dashboards: [first.id] }
      const change = { name: 'Visits', dashboards: [second.id] }
      const statuses = new Set<number>()

      for (let call = 1, isCut = true; isCut; call += 1) {
        const [created, changed] = [cutAt(env.DB, call, side), cutAt(env.DB, call, side)]
        const { body } = await project.send('POST', 'insights/', { name: 'Old' })
        const path = `insights/${body.id}/`
        statuses.add((await project.send('POST', 'insights/', create, { DB: created.DB })).status)
        statuses.add((await project.send('PATCH', path, change, { DB: changed.DB })).status)
        isCut = created.isReached() || changed.isReached()
      }

      const { results } = (await project.send('GET', 'insights/?limit=100')).body
      const places = new Set<string>(
        results.map(({ name, dashboards }: typeof create) => `${name} ${dashboards}`)
      )
      expect([...statuses].toSorted()).toEqual([200, 201, 503])
      expect([...places].toSorted()).toEqual(['Old ', `Views ${first.id}`, `Visits ${second.id}`])
    }
  )

  it('refuses changes of read-only fields, also while it is deleted', async () => {
    const project = await newProject()
    const { body } = await project.send('POST', 'dashboards/', {})
    const change = () =>
      project.send('PATCH', `dashboards/${body.id}/`, { created_at: '2020-01-01T00:00:00Z' })
    const live = await change()
    await project.send('DELETE', `dashboards/${body.id}/`)

    for (const { status, body } of [live, await change()]) {
      expect([status, body.attr]).toEqual([400, 'created_at'])
    }
  })

  it('refuses insights of another project, and is not found in another project', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { body } = await project.send('POST', 'dashboards/', {})

    const answer = await other.send('POST', 'insights/', { dashboards: [body.id] })
    const found = await other.send('GET', `dashboards/${body.id}/`)

    expect([answer.status, answer.body.code]).toEqual([400, 'does_not_exist'])
    expect(found.status).toBe(404)
  })
})
