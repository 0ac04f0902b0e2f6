import { describe, expect, it } from 'vitest'
import { chartOf, countFinished } from '../../../console/chart/answer.ts'
import { bucketAt, seriesAt } from '../../../console/chart/hit.ts'
import { actorsOf } from '../../../console/chart/point.ts'
import type { Chart } from '../../../src/charts/chart.ts'
import { drawInset, type Inset, plotOf, shownOf, stepsOf } from '../../../src/charts/draw.ts'
import { LIGHT } from '../../../src/html/tokens.ts'

const PLACE = { timezone: 'Europe/Berlin', now: new Date('2026-11-27T12:00:00Z') }

const INSET: Inset = { width: 600, height: 280, colors: LIGHT, id: 'x-' }

const LINES: Chart = {
  title: 'Sign-ups',
  subtitle: '',
  counted: '',
  kind: 'line',
  buckets: ['24 Nov', '25 Nov', '26 Nov', 'Today'],
  days: ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27'],
  series: [
    { name: 'Germany', data: [4, 9, 7, 2] },
    { name: 'Denmark', data: [2, 3, 1, 0] }
  ],
  finished: 3,
  total: null,
  warning: null
}

const plotIn = (chart: Chart, inset = INSET) => {
  const plot = plotOf(chart, inset)
  if (!plot) {
    throw new Error('no plot')
  }
  return plot
}

describe('the plot of a drawing', () => {
  it.each([600, 320])('is where the lines are, %i wide', (width) => {
    const inset = { ...INSET, width }
    const plot = plotIn(LINES, inset)
    const svg = drawInset(LINES, inset)
    const at = (bucket: number, value: number) =>
      [plot.x(bucket), plot.y(value)].map((pixel) => Math.round(pixel * 100) / 100).join(' ')

    expect(svg).toContain(`M${at(0, 4)}L${at(1, 9)}L${at(2, 7)}`)
    expect(svg).toContain(`M${at(0, 2)}L${at(1, 3)}L${at(2, 1)}`)
  })

  it.each(['bars', 'stacked', 'area'] as const)('of %s has every bucket', (kind) => {
    const { box, x, y } = plotIn({ ...LINES, kind })

    expect(x(0)).toBeGreaterThanOrEqual(box.left)
    expect(x(3)).toBeLessThanOrEqual(box.right)
    expect(y(9)).toBeGreaterThanOrEqual(box.top - 1)
    expect(y(0)).toBeCloseTo(box.bottom, 0)
  })

  it('is missing where words stand in place of numbers', () => {
    const empty = { ...LINES, series: [{ name: 'Nothing', data: [0, 0, 0, 0] }] }

    expect(plotOf(empty, INSET)).toBeUndefined()
    expect(plotOf({ ...LINES, kind: 'pie' }, INSET)).toBeUndefined()
  })
})

describe('the pointer', () => {
  it('means the nearest bucket that has begun', () => {
    const chart = { ...LINES, finished: 1 }
    const plot = plotIn(chart)

    expect(bucketAt(chart, plot, plot.x(1) - 3)).toBe(1)
    expect(bucketAt(chart, plot, plot.x(3))).toBe(1)
    expect(bucketAt(chart, plot, -50)).toBe(0)
  })

  it('means the nearest line', () => {
    const plot = plotIn(LINES)

    expect(seriesAt(LINES, plot, 1, { x: plot.x(1), y: plot.y(8) }).series).toBe(0)
    expect(seriesAt(LINES, plot, 1, { x: plot.x(1), y: plot.y(2) }).series).toBe(1)
  })

  it('means the part of a stack', () => {
    const series = [...LINES.series, { name: 'Gone', data: [-2, -5, 0, 0] }]
    const chart: Chart = { ...LINES, kind: 'stacked', series }
    const plot = plotIn(chart)
    const at = (value: number) =>
      seriesAt(chart, plot, 1, { x: plot.x(1), y: plot.y(value) }).series

    expect([1, 8.9, 9.5, 11.9, 40, -1, -40].map(at)).toEqual([0, 0, 1, 1, 1, 2, 2])
  })

  it('means the bar, also of the period before', () => {
    const series = LINES.series.map((one) => ({ ...one, previous: one.data }))
    const chart: Chart = { ...LINES, kind: 'bars', series }
    const plot = plotIn(chart)
    const spread = [-200, -20, 20, 200].map((by) =>
      seriesAt(chart, plot, 2, { x: plot.x(2) + by, y: 0 })
    )

    expect(spread).toEqual([
      { series: 0, isPrevious: true },
      { series: 0, isPrevious: false },
      { series: 1, isPrevious: true },
      { series: 1, isPrevious: false }
    ])
  })
})

