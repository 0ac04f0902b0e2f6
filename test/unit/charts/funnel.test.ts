import { describe, expect, it } from 'vitest'
import type { Chart } from '../../../src/charts/chart.ts'
import { describeChart } from '../../../src/charts/describe.ts'
import { drawChart, drawInset, heightOf, namesOf } from '../../../src/charts/draw.ts'
import { formatChange, formatDuration, formatIn } from '../../../src/charts/format.ts'
import { factsOf } from '../../../src/charts/funnel.ts'
import { LIGHT } from '../../../src/html/tokens.ts'

const STEPS = ['Visited', 'Signed up', 'Invited']
const NONE = { average: null, median: null }
const persons = {
  name: 'Persons',
  data: [400, 100, 50],
  times: [NONE, { average: 90, median: 72 }, { average: 97_200, median: 278 }]
}

const FUNNEL: Chart = {
  title: 'Sign-up to team',
  subtitle: '1 – 7 Jun 2025 · UTC',
  counted: 'Persons within 14 days',
  kind: 'funnel',
  buckets: STEPS,
  days: [],
  series: [persons],
  finished: 3,
  total: null,
  warning: null
}
const BY_BROWSER: Chart = {
  ...FUNNEL,
  series: [
    { name: 'Chrome', data: [300, 90, 45] },
    { name: 'Safari', data: [100, 10, 5] }
  ]
}

const inset = (chart: Chart, width: number, height: number, isNamed = true) =>
  drawInset(chart, { width, height, colors: LIGHT, id: 'x-', isNamed })

/** Returns an attribute of each bar, in their order. */
const bars = (svg: string, name: string, fill: string = LIGHT.d1): number[] =>
  [...svg.matchAll(/<rect [^>]*>/g)]
    .map(([rect]) => rect)
    .filter((rect) => rect.includes(`fill="${fill}"`) && !rect.includes('fill-opacity'))
    .map((rect) => Number(new RegExp(` ${name}="([\\d.]+)"`).exec(rect)?.[1]))

const rounded = (value: number): number => Math.round(value * 100) / 100

/** Returns a drawing without its description. */
const drawingOf = (svg: string): string => svg.replace(/<desc .*<\/desc>/s, '')

const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)

