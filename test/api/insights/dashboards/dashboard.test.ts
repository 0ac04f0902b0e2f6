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

    expect(shown.body).toEqual({
      ...first,
      tiles: [{ id: expect.any(Number), width: 'half', insight }]
    })
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

describe('the tiles of a dashboard', () => {
  async function newBoard(count: number) {
    const project = await newProject()
    const { id } = (await project.send('POST', 'dashboards/', { name: 'Growth' })).body
    for (let n = 1; n <= count; n += 1) {
      const filters = { events: [{ id: 'signed up' }], date_from: '-2d' }
      await project.send('POST', 'insights/', { name: `Tile ${n}`, filters, dashboards: [id] })
    }
    const path = `dashboards/${id}/`
    const tiles = async () => (await project.send('GET', path)).body.tiles
    const names = async () => (await tiles()).map((tile: never) => tile['insight']['name'])
    return { project, id, path, tiles, names }
  }

  it('are in the order and have the width that someone gave them, wherever they are drawn', async () => {
    const { project, id, path, tiles, names } = await newBoard(3)
    const [one, two, three] = await tiles()

    const { status } = await project.send('PATCH', path, {
      tiles: [three, { ...one, width: 'full' }, { id: two.id }]
    })

    expect([status, await names()]).toEqual([200, ['Tile 3', 'Tile 1', 'Tile 2']])
    expect((await tiles()).map(({ width }: { width: string }) => width)).toEqual([
      'half',
      'full',
      'half'
    ])
    const charts = (await project.call('GET', `${path}charts/`)).body
    expect([charts.count, charts.results.map(({ title }: { title: string }) => title)]).toEqual([
      3,
      ['Tile 3', 'Tile 1', 'Tile 2']
    ])
    await project.send('POST', 'insights/', { name: 'Tile 4', dashboards: [id] })
    expect(await names()).toEqual(['Tile 3', 'Tile 1', 'Tile 2', 'Tile 4'])
    const whole = (await project.send('GET', path)).body
    expect((await project.send('PATCH', path, whole)).status).toBe(200)
    expect(await names()).toEqual(['Tile 3', 'Tile 1', 'Tile 2', 'Tile 4'])
  })

  it('are refused unless each is named once', async () => {
    const { project, path, tiles, names } = await newBoard(2)
    const other = await newBoard(1)
    const [one, two] = await tiles()
    const [foreign] = await other.tiles()

    for (const wrong of [[one], [one, two, one], [one, { id: foreign.id }], [one, two, foreign]]) {
      const { status, body } = await project.send('PATCH', path, { tiles: wrong })
      expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', 'tiles'])
    }
    const given = [{ ...two, layouts: { sm: { x: 6 } } }, one]
    const { status, body } = await project.send('PATCH', path, { tiles: given })
    expect([status, body.attr]).toEqual([400, 'tiles__0__layouts'])
    expect(await names()).toEqual(['Tile 1', 'Tile 2'])
  })

  it('are computed for another range, ten at a time', async () => {
    const { project, path } = await newBoard(11)
    const read = async (query: string) =>
      (await project.call('GET', `${path}charts/?${query}`)).body
    const { count, results } = await read('date_from=2026-03-01&date_to=2026-03-04&offset=9')

    expect([count, results.length]).toEqual([11, 2])
    expect(results[0].chart.days).toEqual(['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'])
    expect((await read('')).results).toHaveLength(10)
    const { code, attr } = await read('date_from=tomorow')
    expect([code, attr]).toEqual(['invalid_input', 'date_from'])
  })

  it.each([
    { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }] },
    {
      kind: 'InsightVizNode',
      source: { kind: 'LifecycleQuery', series: [{ kind: 'EventsNode', event: 'signed up' }] }
    }
  ])('have another range, however the insight asks: %o', async (query) => {
    const { project, path, id } = await newBoard(0)
    await project.send('POST', 'insights/', { query, dashboards: [id] })

    const { body } = await project.call(
      'GET',
      `${path}charts/?date_from=2026-03-01&date_to=2026-03-02`
    )

    expect(body.results[0].chart?.days).toEqual(['2026-03-01', '2026-03-02'])
  })
})
