import { expect, it } from 'vitest'
import { drawStatement } from '../../../src/questions/sql/chart.ts'

const PLACE = {
  project: { timezone: 'UTC' },
  now: new Date('2026-03-04T12:00:00Z')
}

/** Draws rows of a time, a name and a number: as many as there are names, at a time of its own each. */
function draw(count: number) {
  const results = Array.from({ length: count }, (_, i) => [
    new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10),
    `name ${i}`,
    i
  ])
  return drawStatement(
    {
      view: {
        kind: 'line',
        x: undefined,
        y: undefined,
        by: { name: 'who', label: 'who', attr: 'by' },
        columns: undefined
      }
    },
    {
      results,
      types: [
        ['day', 'Date'],
        ['who', 'String'],
        ['n', 'UInt64']
      ],
      hasMore: false
    },
    PLACE
  )
}

it('draws a series for each name', () => {
  const { chart } = draw(100)

  expect(chart.series).toHaveLength(100)
  expect(chart.series.every(({ data }) => data.length === 100)).toBe(true)
})

it('refuses more numbers than fit into a chart', () => {
  expect(() => draw(448)).toThrow(
    expect.objectContaining({ code: 'query_too_large', attr: 'points' })
  )
})
