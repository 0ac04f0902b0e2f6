import { describe, expect, it } from 'vitest'
import type { Chart, Series } from '../../../src/charts/chart.ts'
import { describeChart } from '../../../src/charts/describe.ts'
import { drawChart, drawInset, heightOf } from '../../../src/charts/draw.ts'
import { heatOf } from '../../../src/charts/retention.ts'
import { LIGHT } from '../../../src/html/tokens.ts'

const row = (name: string, data: number[], finished: number, begun = finished): Series => ({
  name,
  data,
  cohort: { day: '2026-09-28', finished, begun }
})

const RETENTION: Chart = {
  title: 'Weekly retention',
  subtitle: '28 Sep – 18 Oct 2026 · UTC',
  counted: 'Persons',
  kind: 'retention',
  buckets: ['Week 0', 'Week 1', 'Week 2'],
  days: [],
  series: [
    row('28 Sep', [100, 60, 30], 2, 3),
    row('5 Oct', [300, 90, 0], 1, 2),
    row('12 Oct', [0, 0, 0], 0, 1)
  ],
  finished: 3,
  total: null,
  warning: null
}

const inset = (chart: Chart, width: number, height = heightOf(chart, width, 400)) =>
  drawInset(chart, { width, height, colors: LIGHT, id: 'x-' })

const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)

describe('retention', () => {
  it('has the weighted mean of what is over, then a row for each cohort', () => {
    const chart = {
      ...RETENTION,
      series: [row('28 Sep', [100, 60, 30], 3), row('5 Oct', [300, 90, 60], 2, 3)]
    }

    expect(heatOf(chart)).toEqual([
      {
        name: 'All, weighted',
        size: 400,
        isMean: true,
        // 150 of 400 came back in the first week; the second is over for the first cohort only.
        cells: [
          { share: 0.375, shade: undefined },
          { share: 0.3, shade: undefined }
        ]
      },
      {
        name: '28 Sep',
        size: 100,
        isMean: false,
        cells: [
          { share: 0.6, shade: 'h6' },
          { share: 0.3, shade: 'h1' }
        ]
      },
      {
        name: '5 Oct',
        size: 300,
        isMean: false,
        cells: [
          { share: 0.3, shade: 'h1' },
          { share: 0.2, shade: undefined }
        ]
      }
    ])
  })

  it('says nothing of columns that have not begun, and of cohorts without anybody', () => {
    const [mean, first, second, third] = heatOf(RETENTION)

    expect(mean?.cells).toEqual([{ share: 0.6, shade: undefined }, undefined])
    expect(first?.cells.map((cell) => cell?.share)).toEqual([0.6, 0.3])
    expect(second?.cells).toEqual([{ share: 0.3, shade: undefined }, undefined])
    expect(third?.cells).toEqual([undefined, undefined])
  })

  it('has a row for each value of a breakdown', () => {
    const valued = (value: string, data: number[]): Series => ({
      name: '28 Sep',
      data,
      cohort: { day: '2026-09-28', value, finished: 2, begun: 2 }
    })
    const chart = {
      ...RETENTION,
      buckets: ['Week 0', 'Week 1'],
      series: [valued('Chrome', [10, 5]), valued('Chrome', [30, 5]), valued('Safari', [4, 1])]
    }

    expect(heatOf(chart)).toMatchObject([
      { name: 'Chrome', size: 40, cells: [{ share: 0.25 }] },
      { name: 'Safari', size: 4, cells: [{ share: 0.25 }] }
    ])
  })

  it('is a table with shaded cells; cells that may still grow have a dashed outline', () => {
    const svg = inset(RETENTION, 600)

    expect(textsOf(svg)).toEqual([
      ...['Week 1', 'Week 2'],
      ...['All, weighted', '400', '60.0%', '–'],
      ...['28 Sep', '100', '60.0%', '30.0%'],
      ...['5 Oct', '300', '30.0%'],
      ...['12 Oct', '0']
    ])
    const cells = [...svg.matchAll(/<rect [^>]*>/g)].map(([rect]) => rect)
    expect(cells.filter((cell) => cell.includes('stroke-dasharray'))).toHaveLength(2)
    expect(cells.filter((cell) => cell.includes(`fill="${LIGHT.h1}"`))).toHaveLength(1)
  })

  it('has the ink for light shades on h1 to h4, and that for dark ones on h5 and h6', () => {
    const shares = [0, 10, 20, 30, 40, 50, 60]
    const series = shares.map((share) => row(`${share}`, [100, share], 2))
    const svg = inset({ ...RETENTION, buckets: ['Week 0', 'Week 1'], series }, 600)
    const cells = [...svg.matchAll(/fill="(#\w+)"\/><text [^>]*fill="(#\w+)">/g)]

    expect(cells.map(([, shade, ink]) => [shade, ink])).toEqual([
      [LIGHT.h1, LIGHT['on-heat-low']],
      [LIGHT.h2, LIGHT['on-heat-low']],
      [LIGHT.h3, LIGHT['on-heat-low']],
      [LIGHT.h4, LIGHT['on-heat-low']],
      [LIGHT.h5, LIGHT['on-heat-high']],
      [LIGHT.h6, LIGHT['on-heat-high']],
      [LIGHT.h6, LIGHT['on-heat-high']]
    ])
  })

  it('draws as many columns and rows as there is room for, and says how many columns are left', () => {
    const length = 40
    const chart = {
      ...RETENTION,
      buckets: Array.from({ length }, (_, i) => `Day ${i}`),
      series: Array.from({ length }, (_, i) =>
        row(
          `${i} Oct`,
          Array.from({ length }, () => 5),
          length - i
        )
      )
    }
    const texts = textsOf(inset(chart, 317, 200))

    const shown = texts.findIndex((text) => text.startsWith('+'))

    expect(shown).toBeGreaterThan(3)
    expect(texts[shown]).toBe(`+${length - 1 - shown}`)
    expect(texts).toContain('39 Oct')
    expect(texts).not.toContain('1 Oct')
    expect(texts[0]).toBe('1')
    expect(texts).toContain('100%')
  })

  it('cuts long names, and keeps hostile ones harmless', () => {
    const chart = {
      ...RETENTION,
      series: [row(`<img src=x>${'x'.repeat(500)}`, [100, 60, 30], 3)]
    }
    const svg = drawChart(chart)

    expect(svg).not.toContain('<img')
    expect(svg.replace(/<desc .*<\/desc>/s, '')).not.toContain('x'.repeat(60))
  })

  it('is described in words', () => {
    expect(describeChart(RETENTION)).toBe(
      'Retention table, 28 Sep – 18 Oct 2026 · UTC. Persons. All, weighted: 400, 60.0%. 28 Sep: 100, 60.0%, 30.0%. 5 Oct: 300, 30.0%. 12 Oct: 0.'
    )
  })
})