const FUNNEL: Chart = {
  ...LINES,
  kind: 'funnel',
  buckets: ['Visit', 'Sign-up', 'Team'],
  days: [],
  series: [{ name: 'Persons', data: [100, 40, 10] }],
  finished: 3
}

describe('the steps of a funnel', () => {
  it.each([900, 300])('have a place for those who came and those who left, %i wide', (width) => {
    const steps = stepsOf(FUNNEL, { ...INSET, width })

    expect(steps.map(({ bars }) => bars.length)).toEqual([1, 1, 1])
    expect(steps.map(({ left }) => left !== undefined)).toEqual([false, true, true])
  })

  it('have a place for each value of a breakdown', () => {
    const [germany] = FUNNEL.series
    const series = ['Germany', 'Denmark'].map((name) => ({ data: germany?.data ?? [], name }))
    const steps = stepsOf({ ...FUNNEL, series }, { ...INSET, width: 900 })

    expect(steps.map(({ bars }) => bars.length)).toEqual([2, 2, 2])
    expect(shownOf({ ...FUNNEL, series }).series).toEqual(series)
  })
})

it.each([
  [['2026-11-26', '2026-11-27'], 'day', 1],
  [['2026-11-27 11:00:00', '2026-11-27 12:00:00', '2026-11-27 13:00:00'], 'hour', 2],
  [['2026-11-16', '2026-11-23'], 'week', 1],
  [['2026-10-01', '2026-11-01', '2026-12-01'], 'month', 1],
  [['2026-11-26'], 'day', 1]
] as const)('the buckets %j by the %s that are over', (days, interval, finished) => {
  expect(countFinished([...days], interval, PLACE)).toBe(finished)
})

const TREND = {
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode' as const, event: '$pageview', math: 'dau' }],
  breakdownFilter: { breakdown: '$geoip_country_code', breakdown_type: 'event' },
  compareFilter: { compare: true }
}
const line = (value: string, period: string, data: number[]) => ({
  action: { order: 0, name: '$pageview', custom_name: null },
  label: `$pageview - ${value}`,
  data,
  days: period === 'current' ? ['2026-11-26', '2026-11-27'] : ['2026-11-19', '2026-11-20'],
  breakdown_value: value,
  compare_label: period
})
const ANSWER = {
  resolved_date_range: { date_from: '2026-11-25T23:00:00Z', date_to: '2026-11-27T22:59:59Z' },
  results: [
    line('DE', 'current', [5, 6]),
    line('$$_posthog_breakdown_other_$$', 'current', [1, 1]),
    line('DE', 'previous', [4, 4]),
    line('$$_posthog_breakdown_other_$$', 'previous', [2, 2])
  ]
}

describe('the answer to a trend', () => {
  it('becomes a chart with names in words', () => {
    expect(chartOf({ kind: 'InsightVizNode', source: TREND }, ANSWER, PLACE)).toMatchObject({
      title: 'Page view',
      kind: 'line',
      buckets: ['26 Nov', 'Today'],
      finished: 1,
      earlier: ['2026-11-19', '2026-11-20'],
      series: [
        { name: 'Germany', data: [5, 6], previous: [4, 4] },
        { name: 'Others', data: [1, 1], previous: [2, 2], isRest: true }
      ]
    })
  })

  it('has persons behind its points, but not behind those of a formula', () => {
    const chart = chartOf(TREND, ANSWER, PLACE)
    const source = (node: object, point: object) =>
      chart && actorsOf({ ...TREND, ...node }, chart, { series: 0, bucket: 1, ...point })

    expect(source({}, {})).toEqual({
      kind: 'InsightActorsQuery',
      source: TREND,
      day: 1,
      breakdown: 'DE'
    })
    expect(source({}, { isPrevious: true })).toMatchObject({ compare: 'previous' })
    expect(source({ trendsFilter: { formula: 'A/2' } }, {})).toBeUndefined()
    expect(source({}, { series: 7 })).toBeUndefined()
  })
})

it('the steps of a funnel have persons who took them, and who left before', () => {
  const node = { kind: 'FunnelsQuery', series: [] }
  const step = { name: 'a', custom_name: null, count: 1, average_conversion_time: null }
  const results = [{ ...step, median_conversion_time: null, breakdown_value: ['DE'] }]
  const chart = chartOf(node, { results: [results], resolved_date_range: null }, PLACE)
  const source = (isLeft: boolean) =>
    chart && actorsOf(node, chart, { series: 0, bucket: 2, isLeft })

  expect(source(false)).toEqual({
    kind: 'FunnelsActorsQuery',
    source: node,
    funnelStep: 3,
    funnelStepBreakdown: ['DE']
  })
  expect(source(true)).toMatchObject({ funnelStep: -3 })
})
