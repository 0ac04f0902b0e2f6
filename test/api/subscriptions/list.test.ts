import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { setClock } from '../../support/deliveries.ts'
import { newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { create, refusal } from '../../support/subscriptions.ts'

afterAll(untilQuiet)
afterEach(() => void vi.useRealTimers())

describe('the list', () => {
  const ids = async (project: TestProject, query: string) =>
    (await project.call('GET', `subscriptions/?${query}`)).body.results.map(
      ({ id }: { id: number }) => id
    )

  it('comes in pages, newest first', async () => {
    const project = await newProject()
    const [a, b, c] = [await create(project), await create(project), await create(project)]

    const first = await project.call('GET', 'subscriptions/?limit=2')
    const second = await project.call('GET', `subscriptions/${new URL(first.body.next).search}`)

    expect([first.body.count, first.body.results, second.body.results]).toEqual([3, [c, b], [a]])
    expect([second.body.next, second.body.previous === null]).toEqual([null, false])
  })

  it('filters by insight, dashboard, deletion and search', async () => {
    const project = await newProject()
    const insight = (await project.send('POST', 'insights/', { name: 'Signups' })).body.id
    const dashboard = (await project.send('POST', 'dashboards/', { name: 'Review' })).body.id
    const ofInsight = (await create(project, { insight })).id
    const ofBoth = (await create(project, { insight, dashboard })).id
    const titled = (await create(project, { title: 'Board meeting' })).id
    const deleted = (await create(project, { deleted: true, insight })).id

    expect(await ids(project, `insight=${insight}`)).toEqual([ofBoth, ofInsight])
    expect(await ids(project, `dashboard=${dashboard}`)).toEqual([ofBoth])
    expect(await ids(project, `insight=${insight}&deleted=true`)).toEqual([deleted])
    expect(await ids(project, 'deleted=false')).toEqual([titled, ofBoth, ofInsight])
    expect(await ids(project, 'search=SIGN')).toEqual([ofBoth, ofInsight])
    expect(await ids(project, 'search=review')).toEqual([ofBoth])
    expect(await ids(project, 'search=board%20m')).toEqual([titled])
    expect(await ids(project, 'search=%25')).toEqual([])
    expect(await ids(project, 'insight=999999999')).toEqual([])
  })

  it('filters by several insights, the insights of a dashboard, the resource, the channel and the creator', async () => {
    const project = await newProject()
    const board = (await project.send('POST', 'dashboards/', { name: 'Review' })).body.id
    const insightOn = async (dashboards: number[]) =>
      (await project.send('POST', 'insights/', { dashboards })).body.id
    const [tile, other] = [await insightOn([board]), await insightOn([])]
    const webhook = { target_type: 'webhook', target_value: 'https://example.com/hook' }
    const ofTile = (await create(project, { insight: tile, ...webhook })).id
    const ofOther = (await create(project, { insight: other })).id
    const ofBoard = (await create(project, { dashboard: board })).id
    const nothing = await create(project)
    const { uuid } = nothing.created_by

    expect(await ids(project, `insights=${tile},${other}`)).toEqual([ofOther, ofTile])
    expect(await ids(project, `insights=[${other}]`)).toEqual([ofOther])
    expect(await ids(project, `dashboard_tiles=${board}`)).toEqual([ofTile])
    expect(await ids(project, 'resource_type=insight')).toEqual([ofOther, ofTile])
    expect(await ids(project, 'resource_type=dashboard')).toEqual([ofBoard])
    expect(await ids(project, 'target_type=webhook')).toEqual([ofTile])
    expect(await ids(project, 'target_type=email&resource_type=insight')).toEqual([ofOther])
    expect(await ids(project, `created_by=${uuid.toUpperCase()}`)).toHaveLength(4)
    expect(await ids(project, `created_by=${crypto.randomUUID()}`)).toEqual([])
  })

  it('sorts by the given field, with subscriptions without a value last', async () => {
    setClock('2026-11-21T12:00:00Z')
    const project = await newProject()
    const b = (await create(project, { title: 'b', start_date: '2026-12-03' })).id
    const none = (await create(project, { deleted: true })).id
    await project.send('PATCH', `subscriptions/${none}/`, { deleted: false, enabled: false })
    const a = (await create(project, { title: 'A', start_date: '2026-12-04' })).id

    expect(await ids(project, 'ordering=created_at')).toEqual([a, none, b])
    expect(await ids(project, 'ordering=title')).toEqual([a, b, none])
    expect(await ids(project, 'ordering=-title')).toEqual([b, a, none])
    expect(await ids(project, 'ordering=next_delivery_date')).toEqual([b, a, none])
    expect(await ids(project, 'ordering=-next_delivery_date')).toEqual([a, b, none])
    expect(await ids(project, 'ordering=created_by__email')).toEqual([a, none, b])
  })

  it.each([
    ['ordering=secret', 'invalid_choice', 'ordering'],
    ['insight=x', 'invalid_input', 'insight'],
    ['insights=', 'invalid_input', 'insights'],
    ['insights=4,x', 'invalid_input', 'insights'],
    ['dashboard_tiles=', 'invalid_input', 'dashboard_tiles'],
    ['resource_type=ai_prompt', 'invalid_choice', 'resource_type'],
    ['resource_type=', 'invalid_choice', 'resource_type'],
    ['target_type=sms', 'invalid_choice', 'target_type'],
    ['created_by=', 'invalid_input', 'created_by'],
    ['created_by=ada', 'invalid_input', 'created_by'],
    ['dashboard=-1', 'invalid_input', 'dashboard'],
    ['deleted=maybe', 'invalid_input', 'deleted'],
    ['limit=0', 'invalid_input', 'limit'],
    [`search=${'x'.repeat(201)}`, 'max_length', 'search']
  ])('refuses %s', async (query, code, attr) => {
    expect(refusal(await (await newProject()).call('GET', `subscriptions/?${query}`))).toEqual([
      400,
      code,
      attr
    ])
  })

  it('contains no subscriptions of another project, which no other endpoint finds either', async () => {
    const [project, other] = [await newProject(), await newProject()]
    const { id } = await create(other)

    expect((await project.call('GET', 'subscriptions/')).body.count).toBe(0)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', 'deliveries/'],
      ['POST', 'test/'],
      ['GET', 'preview/']
    ]) {
      expect((await project.call(`${method}`, `subscriptions/${id}/${path}`)).status).toBe(404)
    }
    expect((await project.send('PATCH', `subscriptions/${id}/`, { title: 'mine' })).status).toBe(
      404
    )
    expect((await other.call('GET', `subscriptions/${id}/`)).body.title).toBeNull()
  })
})