describe('a funnel', () => {
  it('has facts of each step', () => {
    expect(factsOf(persons, 0)).toEqual({
      count: 400,
      share: 1,
      ofBefore: undefined,
      left: 0,
      average: null,
      median: null
    })
    expect(factsOf(persons, 2)).toEqual({
      count: 50,
      share: 0.125,
      ofBefore: 0.5,
      left: 50,
      average: 97_200,
      median: 278
    })
    expect(factsOf({ name: '', data: [0, 0] }, 1)).toMatchObject({ share: 0, ofBefore: 0, left: 0 })
  })

  it('has bars as high as the share of those who got there, and slopes between them', () => {
    const svg = inset(FUNNEL, 600, 320)
    const heights = bars(svg, 'height')
    const [first = 0] = heights

    expect(bars(svg, 'x')).toEqual([0, 200, 400])
    expect(bars(svg, 'width')).toEqual([100, 100, 100])
    expect(heights).toEqual([first, first / 4, first / 8])
    // The slope begins at the top of a bar and ends at the top of the next one.
    const [, y = 0] = bars(svg, 'y')
    expect(svg).toContain(`M100 0L200 ${y}V${first}H100Z`)
    expect(svg.match(/<path /g)).toHaveLength(2)
  })

  it('says for each step who got there, who left, and how long it took', () => {
    expect(textsOf(inset(FUNNEL, 900, 320))).toEqual([
      ...['1', 'Visited', '100%', '400'],
      ...['2', 'Signed up', '25.0%', '100', '300 left', '25.0% of step 1'],
      '1m 12s median, 1m 30s average',
      ...['3', 'Invited', '12.5%', '50', '50 left', '50.0% of step 2'],
      '4m 38s median, 1d 3h average'
    ])
    expect(textsOf(inset(FUNNEL, 480, 320))).toContain('1m 12s median')
  })

  it('has a row for each step where columns have no room, with bars as long as the shares', () => {
    expect(heightOf(FUNNEL, 317, 200)).toBe(3 * 62)
    const svg = inset(FUNNEL, 317, heightOf(FUNNEL, 317, 200))

    expect(bars(svg, 'x')).toEqual([0, 0, 0])
    expect(bars(svg, 'width')).toEqual([317, 79.25, 39.63])
    expect(textsOf(svg)).toEqual([
      ...['Visited', '400', '100%'],
      ...['Signed up', '100', '25.0%', '300 left', '25.0% of step 1 · 1m 12s median'],
      ...['Invited', '50', '12.5%', '50 left', '50.0% of step 2 · 4m 38s median']
    ])
  })

  it('has a bar of each value of a breakdown, as high as its own share', () => {
    const svg = inset(BY_BROWSER, 600, 320)
    const [chrome, safari] = [LIGHT.d1, LIGHT.d2].map((color) =>
      // The legend has the first one.
      bars(svg, 'height', color).slice(1)
    )
    const [whole = 0] = chrome ?? []

    expect(chrome).toEqual([whole, 0.3 * whole, 0.15 * whole].map(rounded))
    expect(safari).toEqual([whole, 0.1 * whole, 0.05 * whole].map(rounded))
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['Chrome', 'Safari', '30.0%', '5.0%']))
    expect(textsOf(inset(BY_BROWSER, 317, 400))).toEqual(
      expect.arrayContaining(['Signed up', '30.0%', '10.0%'])
    )
  })

  it('draws eight of hundreds of values, and says how many are left out', () => {
    const series = Array.from({ length: 300 }, (_, i) => ({
      name: `value ${i}`,
      data: [300 - i, 10, 1]
    }))
    const svg = drawChart({ ...FUNNEL, series })

    expect(svg).toContain('292 more series are not drawn')
    expect(svg.match(/<rect /g)?.length).toBeLessThan(60)
    expect(describeChart({ ...FUNNEL, series })).toContain('And 290 more.')
  })

  it('leaves the names of steps to the words beside it', () => {
    const svg = inset(FUNNEL, 552, 160, false)

    expect(textsOf(svg)).toEqual(['1', '100%', '400', '2', '25.0%', '100', '3', '12.5%', '50'])
    expect(namesOf(FUNNEL, LIGHT)).toEqual([
      { name: '1 Visited' },
      { name: '2 Signed up' },
      { name: '3 Invited' }
    ])
    expect(namesOf(BY_BROWSER, LIGHT).slice(0, 3)).toEqual([
      { name: 'Chrome', color: LIGHT.d1 },
      { name: 'Safari', color: LIGHT.d2 },
      { name: '1 Visited' }
    ])
  })

  it('is described in words', () => {
    expect(describeChart(FUNNEL)).toBe(
      'Funnel, 1 – 7 Jun 2025 · UTC. Persons within 14 days. Visited: 400 (100%). Signed up: 100 (25.0%), 300 left, 1m 12s in the median. Invited: 50 (12.5%), 50 left, 4m 38s in the median.'
    )
    expect(describeChart(BY_BROWSER)).toContain('Chrome: 300, 90, 45 (15.0%).')
  })

  it('keeps hostile and long names within their steps', () => {
    const long = `<script>alert(1)</script>${'x'.repeat(400)}`
    for (const width of [160, 317, 600, 998]) {
      const svg = inset({ ...FUNNEL, buckets: [long, '', '\u202eevil'] }, width, 400)

      expect(svg).not.toContain('<script')
      expect(drawingOf(svg)).not.toContain('x'.repeat(120))
      expect(svg).not.toContain('\u202e')
      expect(svg).toContain('(empty)')
    }
  })

  it('says that nobody began', () => {
    const svg = drawChart({ ...FUNNEL, series: [{ name: 'Persons', data: [0, 0, 0] }] })

    expect(svg).toContain('All values in this range are 0.')
  })
})

describe('a number', () => {
  it.each([
    [0.4, '0.4s'],
    [42, '42s'],
    [222, '3m 42s'],
    [65, '1m 05s'],
    [4_080, '1h 08m'],
    [97_200, '1d 3h'],
    [3_599.7, '1h 00m']
  ])('of %d seconds is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
    expect(formatIn('seconds', seconds)).toBe(text)
  })

  it('in percent changes in points', () => {
    expect(formatIn('percent', 8.18)).toBe('8.2%')
    expect(formatChange(8.2, 7.1, 'percent')).toBe('+1.1 pt')
    expect(formatChange(8.2, 8.5, 'percent')).toBe('−0.3 pt')
    expect(formatChange(5, 0, 'percent')).toBe('+5.0 pt')
  })
})
