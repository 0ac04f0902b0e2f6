import { describe, expect, it } from 'vitest'
import { newProject } from '../../support/project.ts'
import { newStory, RANGE } from '../../support/trends.ts'

const series = ['$pageview', 'bought'].map((event) => ({ kind: 'EventsNode', event }))

const FUNNEL = { kind: 'FunnelsQuery', series, dateRange: RANGE }

describe('an insight with a funnel', () => {
  it.each([
    ['alone', FUNNEL],
    ['in a wrapper', { kind: 'InsightVizNode', source: FUNNEL }],
    ['as text', JSON.stringify(FUNNEL)]
  ])('has its numbers: %s', async (_, query) => {
    const project = await newStory()
    const asked = await project.send('POST', 'query/', { query: FUNNEL })

    const saved = await project.send('POST', 'insights/', { query })
    const { status, body } = await project.call('GET', `insights/${saved.body.id}/?refresh=true`)

    expect([saved.status, saved.body.query]).toEqual([201, query])
    expect(status).toBe(200)
    expect(body.result).toEqual(asked.body.results)
    expect(body.result.map(({ count }: { count: number }) => count)).toEqual([3, 0])
  })

  it('is refused if the funnel is invalid', async () => {
    const project = await newProject()

    const { status, body } = await project.send('POST', 'insights/', {
      query: { ...FUNNEL, series: series.slice(1) }
    })

    expect([status, body.attr]).toEqual([400, 'query__series'])
  })

  it('is not drawn, and a dashboard says why', async () => {
    const project = await newStory()
    const dashboard = await project.send('POST', 'dashboards/', { name: 'Weekly' })
    const dashboards = [dashboard.body.id]
    const saved = await project.send('POST', 'insights/', { query: FUNNEL, dashboards })

    const chart = await project.call('GET', `insights/${saved.body.id}/chart.svg`)
    const board = await project.call('GET', `dashboards/${dashboard.body.id}/chart.svg`)

    expect([chart.status, chart.body.attr]).toEqual([400, 'query'])
    expect(chart.body.detail).toMatch(/^Only trends are drawn/)
    expect(board.status).toBe(200)
    expect(board.text).toContain('Only trends are drawn')
  })
})

describe('an insight with rows', () => {
  it.each(['EventsQuery', 'ActorsQuery'])('is refused: %s', async (kind) => {
    const project = await newProject()

    const { status, body } = await project.send('POST', 'insights/', {
      query: { kind: 'DataTableNode', source: { kind } }
    })

    expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', 'query__source__kind'])
  })
})
